import Type from 'typebox'
import { amountSchema } from '../../http/schemas.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { perpReasons } from '../reasons.ts'
import {
  chosenDeadline,
  defineAction,
  type Foretold,
  listedInstrument,
  NOTHING_FORETOLD,
  ofPair,
  pairOf,
} from './action.ts'
import { crossingLegs, type Leg, placeLeg } from './crossing.ts'
import {
  bufferProperty,
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

/** A resting order (perp-api 2A.3). */
export const limit = defineAction({
  summary: 'Limit order',
  params: Type.Object({
    ...pairProperties,
    ...sizeProperty,
    price: amountSchema('Quote for one base, in human units; the order takes the nearest tick that is not worse.'),
    ...sideProperty,
    ...leverageProperty,
    postOnly: Type.Optional(
      Type.Boolean({ description: 'Refuses an order that would trade at once; false unless given.' }),
    ),
    ...bufferProperty,
    ...referralProperty,
    ...timingProperties,
  }),
  reasons: [perpReasons.leverage_too_high, perpReasons.price_out_of_range],
  examples: {
    'limit sell': {
      instrument: 'BTC/USDC',
      expiry: PERPETUAL_EXPIRY,
      size: '0.01',
      price: '65000',
      side: 1,
      leverage: '5',
    },
  },
  async prepare(context, user, params) {
    const instrument = await listedInstrument(context, params)
    const size = readSize(params.size, params.side)
    const tick = readOrderTick(params.price, params.side)
    const leverage = readLeverage(params.leverage, instrument)
    const pair = await pairOf(context, instrument, params, user)
    const deadlineSec = chosenDeadline(pair.block, params.deadline)
    const bufferBps = params.markPriceBufferInBps ?? null
    const wish = { expiry: params.expiry, size, tick, leverage, bufferBps, deadlineSec }
    const rests = params.postOnly === true || (size > 0n ? tick < pair.stored.tick : tick > pair.stored.tick)
    const legs = rests ? [placeLeg(user, pair, wish)] : await crossingLegs(context, user, pair, wish)
    return {
      ...ofPair(pair, params),
      calls: legs.map(({ call }) => call),
      foretold: together(legs, size),
      orders: legs.flatMap(({ order }) => order ?? []),
      trades: legs.reduce((sum, { order, foretold }) => (order === null ? sum + (foretold.size ?? 0n) : sum), 0n),
    }
  },
})

/** Price and fee are those of what trades at once, where anything does. */
function together(legs: readonly Leg[], size: bigint): Foretold {
  const [first] = legs
  const amount = legs.reduce((sum, { foretold }) => sum + (foretold.amount ?? 0n), 0n)
  return { ...(first?.foretold ?? NOTHING_FORETOLD), size, amount }
}
