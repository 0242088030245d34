import Type from 'typebox'
import type { WalletKey } from '../../auth/wallet-key-store.ts'
import type { Access } from '../../http/caller.ts'
import { CREATED_AT, SETTLED_AT } from '../../http/examples.ts'
import { nullable } from '../../http/schemas.ts'
import { EXPECTED } from '../../http/validation.ts'

export type Permission = 'read' | 'trade'

/** What a key may do; each of them may read, so there is no list without `read` (perp-api 3). */
export const permissionsSchema = Type.Array(Type.Enum(['read', 'trade']), {
  uniqueItems: true,
  minItems: 1,
  contains: Type.Literal('read'),
  [EXPECTED]: '["read"] or ["read","trade"]',
  description: 'read, and trade for everything that is not a GET.',
})

export const labelSchema = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  [EXPECTED]: 'text of 1 to 200 characters',
  description: 'A name for people.',
})

export const apiKeySchema = Type.String({ minLength: 1, maxLength: 128, description: 'The API key.' })

export const accessOf = (permissions: readonly Permission[]): Access =>
  permissions.includes('trade') ? 'WRITABLE' : 'READ_ONLY'

const permissionsOf = (access: Access): Permission[] => (access === 'WRITABLE' ? ['read', 'trade'] : ['read'])

/** A key without its secret (perp-api 2A.0). */
export const keySchema = Type.Object({
  apiKey: Type.String(),
  label: Type.String(),
  permissions: Type.Array(Type.Enum(['read', 'trade'])),
  createdAt: Type.Integer({ description: 'Unix milliseconds.' }),
  lastUsedAt: nullable(
    Type.Integer({ description: 'Unix milliseconds, a few seconds late; null before the first use.' }),
  ),
})

export const EXAMPLE_KEY = '3f1c9a5e7b2d4860a1c3e5f708192a3b'

export const keyExample: Type.Static<typeof keySchema> = {
  apiKey: EXAMPLE_KEY,
  label: 'my bot',
  permissions: ['read', 'trade'],
  createdAt: CREATED_AT * 1000,
  lastUsedAt: SETTLED_AT * 1000,
}

export const keyView = ({
  apiKey,
  label,
  access,
  createdAt,
  lastUsedAt,
}: WalletKey): Type.Static<typeof keySchema> => ({
  apiKey,
  label,
  permissions: permissionsOf(access),
  createdAt: createdAt.getTime(),
  lastUsedAt: lastUsedAt?.getTime() ?? null,
})
