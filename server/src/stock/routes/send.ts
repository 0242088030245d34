import Type from 'typebox'
import { defineRoute } from '../../http/product.ts'
import { uuidSchema } from '../../http/schemas.ts'
import type { StockContext } from '../context.ts'
import { stockReasons } from '../reasons.ts'
import { sendExample, sendSchema } from '../sending/send.ts'
import { storedSend } from '../sending/stored-send.ts'

const SEND_ID = '0b7c6a2e-51f4-4c0e-9d7b-2f4a8f1c3e5d'

/** GET /sends/{id}: what has become of a One Click send, by the id that its answer had. */
export const getSend = (context: StockContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/sends/:id',
    summary: 'A One Click send of the calling key, by its id',
    access: 'READ_ONLY',
    schema: {
      params: Type.Object({
        id: uuidSchema('the id of a send: a UUID'),
      }),
      data: sendSchema,
    },
    description:
      'As the send answers it, with what is known now. operationId and orderId are there once it is indexed.',
    reasons: [stockReasons.send_not_found],
    examples: { params: { id: SEND_ID }, data: { ...sendExample(context, 'trade'), id: SEND_ID } },
    handler: ({ params: { id }, caller }) =>
      storedSend(context, caller, id, `this API key has sent nothing with the id ${id}`),
  })
