import Type from 'typebox'
import { authReasons } from '../../../auth/reasons.ts'
import { findWalletKeys } from '../../../auth/wallet-key-store.ts'
import { defineRoute } from '../../../http/product.ts'
import { keyExample, keySchema, keyView } from '../../access/key-view.ts'
import { type KeyContext, scopeOf, walletOf } from '../../access/wallet-scope.ts'

/** GET api-key/list (perp-api 2A.0). */
export const getApiKeys = (context: KeyContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/trader/api-key/list',
    summary: 'The API keys of the wallet, without secrets',
    access: 'READ_ONLY',
    schema: { data: Type.Array(keySchema) },
    reasons: [authReasons.key_not_bound],
    examples: { data: [keyExample] },
    handler: async ({ caller }) =>
      (await findWalletKeys(context.venue.sql, scopeOf(context, walletOf(caller)))).map(keyView),
  })
