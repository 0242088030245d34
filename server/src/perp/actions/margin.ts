import Type from 'typebox'
import { amountSchema } from '../../http/schemas.ts'
import { tradeCall } from '../calldata/calls.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { perpReasons } from '../reasons.ts'
import { chosenDeadline, defineAction, listedInstrument, NOTHING_FORETOLD, ofPair, pairOf } from './action.ts'
import { pairProperties, readQuoteAmount, timingProperties } from './fields.ts'
import { openPositionOf } from './open-position.ts'

/** Moves margin into a position or out of it (perp-api 2A.0). */
export const margin = defineAction({
  summary: 'Adds margin to a position, or takes some out',
  params: Type.Object({
    ...pairProperties,
    amount: amountSchema('Quote, in human units, no finer than the token itself.'),
    type: Type.Enum(['add', 'remove']),
    ...timingProperties,
  }),
  reasons: [perpReasons.position_missing],
  examples: { 'add margin': { instrument: 'BTC/USDC', expiry: PERPETUAL_EXPIRY, amount: '100', type: 'add' } },
  async prepare(context, user, params) {
    const instrument = await listedInstrument(context, params)
    const moved = readQuoteAmount(params.amount, instrument)
    const amount = params.type === 'add' ? moved : -moved
    const pair = await pairOf(context, instrument, params, user)
    openPositionOf(pair)
    const deadlineSec = chosenDeadline(pair.block, params.deadline)
    const calls = [tradeCall(user, { expiry: params.expiry, deadlineSec, tick: 0, amount, size: 0n })]
    return { ...ofPair(pair, params), calls, foretold: { ...NOTHING_FORETOLD, amount }, orders: [] }
  },
})
