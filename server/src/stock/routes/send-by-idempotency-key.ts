import Type from 'typebox'
import { IDEMPOTENCY_KEY, idempotencyKeySchema, sentUnder, UNDER_KEY } from '../../delegation/sent-under.ts'
import { defineRoute } from '../../http/product.ts'
import type { StockContext } from '../context.ts'
import { stockReasons } from '../reasons.ts'
import { sendExample, sendSchema } from '../sending/send.ts'
import { storedSend } from '../sending/stored-send.ts'

/** GET /sends/byIdempotencyKey: what has become of a One Click send, by the `Idempotency-Key` of its request. */
export const getSendByIdempotencyKey = (context: StockContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/sends/byIdempotencyKey',
    summary: 'A One Click send of the calling key, by the Idempotency-Key of its request',
    access: 'READ_ONLY',
    schema: { query: Type.Object({ idempotencyKey: idempotencyKeySchema }), data: sendSchema },
    description: `As the send answers it, with what is known now. ${UNDER_KEY}`,
    reasons: [stockReasons.send_not_found],
    examples: { query: { idempotencyKey: IDEMPOTENCY_KEY }, data: sendExample(context, 'trade') },
    async handler({ query, caller }) {
      const { venue, chainId } = context
      const claimId = await sentUnder(venue.sql, { chainId, apiKeyId: caller.keyId }, query.idempotencyKey)
      return storedSend(context, caller, claimId, 'this API key has sent nothing under this Idempotency-Key')
    },
  })
