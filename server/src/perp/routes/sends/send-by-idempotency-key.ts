import Type from 'typebox'
import { IDEMPOTENCY_KEY, idempotencyKeySchema, sentUnder, UNDER_KEY } from '../../../delegation/sent-under.ts'
import { defineRoute } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { accountQuery } from '../../portfolio/trader.ts'
import { STORED_SEND_REASONS, storedSend, storedSendExample, storedSendSchema } from '../../sending/stored-send.ts'

/** GET send/byIdempotencyKey: what became of a send, by the `Idempotency-Key` of its request. */
export const getSendByIdempotencyKey = (context: PerpContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/trader/send/byIdempotencyKey',
    summary: 'A send of the calling key by the Idempotency-Key of its request',
    description: `The venue’s own operation. ${UNDER_KEY}`,
    access: 'READ_ONLY',
    schema: { query: Type.Object({ idempotencyKey: idempotencyKeySchema, ...accountQuery }), data: storedSendSchema },
    reasons: [...STORED_SEND_REASONS],
    examples: { query: { idempotencyKey: IDEMPOTENCY_KEY }, data: storedSendExample },
    async handler(request) {
      const { venue, chainId } = context
      const { query, caller } = request
      const sendId = await sentUnder(venue.sql, { chainId, apiKeyId: caller.keyId }, query.idempotencyKey)
      return storedSend(context, request, sendId, 'this API key has sent nothing under this Idempotency-Key')
    },
  })
