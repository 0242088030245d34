import type { TSchema } from 'typebox'
import { authReasons } from '../auth/reasons.ts'
import { delegationReasons } from '../delegation/reasons.ts'
import { COMMON_REASONS, commonMessages, EXAMPLE_REQUEST_ID } from '../http/common-reference.ts'
import { CREATED_AT } from '../http/examples.ts'
import { DEFAULT_RATE_LIMIT } from '../http/rate-limit.ts'
import type { JsonSchema, ProductReference, SigningHeader } from '../http/reference.ts'
import { STOCK_FAILURES } from './envelope.ts'
import { configSchema } from './listing/config-view.ts'
import { priceViewSchema, symbolSchema, underlyingSchema } from './listing/symbol-view.ts'
import { orderViewSchema } from './orders/orders.ts'
import { previewSchema } from './orders/preview-view.ts'
import { balanceSchema } from './portfolio/balance.ts'
import { cashOperationViewSchema } from './portfolio/cash.ts'
import { positionSchema } from './portfolio/positions.ts'
import { stockOperationViewSchema } from './portfolio/stock-operations.ts'
import { calldataSchema, mappingSchema } from './schemas.ts'

const DESCRIPTION = `Trade tokenized stocks against a cash balance held in an on-chain cashier.

Calldata operations build a transaction that your wallet signs and sends, and tx operations record its hash for your API
key. Send operations have the venue send it for the wallet that the key is bound to (One Click). The others read. Every answer is an
envelope with code, errMsg, data, uuid and t: judge by code, where 200 means success.

Every request is signed by the six x-api headers. x-api-sign is the hex HMAC-SHA256, under the API secret, of five lines
joined by a line feed: method, path from /api/v1 with the query sorted by name, x-api-ts, x-api-nonce, the exact body (empty when
there is none). Every failed authentication has the same answer, HTTP 400 with code 401.

What happens to orders and operations, and what the market does, is also pushed: by a WebSocket at GET /api/v1/stream, signed as
every GET without a body, and by webhooks (docs/streams.md; its messages are in /asyncapi.json).

One address may send 1,200 requests a minute; each answer says in its ratelimit headers how many are left.`

const GROUPS = [
  ['/api/v1/users', 'Portfolio'],
  ['/api/v1/orders', 'Orders'],
  ['/api/v1/sends', 'One Click'],
  ['/api/v1/cash', 'Cash'],
  ['/api/v1/stock', 'Stock'],
  ['/api/v1/session', 'Sessions'],
  ['/api/v1/1ct', 'One Click'],
  ['/api/v1', 'Market data'],
] as const

const schemas: Readonly<Record<string, TSchema>> = {
  MarketConfig: configSchema,
  Symbol: symbolSchema,
  Price: priceViewSchema,
  Underlying: underlyingSchema,
  Balance: balanceSchema,
  Calldata: calldataSchema,
  Mapping: mappingSchema,
  Order: orderViewSchema,
  CashOperation: cashOperationViewSchema,
  StockOperation: stockOperationViewSchema,
  Position: positionSchema,
  Preview: previewSchema,
}

/** The stock API's reference (stock-api 1): its headers, envelopes, failures and examples. */
export const stockReference = (chainId: number, productType: string): ProductReference => ({
  title: 'Tokenized-stock trading API',
  description: DESCRIPTION,
  headers: headers(chainId, productType),
  success: (data) => envelope({ type: 'integer', const: 200 }, { type: 'string', const: '' }, data),
  failure: (codes) =>
    envelope({ type: 'integer', enum: codes }, ERROR_MESSAGE, { anyOf: [{ type: 'null' }, { type: 'object' }] }),
  failures: STOCK_FAILURES,
  schemas,
  groups: GROUPS,
  reasons: COMMON_REASONS,
  keyReasons: { READ_ONLY: [authReasons.unauthenticated, authReasons.authentication_unavailable], WRITABLE: [] },
  toldWhen: [delegationReasons.sends_overloaded],
  messages: {
    unauthenticated: 'Unauthorized',
    ...commonMessages(DEFAULT_RATE_LIMIT.limit, 'this address'),
    authentication_unavailable: 'the request could not be checked just now; try again later',
  },
  fields: { uuid: EXAMPLE_REQUEST_ID, t: CREATED_AT * 1000, data: null },
})

const headers = (chainId: number, productType: string): readonly SigningHeader[] => [
  { name: 'x-api-key', description: 'The API key.' },
  { name: 'x-api-ts', description: 'Unix milliseconds, at most 45 s from UTC.' },
  {
    name: 'x-api-nonce',
    description: 'Unique for each request, a UUID; at most 128 visible ASCII characters without a comma.',
  },
  { name: 'x-api-sign', description: 'Hex HMAC-SHA256 over the five lines, in any case.' },
  {
    name: 'x-api-chain-id',
    description: `The chain's decimal id; this venue serves ${chainId}.`,
  },
  { name: 'x-api-p', description: `The product, exactly ${productType}, casing too.` },
]

const ERROR_MESSAGE: JsonSchema = { type: 'string', description: 'What is wrong and what would be right.' }

/** `{code, errMsg, data, uuid, t}` (stock-api 1.2). */
const envelope = (code: JsonSchema, errMsg: JsonSchema, data: JsonSchema): JsonSchema => ({
  type: 'object',
  required: ['code', 'errMsg', 'data', 'uuid', 't'],
  properties: {
    code,
    errMsg,
    data,
    uuid: { type: 'string', format: 'uuid', description: 'Request id, the same as in x-request-id.' },
    t: { type: 'integer', description: 'Wall clock of the venue, Unix milliseconds.' },
  },
})
