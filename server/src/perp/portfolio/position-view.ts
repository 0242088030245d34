import Type, { type Static } from 'typebox'
import { CREATED_AT, TX_HASH } from '../../http/examples.ts'
import { abs } from '../../lib/bigints.ts'
import type { ListedInstrument } from '../listing/catalogue.ts'
import {
  equityOf,
  fundingOf,
  leverageOf,
  liquidationPrice,
  marginAtRatio,
  type Position,
  pricePnl,
  type SideIndices,
  socialLossOf,
} from '../maths/position.ts'
import { divWad } from '../maths/wad.ts'
import { wad } from '../schemas.ts'
import { sideOf } from './order-view.ts'
import type { PositionRow } from './record-store.ts'

/** What follows from the oracle’s price is absent while there is none. */
const ofMark = (description: string) =>
  Type.Union([Type.String(), Type.Null()], {
    description: `${description}, 18 decimals; null while the oracle’s price is refused.`,
  })

/** Row 9 of perp-api 2B, with what the position is worth now. */
export const positionSchema = Type.Object({
  balance: wad('Margin, with what was realised since'),
  size: wad('Positive is long'),
  entryNotional: wad('What the size cost or brought'),
  entrySocialLossIndex: wad('Index of social loss from which it counts'),
  entryFundingIndex: wad('Index of funding from which it counts'),
  side: Type.Enum([1, 2], { description: '1 SHORT, 2 LONG.' }),
  entryPrice: wad('Entry notional over size'),
  markPrice: ofMark('The oracle’s price'),
  unrealizedPnl: ofMark('Profit of the price alone'),
  unrealizedFunding: wad('Funding received since the entry, up to the block; negative where it is paid'),
  unrealizedSocialLoss: wad('What bankrupt accounts have cost it since the entry'),
  equity: ofMark('Balance, profit and funding, less unrealizedSocialLoss'),
  leverage: ofMark('Value at the mark over equity; 0 without equity'),
  maintenanceMargin: ofMark('Equity below which it is liquidated'),
  liquidationPrice: wad('Mark at which equity meets the maintenance margin; 0 where none does'),
  lastUpdateTime: Type.Integer({ description: 'Unix seconds.' }),
  lastUpdateTxHash: Type.String(),
  instrumentAddr: Type.String(),
  expiry: Type.Integer(),
  symbol: Type.String(),
})
export type PositionView = Static<typeof positionSchema>

export const positionExample: PositionView = {
  balance: '119579913580000000000',
  size: '10000000000000000',
  entryNotional: '600123450000000000000',
  entrySocialLossIndex: '0',
  entryFundingIndex: '0',
  side: 2,
  entryPrice: '60012345000000000000000',
  markPrice: '60000000000000000000000',
  unrealizedPnl: '-123450000000000000',
  unrealizedFunding: '0',
  unrealizedSocialLoss: '0',
  equity: '119456463580000000000',
  leverage: '5022750379412294443',
  maintenanceMargin: '30000000000000000000',
  liquidationPrice: '50583530149473684210526',
  lastUpdateTime: CREATED_AT,
  lastUpdateTxHash: TX_HASH,
  instrumentAddr: '0x73ada1ea346cc3908f41cf67a040f0acd7808be0',
  expiry: 4_294_967_295,
  symbol: 'BTC/USDC',
}

/** A position beside what it is measured by. */
export interface MeasuredPosition {
  readonly position: Position
  /** Brought to the block's time. */
  readonly indices: SideIndices
  /** WAD; 0 where the market refuses its price. */
  readonly mark: bigint
  /** Basis points, as the instrument had it at the block. */
  readonly maintenanceMarginRatio: number
}

export function positionView(row: PositionRow, instrument: ListedInstrument, measured: MeasuredPosition): PositionView {
  const { position, indices, maintenanceMarginRatio } = measured
  return {
    balance: String(position.balance),
    size: String(position.size),
    entryNotional: String(position.entryNotional),
    entrySocialLossIndex: String(position.entrySocialLossIndex),
    entryFundingIndex: String(position.entryFundingIndex),
    side: sideOf(position.size),
    entryPrice: String(divWad(position.entryNotional, abs(position.size))),
    ...atMark(measured),
    unrealizedFunding: String(fundingOf(indices, position)),
    unrealizedSocialLoss: String(socialLossOf(indices, position)),
    liquidationPrice: String(liquidationPrice(indices, position, maintenanceMarginRatio)),
    lastUpdateTime: Number(row.updatedAtSec),
    lastUpdateTxHash: row.updateTxHash,
    instrumentAddr: row.instrument,
    expiry: Number(row.expiry),
    symbol: instrument.symbol,
  }
}

function atMark({ position, indices, mark, maintenanceMarginRatio }: MeasuredPosition) {
  if (mark === 0n) {
    return { markPrice: null, unrealizedPnl: null, equity: null, leverage: null, maintenanceMargin: null }
  }
  return {
    markPrice: String(mark),
    unrealizedPnl: String(pricePnl(position, mark)),
    equity: String(equityOf(indices, position, mark)),
    leverage: String(leverageOf(indices, position, mark)),
    maintenanceMargin: String(marginAtRatio(position, mark, maintenanceMarginRatio)),
  }
}
