import Type from 'typebox'
import { amountSchema } from '../../http/schemas.ts'
import { abs } from '../../lib/bigints.ts'
import { AppError } from '../../lib/errors.ts'
import { batchPlaceCall } from '../calldata/calls.ts'
import { MOST_PLACED } from '../calldata/words.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { orderMargin } from '../maths/position.ts'
import { tickToPrice } from '../maths/tick.ts'
import { mulWad } from '../maths/wad.ts'
import { perpReasons } from '../reasons.ts'
import { chosenDeadline, defineAction, listedInstrument, NOTHING_FORETOLD, ofPair, pairOf } from './action.ts'
import {
  leverageProperty,
  pairProperties,
  readLeverage,
  readOrderTick,
  readSize,
  referralProperty,
  sideProperty,
  sizeProperty,
  timingProperties,
} from './fields.ts'

const RATIO_BASE = 10_000
const LEAST_PLACED = 2

/** Shares of the size by the order's place in the list. */
const WEIGHTS = {
  FLAT: () => 1,
  UPPER: (index: number) => index + 1,
  LOWER: (index: number, count: number) => count - index,
} as const

/** Two to nine orders in one call, which share a size (perp-api 2A.0, 2A.6). */
export const scaled = defineAction({
  summary: 'Two to nine limit orders that share a size',
  params: Type.Object({
    ...pairProperties,
    ...sizeProperty,
    prices: Type.Array(amountSchema('Price of one order, in human units.'), {
      minItems: LEAST_PLACED,
      maxItems: MOST_PLACED,
    }),
    distribution: Type.Optional(
      Type.Enum(['FLAT', 'UPPER', 'LOWER'], {
        description: 'Equal shares, or growing towards the last price, or towards the first; FLAT unless given.',
      }),
    ),
    ratios: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: RATIO_BASE }), {
        minItems: LEAST_PLACED,
        maxItems: MOST_PLACED,
        description: 'Shares of the orders, basis points that come to 10000; instead of a distribution.',
      }),
    ),
    ...sideProperty,
    ...leverageProperty,
    ...referralProperty,
    ...timingProperties,
  }),
  reasons: [perpReasons.leverage_too_high, perpReasons.price_out_of_range, perpReasons.fields_not_together],
  examples: {
    'three buys': {
      instrument: 'BTC/USDC',
      expiry: PERPETUAL_EXPIRY,
      size: '0.03',
      prices: ['58000', '57000', '56000'],
      side: 2,
      leverage: '5',
    },
  },
  async prepare(context, user, params) {
    const instrument = await listedInstrument(context, params)
    const size = readSize(params.size, params.side)
    const leverage = readLeverage(params.leverage, instrument)
    const ticks = params.prices.map((price, index) => readOrderTick(price, params.side, `prices[${index}]`))
    requireDifferent(ticks)
    const ratios = ratiosOf(params, ticks.length)
    const pair = await pairOf(context, instrument, params, user)
    const deadlineSec = chosenDeadline(pair.block, params.deadline)
    const orders = ticks.map((tick, index) => {
      const price = tickToPrice(tick)
      // Cut toward zero, as the contract does.
      const part = (size * BigInt(ratios[index] ?? 0)) / BigInt(RATIO_BASE)
      return { oid: null, tick, price, size: part, margin: orderMargin(price, pair.mark, part, leverage, 0) }
    })
    const batch = ticks.map((tick, index) => ({ tick, ratio: ratios[index] ?? 0 }))
    const calls = [batchPlaceCall(user, { expiry: params.expiry, deadlineSec, size, leverage, orders: batch })]
    const amount = orders.reduce((sum, { margin }) => sum + margin, 0n)
    const notional = orders.reduce((sum, { price, size: part }) => sum + mulWad(price, abs(part)), 0n)
    return { ...ofPair(pair, params), calls, foretold: { ...NOTHING_FORETOLD, size, notional, amount }, orders }
  },
})

function requireDifferent(ticks: readonly number[]): void {
  const again = ticks.findIndex((tick, index) => ticks.indexOf(tick) !== index)
  if (again < 0) return
  const message = `prices[${again}] comes to the tick ${ticks[again]}, which another order has: an account has one order at a tick`
  throw new AppError(perpReasons.fields_not_together, message, { detail: { field: `prices[${again}]` } })
}

interface ShareFields {
  readonly distribution?: keyof typeof WEIGHTS
  readonly ratios?: readonly number[]
}

/** Basis points of each order; what division leaves goes to the last. Throws `fields_not_together`. */
function ratiosOf({ distribution, ratios }: ShareFields, count: number): readonly number[] {
  if (ratios !== undefined) {
    const sum = ratios.reduce((total, ratio) => total + ratio, 0)
    if (distribution !== undefined) throw apart('ratios and distribution exclude each other: send one of them')
    if (ratios.length !== count) throw apart(`ratios must be as many as prices, ${count}, and are ${ratios.length}`)
    if (sum !== RATIO_BASE) throw apart(`ratios must come to ${RATIO_BASE}, and come to ${sum}`)
    return ratios
  }
  const weigh = WEIGHTS[distribution ?? 'FLAT']
  const weights = Array.from({ length: count }, (_, index) => weigh(index, count))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  const shares = weights.map((weight) => Math.floor((weight * RATIO_BASE) / sum))
  const left = RATIO_BASE - shares.reduce((total, share) => total + share, 0)
  return shares.map((share, index) => (index === count - 1 ? share + left : share))
}

const apart = (message: string): AppError =>
  new AppError(perpReasons.fields_not_together, message, { detail: { field: 'ratios' } })
