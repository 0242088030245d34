import Type from 'typebox'
import { AppError } from '../../lib/errors.ts'
import { cancelCall } from '../calldata/calls.ts'
import { MOST_CANCELLED } from '../calldata/words.ts'
import { ORDER_ID } from '../examples.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import type { PairState } from '../listing/pair.ts'
import { perpReasons } from '../reasons.ts'
import { chosenDeadline, defineAction, listedInstrument, NOTHING_FORETOLD, ofPair, pairOf } from './action.ts'
import { pairProperties, timingProperties } from './fields.ts'
import { namedOrders, ordersProperties } from './named-orders.ts'
import type { OpenOrder } from './open-orders.ts'

/** Ends several open orders of a pair in one transaction, eight in each of its calls (perp-api 2A.6). */
export const batchCancel = defineAction({
  summary: 'Cancels several orders of a pair, or all, in one transaction',
  params: Type.Object({ ...pairProperties, ...ordersProperties, ...timingProperties }),
  reasons: [perpReasons.perp_order_not_open, perpReasons.fields_not_together, perpReasons.perp_not_indexed],
  examples: {
    'cancel two': { instrument: 'BTC/USDC', expiry: PERPETUAL_EXPIRY, orderIds: [ORDER_ID, '1030049889949000027'] },
    'cancel all': { instrument: 'BTC/USDC', expiry: PERPETUAL_EXPIRY, all: true },
  },
  async prepare(context, user, params) {
    const instrument = await listedInstrument(context, params)
    const pair = await pairOf(context, instrument, params, user)
    const { open: orders, told: named } = await namedOrders(context, user, pair, params)
    requireSome(pair, orders)
    const deadlineSec = chosenDeadline(pair.block, params.deadline)
    const time = { expiry: params.expiry, deadlineSec }
    const calls = inGroups(orders).map((group) =>
      cancelCall(
        user,
        time,
        group.map(({ tick }) => tick),
      ),
    )
    return { ...ofPair(pair, params), calls, foretold: NOTHING_FORETOLD, orders, named, absorbs: true }
  },
})

function requireSome({ instrument }: PairState, orders: readonly OpenOrder[]): void {
  if (orders.length > 0) return
  const message = `the wallet has no open order in ${instrument.symbol}`
  throw new AppError(perpReasons.perp_order_not_open, message)
}

function inGroups(orders: readonly OpenOrder[]): OpenOrder[][] {
  const groups: OpenOrder[][] = []
  for (let start = 0; start < orders.length; start += MOST_CANCELLED) {
    groups.push(orders.slice(start, start + MOST_CANCELLED))
  }
  return groups
}
