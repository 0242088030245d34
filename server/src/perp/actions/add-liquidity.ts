import Type from 'typebox'
import { amountSchema } from '../../http/schemas.ts'
import { AppError } from '../../lib/errors.ts'
import { addCall } from '../calldata/calls.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { minRangeTickDelta } from '../maths/tick.ts'
import { perpReasons } from '../reasons.ts'
import { chosenDeadline, defineAction, listedInstrument, NOTHING_FORETOLD, ofPair, pairOf } from './action.ts'
import { pairProperties, readQuoteAmount, referralProperty, slippageProperty, timingProperties } from './fields.ts'
import { alphaProperties, deltasOf, edgeProperties, edgesOf, priceLimits, standOf } from './range-fields.ts'

/** Adds a range of liquidity around the price (perp-api 2A.0). */
export const addLiquidity = defineAction({
  summary: 'Adds liquidity between two prices',
  params: Type.Object({
    ...pairProperties,
    amount: amountSchema('Margin of the range: quote, in human units, no finer than the token itself.'),
    ...edgeProperties,
    ...alphaProperties,
    ...slippageProperty,
    ...referralProperty,
    ...timingProperties,
  }),
  reasons: [perpReasons.fields_not_together],
  examples: {
    'add liquidity': {
      instrument: 'BTC/USDC',
      expiry: PERPETUAL_EXPIRY,
      amount: '1000',
      alphaLower: '1.2',
      alphaUpper: '1.2',
      slippageBps: 50,
    },
  },
  async prepare(context, user, params) {
    const instrument = await listedInstrument(context, params)
    const amount = readQuoteAmount(params.amount, instrument)
    const pair = await pairOf(context, instrument, params, user)
    const stand = standOf(pair)
    const edges = edgesOf(params, stand.tick)
    const { tickLower, tickUpper } = edges
    if (tickLower >= stand.tick || tickUpper <= stand.tick) {
      const message = `the range must hold the price, which is at the tick ${stand.tick}; it reaches from ${tickLower} to ${tickUpper}`
      throw new AppError(perpReasons.fields_not_together, message)
    }
    const deadlineSec = chosenDeadline(pair.block, params.deadline)
    const limits = priceLimits(stand, params.slippageBps)
    const deltas = deltasOf(edges, stand.tick, minRangeTickDelta(instrument.initialMarginRatio))
    const calls = [addCall(user, { expiry: params.expiry, deadlineSec, limits, amount, ...deltas })]
    return { ...ofPair(pair, params), calls, foretold: { ...NOTHING_FORETOLD, amount }, orders: [], range: edges }
  },
})
