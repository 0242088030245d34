import { authReasons } from '../auth/reasons.ts'
import { delegationReasons } from '../delegation/reasons.ts'
import { COMMON_REASONS, commonMessages, EXAMPLE_REQUEST_ID } from '../http/common-reference.ts'
import { WALLET } from '../http/examples.ts'
import { httpReasons } from '../http/reasons.ts'
import type { JsonSchema, ProductReference, SigningHeader } from '../http/reference.ts'
import { PAIR_EXAMPLE } from './client/query.ts'
import { PERP_CODES, PERP_FAILURES } from './envelope.ts'
import { instrumentSchema } from './listing/instrument-view.ts'
import { fullInstrumentSchema } from './market-data/instrument-full-schema.ts'
import { KEY_RATE_LIMIT } from './rate-limit.ts'
import { perpReasons } from './reasons.ts'
import { ordersSendSchema, sendSchema } from './sending/send.ts'
import { storedSendSchema } from './sending/stored-send.ts'

const DESCRIPTION = `Trade perpetual futures.

Every answer is an envelope with code, msg, data and requestId: judge by code, where 0 means success. Where data comes from the
chain, blockInfo says of which block.

Every request is signed. X-Api-Sign is the base64 HMAC-SHA256, under the API secret, of X-Api-Ts, the method, the path with the query sorted by
name, and the body, joined without anything between; a JSON body counts as it is sent, or without spaces and with its keys sorted, those of
every object or those of the outermost alone. Every failed authentication has the same answer, HTTP 401 with code 40101. A key without the
permission trade may only read.

Below /v4/public/mm/ a request may be signed by the older X-ACCESS- headers instead. Reads below /v4/public/market/, /v4/public/portfolio, /v4/public/history/
and /v4/public/token/ need no key; they are limited by address. The WebSocket /v4/public/ws tells what changes, to everybody (docs/perp-streams.md; its messages are in
/asyncapi/perp.json).

Use HTTPS: plain HTTP is answered on the venue's own machine only.

One API key may send ${KEY_RATE_LIMIT.limit} requests a minute; each answer says in its ratelimit headers how many are left.`

const GROUPS = [
  ['/v4/public/trader/market', 'Market data'],
  ['/v4/public/trader/api-key', 'API keys'],
  ['/v4/public/trader/1ct', 'One Click'],
  ['/v4/public/trader/approve', 'Approvals'],
  ['/v4/public/trader/account', 'Account'],
  ['/v4/public/trader/order', 'Trading'],
  ['/v4/public/trader/send', 'Trading'],
  ['/v4/public/trader/position', 'Positions'],
  ['/v4/public/trader/liquidity', 'Liquidity'],
  ['/v4/public/trader/execution', 'Executions'],
  ['/v4/public/mm', 'Older names'],
  ['/v4/public/portfolio', 'Reads without a key'],
  ['/v4/public/history', 'Reads without a key'],
  ['/v4/public/market', 'Reads without a key'],
  ['/v4/public/token', 'Reads without a key'],
] as const

/** The perpetual API's reference (perp-api 1): its headers, envelopes, failures and examples. */
export const perpReference = (chainId: number): ProductReference => ({
  title: 'Perpetual futures trading API',
  description: DESCRIPTION,
  headers: headers(chainId),
  success: (data) => envelope({ type: 'integer', const: 0 }, { type: 'string', const: '' }, data, [BLOCK_INFO]),
  failure: (codes) =>
    envelope({ type: 'integer', enum: codes }, ERROR_MESSAGE, { type: 'object', additionalProperties: false }),
  failures: PERP_FAILURES,
  ownFailures: PERP_CODES,
  schemas: {
    Instrument: instrumentSchema,
    FullInstrument: fullInstrumentSchema,
    Send: sendSchema,
    OrdersSend: ordersSendSchema,
    StoredSend: storedSendSchema,
  },
  groups: GROUPS,
  reasons: [httpReasons.https_required, ...COMMON_REASONS],
  keyReasons: {
    READ_ONLY: [authReasons.unauthenticated, authReasons.authentication_unavailable],
    // There is no nonce: a write that comes again has its first answer, or one of these where that is lost or another one's.
    WRITABLE: [perpReasons.permission_missing, httpReasons.first_answer_unknown, httpReasons.signature_used],
  },
  toldWhen: [delegationReasons.sends_overloaded, perpReasons.reduction_under_way],
  parameters: {
    ...PAIR_EXAMPLE,
    instrumentAddress: PAIR_EXAMPLE.instrument,
    symbol: 'BTC/USDC',
    address: WALLET,
    userAddress: WALLET,
    start: 1_789_900_000,
    end: 1_789_990_000,
    startTime: 1_789_900_000,
    endTime: 1_789_990_000,
  },
  messages: {
    unauthenticated: 'Unauthorized',
    https_required: 'use HTTPS: plain HTTP is served on loopback only',
    ...commonMessages(KEY_RATE_LIMIT.limit, 'this API key'),
    authentication_unavailable: 'the request could not be checked just now; try again later',
  },
  fields: { requestId: EXAMPLE_REQUEST_ID, data: {}, msg: '' },
})

const headers = (chainId: number): readonly SigningHeader[] => [
  { name: 'x-api-key', description: 'The API key.' },
  { name: 'x-api-ts', description: 'Unix milliseconds, at most 30 s from UTC.' },
  { name: 'x-api-sign', description: 'Base64 HMAC-SHA256 over timestamp, method, path with sorted query, and body.' },
  { name: 'x-chain-id', description: `The chain's decimal id; this venue serves ${chainId}.` },
]

const ERROR_MESSAGE: JsonSchema = { type: 'string', description: 'What is wrong and what would be right.' }

const BLOCK_INFO: readonly [string, JsonSchema] = [
  'blockInfo',
  {
    type: 'object',
    description: 'The block that data describes, where it comes from the chain.',
    required: ['height', 'timestamp'],
    properties: { height: { type: 'integer' }, timestamp: { type: 'integer', description: 'Unix seconds.' } },
  },
]

/** `{code, msg, data, requestId}` (perp-api 1.2). */
const envelope = (
  code: JsonSchema,
  msg: JsonSchema,
  data: JsonSchema,
  more: readonly (readonly [string, JsonSchema])[] = [],
): JsonSchema => ({
  type: 'object',
  required: ['code', 'msg', 'data', 'requestId'],
  properties: {
    code,
    msg,
    data,
    requestId: { type: 'string', format: 'uuid', description: 'Request id, the same as in x-request-id.' },
    ...Object.fromEntries(more),
  },
})
