/** The model's state in the shape the published SDK reads from the chain, for the tests that compare with it. */
import {
  PairSnapshot,
  Order as SdkOrder,
  Position as SdkPosition,
  Range as SdkRange,
} from '@synfutures/perpv3-ts/types'
import { type Account, orderKeyParts } from './account.ts'
import { accountOf, type Context } from './instrument.ts'
import { takenOf } from './orders.ts'
import type { Position } from './position.ts'
import type { Quotation } from './quotation.ts'
import { rangeTicks } from './range.ts'

const ADDRESS = '0x1111111111111111111111111111111111111111'
const ENDLESS = 10n ** 40n

/** What the Observer would return for the pair and trader at the context's time. */
export function snapshotOf(context: Context, trader: string, quotation?: Quotation): PairSnapshot {
  const { instrument, pair, nowSec, markWad } = context
  const account = accountOf(pair, trader)
  return new PairSnapshot({
    setting: { ...instrument.setting, config: ADDRESS, gate: ADDRESS, market: ADDRESS, quote: ADDRESS },
    condition: instrument.condition,
    amm: { ...pair.amm },
    priceData: {
      instrument: ADDRESS,
      expiry: pair.amm.expiry,
      markPrice: markWad,
      spotPrice: markWad,
      benchmarkPrice: markWad,
      feeder0: ADDRESS,
      feeder1: ADDRESS,
      feeder0UpdatedAt: BigInt(nowSec),
      feeder1UpdatedAt: BigInt(nowSec),
    },
    portfolio: portfolioOf(context, account),
    quoteState: {
      quote: ADDRESS,
      decimals: instrument.setting.decimals,
      symbol: instrument.quote,
      threshold: 0n,
      reserve: ENDLESS,
      balance: ENDLESS,
      allowance: ENDLESS,
      fundFlow: { totalIn: 0n, totalOut: 0n },
      pending: { timestamp: 0, native: false, amount: 0n, exemption: 0n },
    },
    spacing: instrument.spacing,
    blockInfo: { timestamp: nowSec, height: 1 },
    instrumentAddress: ADDRESS,
    expiry: pair.amm.expiry,
    ...(quotation ? { quotation } : {}),
  } as ConstructorParameters<typeof PairSnapshot>[0])
}

function portfolioOf(context: Context, account: Account) {
  const orders = account.oids.flatMap((oid) => {
    const order = account.orders.get(oid)
    return order ? [{ oid, order }] : []
  })
  return {
    oids: [...account.oids],
    rids: [...account.rids],
    position: toSdkPosition(account.position),
    orders: orders.map(({ oid, order }) => {
      const { tick, nonce } = orderKeyParts(oid)
      return new SdkOrder(order.balance, order.size, tick, nonce)
    }),
    ranges: [...account.ranges].map(([rid, range]) => {
      const { tickLower, tickUpper } = rangeTicks(rid)
      return new SdkRange(
        range.liquidity,
        range.entryFeeIndex,
        range.balance,
        range.sqrtEntryPX96,
        tickLower,
        tickUpper,
      )
    }),
    ordersTaken: orders.map(({ oid, order }) => takenOf(context, oid, order)),
  }
}

function toSdkPosition(p: Position): SdkPosition {
  return new SdkPosition(p.balance, p.size, p.entryNotional, p.entrySocialLossIndex, p.entryFundingIndex)
}
