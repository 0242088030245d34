import Type from 'typebox'
import { cancelCall } from '../calldata/calls.ts'
import { ORDER_ID } from '../examples.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { perpReasons } from '../reasons.ts'
import { chosenDeadline, defineAction, listedInstrument, NOTHING_FORETOLD, ofPair, pairOf } from './action.ts'
import { pairProperties, timingProperties } from './fields.ts'
import { namedOrder, orderProperties } from './named-orders.ts'

/** Ends an open order; what of it was taken becomes a position (perp-api 2A.0). */
export const cancel = defineAction({
  summary: 'Cancels an order; what of it was taken becomes a position',
  params: Type.Object({ ...pairProperties, ...orderProperties, ...timingProperties }),
  reasons: [perpReasons.perp_order_not_open, perpReasons.fields_not_together, perpReasons.perp_not_indexed],
  examples: { cancel: { instrument: 'BTC/USDC', expiry: PERPETUAL_EXPIRY, orderId: ORDER_ID } },
  async prepare(context, user, params) {
    const instrument = await listedInstrument(context, params)
    const pair = await pairOf(context, instrument, params, user)
    const order = await namedOrder(context, user, pair, params)
    const deadlineSec = chosenDeadline(pair.block, params.deadline)
    const calls = [cancelCall(user, { expiry: params.expiry, deadlineSec }, [order.tick])]
    return { ...ofPair(pair, params), calls, foretold: NOTHING_FORETOLD, orders: [order], absorbs: true }
  },
})
