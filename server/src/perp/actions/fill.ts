import Type from 'typebox'
import { AppError } from '../../lib/errors.ts'
import { fillCall } from '../calldata/calls.ts'
import { ORDER_ID } from '../examples.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { perpReasons } from '../reasons.ts'
import { chosenDeadline, defineAction, listedInstrument, NOTHING_FORETOLD, ofPair, pairOf } from './action.ts'
import { pairProperties, timingProperties } from './fields.ts'
import { namedOrder, orderProperties } from './named-orders.ts'

/** Turns an order of which everything was taken into a position (perp-api 2A.0). */
export const fill = defineAction({
  summary: 'Turns an order of which everything was taken into a position',
  params: Type.Object({ ...pairProperties, ...orderProperties, ...timingProperties }),
  reasons: [
    perpReasons.perp_order_not_open,
    perpReasons.order_not_taken,
    perpReasons.fields_not_together,
    perpReasons.perp_not_indexed,
  ],
  examples: { fill: { instrument: 'BTC/USDC', expiry: PERPETUAL_EXPIRY, orderId: ORDER_ID } },
  async prepare(context, user, params) {
    const instrument = await listedInstrument(context, params)
    const pair = await pairOf(context, instrument, params, user)
    const order = await namedOrder(context, user, pair, params)
    if (order.taken !== order.size) {
      const message = `the order ${order.oid} is not taken whole: a part of it still rests. Cancel it instead`
      throw new AppError(perpReasons.order_not_taken, message)
    }
    const deadlineSec = chosenDeadline(pair.block, params.deadline)
    const calls = [fillCall(user, { expiry: params.expiry, deadlineSec }, order)]
    return { ...ofPair(pair, params), calls, foretold: NOTHING_FORETOLD, orders: [order], absorbs: true }
  },
})
