import Type from 'typebox'
import { authReasons } from '../../../auth/reasons.ts'
import { openSession, SESSION_STATEMENT } from '../../../auth/sessions.ts'
import { delegationReasons } from '../../../delegation/reasons.ts'
import { CREATED_AT, WALLET } from '../../../http/examples.ts'
import { isLoopback } from '../../../http/ip-list.ts'
import { defineRoute } from '../../../http/product.ts'
import { httpReasons } from '../../../http/reasons.ts'
import { addressSchema } from '../../../http/schemas.ts'
import { EXPECTED } from '../../../http/validation.ts'
import { readMessage } from '../../access/sign-in.ts'
import { stockReasons } from '../../reasons.ts'
import { type SessionContext, walletScope } from './session-context.ts'
import { apiKeySchema, DAY_SEC, EXAMPLE_KEY, timeProperties, timesOf } from './session-fields.ts'

const signInSchema = Type.Object({
  message: Type.String({ minLength: 1, maxLength: 4096, description: 'The signed text (EIP-4361).' }),
  signature: Type.String({
    pattern: '^0x([0-9a-fA-F]{2}){1,4096}$',
    [EXPECTED]: 'a signature: 0x and 130 hex digits',
    description: 'Over the text as a personal message, 65 bytes; of a contract wallet what it accepts by ERC-1271.',
  }),
})

const openedSchema = Type.Object({
  apiKey: apiKeySchema,
  apiSecret: Type.String({ description: 'Shown here and nowhere else.' }),
  userAddress: addressSchema('The wallet, lower-case.'),
  access: Type.Enum(['WRITABLE']),
  ...timeProperties,
})

const messageExample = (chainId: number): string =>
  `trade.example wants you to sign in with your Ethereum account:
0x000000000000000000000000000000000000dEaD

${SESSION_STATEMENT}

URI: https://trade.example
Version: 1
Chain ID: ${chainId}
Nonce: d3b07384d9a04e9bb6a8c8e5a2f1c7e0
Issued At: 2025-11-24T16:00:00.000Z
Expiration Time: 2025-11-25T16:00:00.000Z`

/** POST /session: a key by a wallet's signature, for a page in a browser. */
export const postSession = (context: SessionContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/session',
    summary: 'Open a session for the wallet that signs for it',
    description: `No API key is needed. The wallet signs a text of EIP-4361 as a personal message; its domain and URI are those of the page, its statement is "${SESSION_STATEMENT}" and it has an Expiration Time and nothing optional beside. The session ends then, or earlier where the venue bounds it. It is an API key that may write, works from the caller's address only, and shares its records with all sessions of the wallet. A wallet has 20 at most: one more ends its oldest. A page of another site is refused.`,
    access: 'WALLET',
    ownOrigin: true,
    schema: { body: signInSchema, data: openedSchema },
    reasons: [
      stockReasons.session_message_invalid,
      stockReasons.session_signature_invalid,
      authReasons.wallet_nonce_used,
      httpReasons.origin_refused,
      delegationReasons.chain_not_answering,
    ],
    examples: {
      bodies: { request: { message: messageExample(context.chainId), signature: `0x${'5a'.repeat(64)}1b` } },
      data: {
        apiKey: EXAMPLE_KEY,
        apiSecret: '9c'.repeat(32),
        userAddress: WALLET,
        access: 'WRITABLE',
        createdAt: CREATED_AT,
        expiresAt: CREATED_AT + DAY_SEC,
      },
    },
    async handler({ caller: { wallet, clientIp }, body: { message } }) {
      const { venue, auth, sessionMs } = context
      const fields = readMessage(message)
      if (!fields) throw new Error('a message that was judged cannot be read')
      const latestMs = venue.clock.nowMs() + sessionMs
      const expiresAt = new Date(Math.min(fields.expirationTime.getTime(), latestMs))
      const asked = { nonce: fields.nonce, expiresAt, addresses: addressesOf(clientIp) }
      const session = await openSession(venue.sql, auth.masterKeys, walletScope(context, wallet), asked)
      await auth.keys.learn()
      const { apiKey, apiSecret } = session
      return { apiKey, apiSecret, userAddress: wallet, access: 'WRITABLE', ...timesOf(session) }
    },
  })

/** A page of this machine may come by either of its addresses. */
const addressesOf = (clientIp: string): readonly string[] =>
  isLoopback(clientIp) ? [...new Set([clientIp, '127.0.0.1', '::1'])] : [clientIp]
