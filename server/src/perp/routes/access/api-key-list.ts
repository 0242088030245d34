import Type from 'typebox'
import { authReasons } from '../../../auth/reasons.ts'
import { findWalletKeys } from '../../../auth/wallet-key-store.ts'
import { defineRoute } from '../../../http/product.ts'
import { keyExample, keySchema, keyView } from '../../access/key-view.ts'
import { type KeyContext, scopeOf } from '../../access/wallet-scope.ts'
import { accountQuery, traderOf } from '../../portfolio/trader.ts'
import { perpReasons } from '../../reasons.ts'

/** GET api-key/list (perp-api 2A.0). */
export const getApiKeys = (context: KeyContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/trader/api-key/list',
    summary: 'The API keys of the wallet, without secrets',
    access: 'READ_ONLY',
    schema: { query: Type.Object(accountQuery), data: Type.Array(keySchema) },
    reasons: [authReasons.key_not_bound, authReasons.user_not_bound, perpReasons.chain_id_differs],
    examples: { data: [keyExample] },
    handler: async ({ query, caller }) =>
      (await findWalletKeys(context.venue.sql, scopeOf(context, traderOf(context, caller, query)))).map(keyView),
  })
