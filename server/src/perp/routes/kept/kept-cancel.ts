import Type from 'typebox'
import { boundUser } from '../../../auth/bound-user.ts'
import { authReasons } from '../../../auth/reasons.ts'
import { SETTLED_AT } from '../../../http/examples.ts'
import { defineRoute } from '../../../http/product.ts'
import { uuidSchema } from '../../../http/schemas.ts'
import type { PerpContext } from '../../context.ts'
import { cancelKept } from '../../kept/cancel.ts'
import { KEPT_ID, keptOrderExample, keptOrderSchema } from '../../kept/kept-view.ts'
import { perpReasons } from '../../reasons.ts'

const body = Type.Object({ keptOrderId: uuidSchema(`an id such as ${KEPT_ID}`) })

/** POST order/kept/cancel: cancels a kept order. */
export const postOrderKeptCancel = (context: PerpContext) =>
  defineRoute({
    method: 'POST',
    path: '/v4/public/trader/order/kept/cancel',
    summary: 'Cancels a kept order that is open; the one that it is linked with stays',
    description:
      'The venue’s own operation. Every API key of the wallet may cancel. One that the send of its linked order has cancelled is not opened again ' +
      'when it is cancelled while that send may still come to nothing.',
    access: 'WRITABLE',
    schema: { body, data: keptOrderSchema },
    reasons: [authReasons.key_not_bound, perpReasons.kept_order_unknown, perpReasons.kept_order_not_open],
    examples: {
      bodies: { cancel: { keptOrderId: KEPT_ID } },
      data: {
        ...keptOrderExample,
        status: 'cancelled' as const,
        endedAt: SETTLED_AT,
        reason: 'cancelled',
        message: 'the wallet cancelled it',
      },
    },
    handler: ({ body: { keptOrderId }, caller }) => cancelKept(context, boundUser(caller), keptOrderId.toLowerCase()),
  })
