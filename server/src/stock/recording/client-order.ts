import type { Db } from '../../db/pool.ts'
import { AppError } from '../../lib/errors.ts'
import { stockReasons } from '../reasons.ts'
import { findClientOrder } from './claim-store.ts'

/** A client's own name for an order; undefined when it gave none. */
export interface NamedOrder {
  readonly chainId: number
  readonly apiKeyId: string
  readonly clientOrderId: string | undefined
}

/** Throws `client_order_id_taken` when the key has an order of that name. */
export async function requireFreeClientOrderId(
  db: Db,
  { chainId, apiKeyId, clientOrderId }: NamedOrder,
): Promise<void> {
  if (clientOrderId === undefined) return
  if ((await findClientOrder(db, chainId, apiKeyId, clientOrderId)) !== null) throw takenClientOrderId(clientOrderId)
}

/** Two requests at once may both find a name free; the database lets one of them have it. Others' errors stay as they are. */
export const namedClientOrderId = (error: unknown, clientOrderId: string | undefined): unknown =>
  error instanceof Error && 'constraint_name' in error && error.constraint_name === 'stock_claims_by_client_order'
    ? takenClientOrderId(clientOrderId)
    : error

const takenClientOrderId = (clientOrderId: string | undefined) =>
  new AppError(
    stockReasons.client_order_id_taken,
    `this API key has an order with clientOrderId ${clientOrderId} already: GET /api/v1/orders?clientOrderId= finds it`,
    { detail: { field: 'clientOrderId' } },
  )
