import Type from 'typebox'
import { idempotencyKeySchema, sentUnder, UNDER_KEY } from '../../delegation/sent-under.ts'
import { defineRoute } from '../../http/product.ts'
import { AppError } from '../../lib/errors.ts'
import type { StockContext } from '../context.ts'
import { stockReasons } from '../reasons.ts'
import { mappingOfSend } from '../recording/mapping-store.ts'
import { sendExample, sendSchema, sendView } from '../sending/send.ts'

const KEY = '5f0c1d7e-8a34-4b1c-9a55-0d2b7c1e9f42'

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
    examples: { query: { idempotencyKey: KEY }, data: sendExample(context, 'trade') },
    async handler({ query, caller }) {
      const { venue, chainId, productType } = context
      const scope = { chainId, apiKeyId: caller.keyId }
      const claimId = await sentUnder(venue.sql, scope, query.idempotencyKey)
      const mapping = claimId && (await mappingOfSend(venue.sql, scope, claimId))
      if (mapping) return sendView(mapping, productType)
      throw new AppError(stockReasons.send_not_found, 'this API key has sent nothing under this Idempotency-Key')
    },
  })
