import Type, { type TSchema } from 'typebox'
import { EXPECTED } from '../http/validation.ts'

// Pieces of the wire's schemas that several operations use. Sources: stock-api 1.9, 2.0 to 2.4.

export const addressSchema = (description: string) =>
  Type.String({ pattern: '^0x[0-9a-fA-F]{40}$', [EXPECTED]: 'an address: 0x and 40 hex digits', description })

export const hashSchema = (what: string) =>
  Type.String({ pattern: '^0x[0-9a-fA-F]{64}$', [EXPECTED]: `${what}: 0x and 64 hex digits` })

/** An amount in human units: a decimal string (recommended) or a JSON number, read exactly by `parseAmount`. */
export const amountSchema = (description: string) =>
  Type.Unsafe<string | number>(
    Type.Union([Type.String(), Type.Number()], { [EXPECTED]: 'a decimal number such as "10.5"', description }),
  )

export const deadlineSchema = Type.Integer({
  minimum: 0,
  [EXPECTED]: 'a Unix time in seconds',
  description: 'Unix seconds, in the future, at most 4294967295. Bounds the inclusion on chain.',
})

/** One-based pages; anything below 1 means the default, a limit above 100 means 100 (stock-api 1.4). */
export const pageQuerySchema = Type.Object({
  page: Type.Optional(Type.Integer({ description: 'Page, from 1.' })),
  limit: Type.Optional(Type.Integer({ description: 'Rows a page: 10 unless given, 100 at most.' })),
})

/** The own name that a client may give an order it sends. */
export const clientOrderProperties = {
  clientOrderId: Type.Optional(
    Type.String({
      pattern: '^[\\x21-\\x7e]{1,128}$',
      [EXPECTED]: '1 to 128 visible ASCII characters',
      description: 'Your own name for the order, unique for the API key; GET /orders?clientOrderId= finds it.',
    }),
  ),
}

const DEFAULT_LIMIT = 10
const MAX_LIMIT = 100
/** Deeper pages cost the database more than anyone reads; the oldest rows of a longer list come by filters. */
const MAX_OFFSET = 10_000_000

/** The rows a page query asks for. */
export function pageOf(query: { readonly page?: number; readonly limit?: number }): { limit: number; offset: number } {
  const limit = query.limit === undefined || query.limit < 1 ? DEFAULT_LIMIT : Math.min(query.limit, MAX_LIMIT)
  const page = query.page === undefined || query.page < 1 ? 1 : query.page
  return { limit, offset: Math.min((page - 1) * limit, MAX_OFFSET) }
}

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

export const pagedSchema = <T extends TSchema>(row: T) =>
  Type.Object({ total: Type.Integer({ description: 'All matching records.' }), rows: Type.Array(row) })

export const calldataSchema = Type.Object({
  chainId: Type.Integer(),
  productType: Type.String(),
  toAddress: Type.String({ description: 'The StockRouter.' }),
  value: Type.String({ description: 'Native coin to send along, in wei.' }),
  callData: Type.String(),
  method: Type.String({ description: 'The StockRouter function that the calldata calls.' }),
})

export const mappingSchema = Type.Object({
  id: Type.String(),
  chainId: Type.Integer(),
  productType: Type.String(),
  userAddress: nullable(Type.String()),
  operationType: Type.Enum(['trade', 'deposit', 'withdraw']),
  txHash: nullable(Type.String({ description: 'Null only for a send of which no transaction is signed yet.' })),
  clientOrderId: nullable(Type.String({ description: 'The own name that an order was sent with.' })),
  orderId: nullable(Type.String()),
  operationId: nullable(Type.String()),
  status: Type.Enum(['pending', 'confirmed', 'failed']),
  createdAt: Type.Integer({ description: 'Unix seconds.' }),
  updatedAt: Type.Integer({ description: 'Unix seconds.' }),
})
