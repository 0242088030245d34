import Type from 'typebox'
import type { Auth } from '../../auth/auth.ts'
import { boundUser } from '../../auth/bound-user.ts'
import { authReasons } from '../../auth/reasons.ts'
import { findSessions } from '../../auth/session-store.ts'
import { endSession, openSession, SESSION_STATEMENT } from '../../auth/sessions.ts'
import type { WalletScope } from '../../auth/wallet-key-store.ts'
import type { Hex } from '../../chain/types.ts'
import { delegationReasons } from '../../delegation/reasons.ts'
import type { Caller } from '../../http/caller.ts'
import { CREATED_AT, WALLET } from '../../http/examples.ts'
import { isLoopback } from '../../http/ip-list.ts'
import { defineRoute, type Route } from '../../http/product.ts'
import { httpReasons } from '../../http/reasons.ts'
import { addressSchema } from '../../http/schemas.ts'
import { EXPECTED } from '../../http/validation.ts'
import { AppError } from '../../lib/errors.ts'
import { readMessage } from '../access/sign-in.ts'
import type { StockContext } from '../context.ts'
import { stockReasons } from '../reasons.ts'

/** What the operations on sessions work with. */
interface SessionContext extends Pick<StockContext, 'venue' | 'chainId' | 'productType'> {
  readonly auth: Pick<Auth, 'masterKeys' | 'keys'>
  readonly sessionMs: number
}

const EXAMPLE_KEY = '3f1c9a5e7b2d4860a1c3e5f708192a3b'
const DAY_SEC = 86_400
const apiKeySchema = Type.String({ pattern: '^[0-9a-f]{32}$', description: "The session's API key." })
const timeSchema = (description: string) => Type.Integer({ description: `Unix seconds; ${description}` })
const endedSchema = Type.Object({ apiKey: apiKeySchema })
const endedExample = { apiKey: EXAMPLE_KEY }

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
  createdAt: timeSchema('when it was opened.'),
  expiresAt: timeSchema('when it ends.'),
})

const sessionSchema = Type.Object({
  apiKey: apiKeySchema,
  createdAt: timeSchema('when it was opened.'),
  expiresAt: timeSchema('when it ends.'),
  addresses: Type.Array(Type.String(), { description: 'The client addresses that it works from.' }),
  current: Type.Boolean({ description: 'True for the session that asks.' }),
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

/** Sessions: keys by a wallet's signature, for pages in browsers. */
export const sessionRoutes = (context: SessionContext): readonly Route[] => [
  postSession(context),
  deleteSession(context),
  getSessions(context),
  deleteOtherSession(context),
]

const postSession = (context: SessionContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/session',
    summary: 'Open a session for the wallet that signs for it',
    description: `No API key is needed. The wallet signs a text of EIP-4361 as a personal message; its domain and URI are those of the page, its statement is "${SESSION_STATEMENT}" and it has an Expiration Time and nothing optional beside. The session ends then, or earlier where the venue bounds it. It is an API key that may write, works from the caller's address only, and shares its records with all sessions of the wallet. A page of another site is refused.`,
    access: 'WALLET',
    ownOrigin: true,
    schema: { body: signInSchema, data: openedSchema },
    reasons: [
      stockReasons.session_message_invalid,
      stockReasons.session_signature_invalid,
      authReasons.wallet_nonce_used,
      authReasons.wallet_keys_exhausted,
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

const getSessions = (context: SessionContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/sessions',
    summary: 'The open sessions of the wallet, without secrets',
    access: 'READ_ONLY',
    schema: { data: Type.Array(sessionSchema) },
    reasons: [authReasons.key_not_bound],
    examples: {
      data: [
        {
          apiKey: EXAMPLE_KEY,
          createdAt: CREATED_AT,
          expiresAt: CREATED_AT + DAY_SEC,
          addresses: ['203.0.113.7'],
          current: true,
        },
      ],
    },
    async handler({ caller }) {
      const sessions = await findSessions(context.venue.sql, scopeOf(context, caller))
      return sessions.map((session) => ({
        apiKey: session.apiKey,
        ...timesOf(session),
        addresses: session.addresses,
        current: session.apiKey === caller.sessionKey,
      }))
    },
  })

const deleteSession = (context: SessionContext) =>
  defineRoute({
    method: 'DELETE',
    path: '/api/v1/session',
    summary: 'End the session that asks',
    description: 'This answer is its last. A key that is no session is ended by whoever made it.',
    access: 'WRITABLE',
    schema: { data: endedSchema },
    reasons: [authReasons.session_unknown],
    examples: { data: endedExample },
    async handler({ caller }) {
      if (caller.sessionKey === undefined) {
        throw new AppError(authReasons.session_unknown, 'this API key is no session: whoever made it ends it')
      }
      return await end(context, caller, caller.sessionKey)
    },
  })

const deleteOtherSession = (context: SessionContext) =>
  defineRoute({
    method: 'DELETE',
    path: '/api/v1/sessions/:apiKey',
    summary: 'End a session of the wallet for good',
    access: 'WRITABLE',
    schema: { params: Type.Object({ apiKey: apiKeySchema }), data: endedSchema },
    reasons: [authReasons.key_not_bound, authReasons.session_unknown],
    examples: { params: endedExample, data: endedExample },
    handler: ({ caller, params: { apiKey } }) => end(context, caller, apiKey),
  })

async function end(context: SessionContext, caller: Caller, apiKey: string): Promise<{ apiKey: string }> {
  const { venue, auth } = context
  await endSession(venue.sql, scopeOf(context, caller), apiKey)
  await auth.keys.learn()
  return { apiKey }
}

const walletScope = ({ chainId, productType }: SessionContext, wallet: Hex): WalletScope => ({
  chainId,
  productType,
  wallet,
})

const scopeOf = (context: SessionContext, caller: Caller): WalletScope => walletScope(context, boundUser(caller))

/** A page of this machine may come by either of its addresses. */
const addressesOf = (clientIp: string): readonly string[] =>
  isLoopback(clientIp) ? [...new Set([clientIp, '127.0.0.1', '::1'])] : [clientIp]

const seconds = (date: Date): number => Math.floor(date.getTime() / 1000)

const timesOf = ({ createdAt, expiresAt }: { readonly createdAt: Date; readonly expiresAt: Date }) => ({
  createdAt: seconds(createdAt),
  expiresAt: seconds(expiresAt),
})
