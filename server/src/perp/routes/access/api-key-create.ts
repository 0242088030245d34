import Type from 'typebox'
import { HmacSha256 } from '../../../auth/hmac.ts'
import { authReasons } from '../../../auth/reasons.ts'
import { issueWalletKey } from '../../../auth/wallet-keys.ts'
import { delegationReasons } from '../../../delegation/reasons.ts'
import { WALLET } from '../../../http/examples.ts'
import { defineRoute } from '../../../http/product.ts'
import { httpReasons } from '../../../http/reasons.ts'
import { addressSchema } from '../../../http/schemas.ts'
import { EXPECTED } from '../../../http/validation.ts'
import { accessOf, keyExample, keySchema, keyView, labelSchema, permissionsSchema } from '../../access/key-view.ts'
import { passphraseOf } from '../../access/passphrase.ts'
import { type KeyContext, scopeOf } from '../../access/wallet-scope.ts'
import { perpReasons } from '../../reasons.ts'

/** A contract wallet's signature may be longer than an account's, but not without bounds. */
const MAX_SIGNATURE_BYTES = 4096
const DEFAULT_LABEL = 'API key'

// No character of a nonce may end its line: the signed text would read as another one.
const nonceSchema = Type.Union([Type.String({ pattern: '^[A-Za-z0-9._:-]{1,128}$' }), Type.Integer({ minimum: 0 })], {
  [EXPECTED]: 'a number, or 1 to 128 of the characters A-Z a-z 0-9 . _ : -',
  description: 'Chosen by the client, each only once for a wallet; as it stands in the signed text.',
})

const timestampSchema = Type.Union(
  [Type.String({ pattern: '^[1-9]\\d{12}$' }), Type.Integer({ minimum: 1e12, exclusiveMaximum: 1e13 })],
  {
    [EXPECTED]: 'a Unix time in milliseconds, 13 digits',
    description: 'Unix milliseconds, at most 5 minutes from the venue’s clock; as it stands in the signed text.',
  },
)

const bodySchema = Type.Object({
  chainID: Type.Integer({ minimum: 1, description: 'The chain’s id.' }),
  address: addressSchema('The wallet; it stands in the signed text in lower case.'),
  nonce: nonceSchema,
  timestamp: timestampSchema,
  signature: Type.String({
    pattern: `^0x([0-9a-fA-F]{2}){1,${MAX_SIGNATURE_BYTES}}$`,
    [EXPECTED]: 'a signature: 0x and 130 hex digits',
    description: 'Over the text, 65 bytes; of a contract wallet what it accepts by ERC-1271.',
  }),
  label: Type.Optional(labelSchema),
  permissions: Type.Optional(permissionsSchema),
})

const { lastUsedAt: _never, ...issuedProperties } = keySchema.properties
const issuedSchema = Type.Object({
  ...issuedProperties,
  apiSecret: Type.String({ description: 'Shown here and nowhere else.' }),
  expiresAt: Type.Optional(
    Type.Integer({
      description: 'When a key that a page in a browser made ends, Unix milliseconds; absent for every other.',
    }),
  ),
  passphrase: Type.String({ description: 'For the header X-ACCESS-PASSPHRASE below /v4/public/mm/.' }),
})

/** POST api-key/create (perp-api 3): a key by a wallet's signature, the way to the first one. */
export const postApiKeyCreate = (context: KeyContext) =>
  defineRoute({
    method: 'POST',
    path: '/v4/public/trader/api-key/create',
    summary: 'An API key for the wallet that signs for it',
    description: `No API key is needed. The wallet signs this text as a personal message (EIP-191), its lines separated by one newline and none at its end:

Chain ID: {chainID}
Wallet Address: {address, lower-case}
Nonce: {nonce}
Timestamp: {timestamp}
Sign this message to authenticate with {brand} API.

The brand is the venue's own, or another one that its operator has listed. The secret is shown once. A key works at once in the process that made it, and within a moment in all others. A key that a page in a browser makes ends after the venue’s time for sessions; a page of another site is refused.`,
    access: 'WALLET',
    ownOrigin: true,
    schema: { body: bodySchema, data: issuedSchema },
    reasons: [
      perpReasons.wallet_signature_invalid,
      perpReasons.wallet_timestamp_outside_window,
      perpReasons.chain_id_differs,
      authReasons.wallet_nonce_used,
      authReasons.wallet_keys_exhausted,
      httpReasons.origin_refused,
      delegationReasons.chain_not_answering,
    ],
    examples: {
      bodies: {
        request: {
          chainID: context.chainId,
          address: WALLET,
          nonce: 'd3b07384d9a04e9bb6a8c8e5a2f1c7e0',
          timestamp: 1_764_000_000_000,
          signature: `0x${'5a'.repeat(64)}1b`,
          label: keyExample.label,
          permissions: keyExample.permissions,
        },
      },
      data: issuedExample(),
    },
    async handler({ caller, body }) {
      const { nonce, label = DEFAULT_LABEL, permissions = ['read', 'trade'] } = body
      const { venue, auth } = context
      const expiresAt = caller.isBrowser ? new Date(venue.clock.nowMs() + context.sessionMs) : null
      const asked = { nonce: String(nonce), label, access: accessOf(permissions), expiresAt }
      const issued = await issueWalletKey(venue.sql, auth.masterKeys, scopeOf(context, caller.wallet), asked)
      await auth.keys.learn()
      const { lastUsedAt: _none, ...view } = keyView(issued)
      const { apiSecret } = issued
      const ends = expiresAt === null ? {} : { expiresAt: expiresAt.getTime() }
      return { ...view, ...ends, apiSecret, passphrase: passphraseOf(new HmacSha256(apiSecret)) }
    },
  })

function issuedExample(): Type.Static<typeof issuedSchema> {
  const { lastUsedAt: _none, ...row } = keyExample
  return { ...row, apiSecret: '9c'.repeat(32), passphrase: '4e'.repeat(16) }
}
