import Type from 'typebox'
import { defineRoute } from '../../../http/product.ts'
import { uuidSchema } from '../../../http/schemas.ts'
import type { PerpContext } from '../../context.ts'
import { accountQuery } from '../../portfolio/trader.ts'
import { STORED_SEND_REASONS, storedSend, storedSendExample, storedSendSchema } from '../../sending/stored-send.ts'

/** GET send/byId: what became of a send, by the id that its answer had. */
export const getSendById = (context: PerpContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/trader/send/byId',
    summary: 'A send of the wallet by its sendId, whichever of its API keys asked for it',
    description: 'The venue’s own operation. Kept orders that were sent are sends too.',
    access: 'READ_ONLY',
    schema: { query: Type.Object({ sendId: uuidSchema('a sendId: a UUID'), ...accountQuery }), data: storedSendSchema },
    reasons: [...STORED_SEND_REASONS],
    examples: { query: { sendId: storedSendExample.sendId }, data: storedSendExample },
    handler: (request) =>
      storedSend(
        context,
        request,
        request.query.sendId,
        `the wallet has sent nothing with the sendId ${request.query.sendId}`,
      ),
  })
