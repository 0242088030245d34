import Type from 'typebox'
import { AppError } from '../../lib/errors.ts'
import { removeCall } from '../calldata/calls.ts'
import { rangeIdOf } from '../calldata/words.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { perpReasons } from '../reasons.ts'
import { chosenDeadline, defineAction, listedInstrument, NOTHING_FORETOLD, ofPair, pairOf } from './action.ts'
import { pairProperties, slippageProperty, timingProperties } from './fields.ts'
import { edgeProperties, priceLimits, standOf, ticksOf } from './range-fields.ts'

/** Takes a range out; what it held becomes position and margin (perp-api 2A.0). */
export const removeLiquidity = defineAction({
  summary: 'Removes a range of liquidity; what it held becomes a position',
  params: Type.Object({ ...pairProperties, ...edgeProperties, ...slippageProperty, ...timingProperties }),
  reasons: [perpReasons.fields_not_together, perpReasons.range_not_found],
  examples: {
    'remove liquidity': {
      instrument: 'BTC/USDC',
      expiry: PERPETUAL_EXPIRY,
      tickLower: 108_200,
      tickUpper: 111_900,
      slippageBps: 50,
    },
  },
  async prepare(context, user, params) {
    const instrument = await listedInstrument(context, params)
    const edges = ticksOf(params)
    const { tickLower, tickUpper } = edges
    const pair = await pairOf(context, instrument, params, user)
    if (!pair.portfolio.rids.some((rid) => BigInt(rid) === rangeIdOf(tickLower, tickUpper))) {
      const message = `the wallet has no range from ${tickLower} to ${tickUpper} in ${instrument.symbol}`
      throw new AppError(perpReasons.range_not_found, message)
    }
    const deadlineSec = chosenDeadline(pair.block, params.deadline)
    const limits = priceLimits(standOf(pair), params.slippageBps)
    const calls = [removeCall({ expiry: params.expiry, deadlineSec, limits, owner: user, tickLower, tickUpper })]
    return { ...ofPair(pair, params), calls, foretold: NOTHING_FORETOLD, orders: [], range: edges }
  },
})
