import Type from 'typebox'
import { tradeCall } from '../calldata/calls.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { perpReasons } from '../reasons.ts'
import { chosenDeadline, defineAction, listedInstrument, ofPair, pairOf } from './action.ts'
import {
  leverageProperty,
  pairProperties,
  readLeverage,
  readSize,
  reduceOnlyProperty,
  referralProperty,
  sideProperty,
  sizeProperty,
  slippageProperty,
  timingProperties,
} from './fields.ts'
import { requireReduction } from './reduce-only.ts'
import { tradeTerms } from './trade-terms.ts'

/** A trade at the market (perp-api 2A.2). */
export const market = defineAction({
  summary: 'Market order',
  params: Type.Object({
    ...pairProperties,
    ...sizeProperty,
    ...sideProperty,
    ...leverageProperty,
    ...slippageProperty,
    ...reduceOnlyProperty,
    ...referralProperty,
    ...timingProperties,
  }),
  reasons: [
    perpReasons.leverage_too_high,
    perpReasons.position_missing,
    perpReasons.reduce_only_would_increase,
    perpReasons.size_above_position,
    perpReasons.reduction_under_way,
  ],
  examples: {
    'market buy': {
      instrument: 'BTC/USDC',
      expiry: PERPETUAL_EXPIRY,
      size: '0.01',
      side: 2,
      leverage: '5',
      slippageBps: 50,
    },
    'market sell that only reduces': {
      instrument: 'BTC/USDC',
      expiry: PERPETUAL_EXPIRY,
      size: '0.01',
      side: 1,
      leverage: '5',
      slippageBps: 50,
      reduceOnly: true,
    },
  },
  async prepare(context, user, params) {
    const instrument = await listedInstrument(context, params)
    const { slippageBps, expiry } = params
    const size = readSize(params.size, params.side)
    const leverage = readLeverage(params.leverage, instrument)
    const pair = await pairOf(context, instrument, params, user, size)
    if (params.reduceOnly) requireReduction(pair.portfolio.position.size, size)
    const deadlineSec = chosenDeadline(pair.block, params.deadline)
    const { tick, amount, foretold } = tradeTerms(pair, { size, leverage, slippageBps })
    const calls = [tradeCall(user, { expiry, deadlineSec, tick, amount, size })]
    return { ...ofPair(pair, params), calls, foretold, orders: [], trades: size, reduces: params.reduceOnly ?? false }
  },
})
