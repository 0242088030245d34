import Type from 'typebox'
import { boundUser } from '../../../auth/bound-user.ts'
import { authReasons } from '../../../auth/reasons.ts'
import { endWalletKey } from '../../../auth/wallet-keys.ts'
import { defineRoute } from '../../../http/product.ts'
import { apiKeySchema, EXAMPLE_KEY } from '../../access/key-view.ts'
import { type KeyContext, scopeOf } from '../../access/wallet-scope.ts'

/** POST api-key/delete (perp-api 2A.0). */
export const postApiKeyDelete = (context: KeyContext) =>
  defineRoute({
    method: 'POST',
    path: '/v4/public/trader/api-key/delete',
    summary: 'End an API key of the wallet for good',
    description: 'The key that signs may be the one that ends: this answer is then its last.',
    access: 'WRITABLE',
    schema: { body: Type.Object({ apiKey: apiKeySchema }), data: Type.Object({ apiKey: Type.String() }) },
    reasons: [authReasons.key_not_bound, authReasons.key_unknown],
    examples: { bodies: { request: { apiKey: EXAMPLE_KEY } }, data: { apiKey: EXAMPLE_KEY } },
    async handler({ caller, body: { apiKey } }) {
      const { venue, auth } = context
      await endWalletKey(venue.sql, scopeOf(context, boundUser(caller)), apiKey)
      await auth.keys.learn()
      return { apiKey }
    },
  })
