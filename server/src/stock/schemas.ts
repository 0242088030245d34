import Type from 'typebox'
import { CREATED_AT } from '../http/examples.ts'
import { nullable, paging, unixSecondsSchema } from '../http/schemas.ts'
import { EXPECTED } from '../http/validation.ts'

// Pieces of the wire's schemas that several operations use. Sources: stock-api 1.9, 2.0 to 2.4.

export const deadlineSchema = unixSecondsSchema(
  'Unix seconds, in the future, at most 4294967295. Bounds the inclusion on chain.',
)

/** Pages of the stock API (stock-api 1.4). */
export const { pageQuerySchema, pageOf } = paging({ defaultLimit: 10, maxLimit: 100, maxOffset: 10_000_000 })

/** A client's own name for an order that it sends. */
export const clientOrderProperties = {
  clientOrderId: Type.Optional(
    Type.String({
      pattern: '^[\\x21-\\x7e]{1,128}$',
      [EXPECTED]: '1 to 128 visible ASCII characters',
      description: 'Your own name for the order, unique for the API key; GET /orders?clientOrderId= finds it.',
    }),
  ),
}

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
  status: Type.Enum(['pending', 'confirmed', 'failed', 'expired'], {
    description:
      'expired: the chain has not shown the hash within 24 hours of its record. What is mined later counts all the same.',
  }),
  statusReason: nullable(
    Type.String({ description: 'Why it has failed or expired: the revert, or who has the operation.' }),
  ),
  createdAt: Type.Integer({ description: 'Unix seconds.' }),
  updatedAt: Type.Integer({ description: 'Unix seconds.' }),
})

/** A bar of a symbol's token (stock-api 2.1). */
export const barSchema = Type.Object({
  open: Type.Number({ description: 'USD per token.' }),
  high: Type.Number(),
  low: Type.Number(),
  close: Type.Number(),
  volume: nullable(Type.Number({ description: 'Stock tokens; null where the record has none.' })),
  timestamp: Type.Integer({
    description: 'Unix second at which the bar begins; of days and weeks midnight in New York.',
  }),
})

export const barExample: Type.Static<typeof barSchema> = {
  open: 179.8,
  high: 181.2,
  low: 179.1,
  close: 180.5,
  volume: 12_500,
  timestamp: CREATED_AT,
}
