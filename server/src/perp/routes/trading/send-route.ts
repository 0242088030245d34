import { SEND_REASONS } from '../../../delegation/send.ts'
import { defineRoute, type Route } from '../../../http/product.ts'
import type { Action } from '../../actions/action.ts'
import { ACTIONS, type ActionName } from '../../actions/actions.ts'
import type { PerpContext } from '../../context.ts'
import {
  ordersSendExample,
  ordersSendSchema,
  sendAction,
  sendExample,
  sendSchema,
  withoutOrders,
} from '../../sending/send.ts'
import { EVERY_ACTION } from './action-body.ts'

interface SendRoute {
  readonly path: `/v4/public/trader/${string}`
  readonly action: ActionName
  readonly description?: string
  /** Whether the answer says of each order whether it was sent. */
  readonly tellsOrders?: boolean
}

/** An operation that has the venue send an action for the wallet, by One Click (perp-api 2A.0). */
export function sendRoute(context: PerpContext, { path, action, description, tellsOrders = false }: SendRoute): Route {
  const { summary, params, reasons, examples } = ACTIONS[action] as Action
  return defineRoute({
    method: 'POST',
    path,
    summary: `${summary}, sent by One Click`,
    ...(description === undefined ? {} : { description }),
    access: 'WRITABLE',
    busy: context.sends.busy,
    schema: { body: params, data: tellsOrders ? ordersSendSchema : sendSchema },
    reasons: [...new Set([...SEND_REASONS, ...EVERY_ACTION, ...reasons])],
    examples: { bodies: examples, data: tellsOrders ? ordersSendExample : sendExample },
    async handler(request) {
      const answer = await sendAction(context, request, action, request.body as object)
      return tellsOrders ? answer : withoutOrders(answer)
    },
  })
}
