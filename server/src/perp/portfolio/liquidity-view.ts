import Type, { type Static } from 'typebox'
import type { Hex } from '../../chain/types.ts'
import { CREATED_AT, TX_HASH, WALLET } from '../../http/examples.ts'
import { ridOf } from '../indexing/order-id.ts'
import type { ListedInstrument } from '../listing/catalogue.ts'
import { sqrtToPrice, tickToPrice } from '../maths/tick.ts'
import { wad } from '../schemas.ts'
import type { LiquidityRow, RangeRow } from './record-store.ts'
import { pairFieldSchemas, pairFields, TOKEN_EXAMPLES } from './tokens.ts'

/** Row 14 of perp-api 2B. */
export const rangeSchema = Type.Object({
  instrumentAddr: Type.String(),
  expiry: Type.Integer(),
  tickLower: Type.Integer(),
  tickUpper: Type.Integer(),
  liquidity: wad('Liquidity'),
  entryFeeIndex: wad('The pair’s fee index when it was added'),
  balance: wad('Margin'),
  sqrtEntryPX96: Type.String({ description: 'Square root of the price when it was added, times 2^96.' }),
  rid: Type.Integer({ description: 'Both ticks in one: lower · 2^24 + upper, each as 24 bits.' }),
  lowerPrice: wad('Price of the lower tick'),
  upperPrice: wad('Price of the upper tick'),
  entryPrice: wad('Price when it was added'),
  traderAddr: Type.String(),
  lastUpdateTime: Type.Integer({ description: 'When it was added, Unix seconds.' }),
  lastUpdateTxHash: Type.String(),
  symbol: Type.String(),
})
type RangeView = Static<typeof rangeSchema>

export const rangeExample: RangeView = {
  instrumentAddr: '0x73ada1ea346cc3908f41cf67a040f0acd7808be0',
  expiry: 4_294_967_295,
  tickLower: 108_000,
  tickUpper: 112_000,
  liquidity: '85703821406125846',
  entryFeeIndex: '0',
  balance: '2000000000000000000000',
  sqrtEntryPX96: '19407249132285263219785957212160',
  rid: 1_811_939_440_128_000,
  lowerPrice: '48995843062316049463519',
  upperPrice: '73091556034127651208093',
  entryPrice: '60003437812345678901234',
  traderAddr: WALLET,
  lastUpdateTime: CREATED_AT,
  lastUpdateTxHash: TX_HASH,
  symbol: 'BTC/USDC',
}

export const rangeView = (row: RangeRow, instrument: ListedInstrument, trader: Hex): RangeView => ({
  instrumentAddr: row.instrument,
  expiry: Number(row.expiry),
  tickLower: row.tickLower,
  tickUpper: row.tickUpper,
  liquidity: String(row.liquidity),
  entryFeeIndex: String(row.entryFeeIndex),
  balance: String(row.balanceWad),
  sqrtEntryPX96: String(row.sqrtEntryPX96),
  rid: Number(ridOf(row.tickLower, row.tickUpper)),
  lowerPrice: String(tickToPrice(row.tickLower)),
  upperPrice: String(tickToPrice(row.tickUpper)),
  entryPrice: String(sqrtToPrice(row.sqrtEntryPX96)),
  traderAddr: trader,
  lastUpdateTime: Number(row.updatedAtSec),
  lastUpdateTxHash: row.updateTxHash,
  symbol: instrument.symbol,
})

/** Row 15 of perp-api 2B. */
export const liquidityEventSchema = Type.Object({
  id: Type.String(),
  instrumentAddress: Type.String(),
  expiry: Type.Integer(),
  timestamp: Type.Integer({ description: 'Unix seconds.' }),
  txHash: Type.String(),
  type: Type.Enum([0, 1], { description: '0 add, 1 remove.' }),
  typeString: Type.Enum(['add', 'remove']),
  lowerTick: Type.Integer(),
  upperTick: Type.Integer(),
  lowerPrice: wad('Price of the lower tick'),
  upperPrice: wad('Price of the upper tick'),
  fairPrice: wad('The curve’s price then'),
  amount: wad('Margin put in; of a removal what the range left as balance, its fee included'),
  feeEarned: wad('Fee the range had earned'),
  ...pairFieldSchemas,
})
type LiquidityEventView = Static<typeof liquidityEventSchema>

export const liquidityEventExample: LiquidityEventView = {
  id: `${TX_HASH}-2`,
  instrumentAddress: '0x73ada1ea346cc3908f41cf67a040f0acd7808be0',
  expiry: 4_294_967_295,
  timestamp: CREATED_AT,
  txHash: TX_HASH,
  type: 0,
  typeString: 'add',
  lowerTick: 108_000,
  upperTick: 112_000,
  lowerPrice: '48995843062316049463519',
  upperPrice: '73091556034127651208093',
  fairPrice: '60003437812345678901234',
  amount: '2000000000000000000000',
  feeEarned: '0',
  symbol: 'BTC/USDC',
  ...TOKEN_EXAMPLES,
}

export const liquidityEventView = (row: LiquidityRow, instrument: ListedInstrument) => ({
  id: `${row.txHash}-${row.indexInTx}`,
  instrumentAddress: row.instrument,
  expiry: Number(row.expiry),
  timestamp: Number(row.atSec),
  txHash: row.txHash,
  type: row.kind === 'add' ? 0 : 1,
  typeString: row.kind,
  lowerTick: row.tickLower,
  upperTick: row.tickUpper,
  lowerPrice: String(tickToPrice(row.tickLower)),
  upperPrice: String(tickToPrice(row.tickUpper)),
  fairPrice: String(row.fairPriceWad),
  amount: String(row.amountWad),
  feeEarned: String(row.feeWad),
  ...pairFields(instrument),
})
