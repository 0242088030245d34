import Type from 'typebox'
import { boundUser } from '../../../auth/bound-user.ts'
import { authReasons } from '../../../auth/reasons.ts'
import { changeWalletKey } from '../../../auth/wallet-keys.ts'
import { defineRoute } from '../../../http/product.ts'
import { httpReasons } from '../../../http/reasons.ts'
import { AppError } from '../../../lib/errors.ts'
import {
  accessOf,
  apiKeySchema,
  EXAMPLE_KEY,
  keyExample,
  keySchema,
  keyView,
  labelSchema,
  permissionsSchema,
} from '../../access/key-view.ts'
import { type KeyContext, scopeOf } from '../../access/wallet-scope.ts'

/** POST api-key/update (perp-api 2A.0). */
export const postApiKeyUpdate = (context: KeyContext) =>
  defineRoute({
    method: 'POST',
    path: '/v4/public/trader/api-key/update',
    summary: 'Change label and permissions of an API key of the wallet',
    description: 'What is left out stays. The key that signs may take its own permission to trade away.',
    access: 'WRITABLE',
    schema: {
      body: Type.Object({
        apiKey: apiKeySchema,
        label: Type.Optional(labelSchema),
        permissions: Type.Optional(permissionsSchema),
      }),
      data: keySchema,
    },
    reasons: [authReasons.key_not_bound, authReasons.key_unknown],
    examples: {
      bodies: { request: { apiKey: EXAMPLE_KEY, label: 'my bot', permissions: ['read', 'trade'] } },
      data: keyExample,
    },
    async handler({ caller, body: { apiKey, label, permissions } }) {
      if (label === undefined && permissions === undefined) {
        throw new AppError(httpReasons.request_invalid, 'label or permissions is required: nothing would be changed')
      }
      const { venue, auth } = context
      const key = await changeWalletKey(venue.sql, scopeOf(context, boundUser(caller)), apiKey, {
        ...(label === undefined ? {} : { label }),
        ...(permissions === undefined ? {} : { access: accessOf(permissions) }),
      })
      await auth.keys.learn()
      return keyView(key)
    },
  })
