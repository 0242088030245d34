import Type from 'typebox'
import type { Hex } from '../../chain/types.ts'
import { SEND_REASONS } from '../../delegation/send.ts'
import type { Caller } from '../../http/caller.ts'
import { nullable } from '../../http/schemas.ts'
import { AppError } from '../../lib/errors.ts'
import type { StockContext } from '../context.ts'
import { listCancelable } from '../orders/order-filter-store.ts'
import { stockReasons } from '../reasons.ts'
import { mappingScope } from '../recording/claim-types.ts'
import { CANCEL_REASONS } from './cancel-calldata.ts'
import { symbolFilter, tokenOf } from './orders.ts'

// What the cancels of every open limit order have in common, as calldata and by One Click.

/** Orders that one request cancels, the oldest. */
const MAX_ORDERS = 50

export const cancelAllProperties = { symbol: symbolFilter }
export const failureSchema = nullable(
  Type.Object({ reason: Type.String(), message: Type.String() }, { description: 'Why this order was left out.' }),
)
export const CANCEL_ALL_DESCRIPTION = `Of the calling key’s open limit orders the oldest ${MAX_ORDERS}; ask again until there are none. Each order is one of its own: what keeps one of them out is its failure, and the others go on.`
export const CANCEL_ALL_REASONS = [stockReasons.symbol_unknown, stockReasons.not_indexed_yet] as const

/** Does the work for each of the caller's open limit orders, and says what came of each. Throws `CANCEL_ALL_REASONS`. */
export async function cancelEach<T>(
  context: StockContext,
  caller: Caller,
  symbol: string | undefined,
  work: (orderId: Hex) => Promise<T>,
) {
  const orderIds = await listCancelable(context.venue.sql, mappingScope(context, caller, 'trade'), {
    token: await tokenOf(context, symbol),
    limit: MAX_ORDERS,
  })
  return Promise.all(orderIds.map((orderId) => outcome(orderId, work)))
}

/** Failures of one order that leave the others alone; any other ends the request. */
const OWN_FAILURES: ReadonlySet<string> = new Set([...CANCEL_REASONS, ...SEND_REASONS].map(({ name }) => name))

async function outcome<T>(orderId: Hex, work: (orderId: Hex) => Promise<T>) {
  try {
    return { orderId, value: await work(orderId), failure: null }
  } catch (error) {
    if (!(error instanceof AppError) || !OWN_FAILURES.has(error.reason.name)) throw error
    return { orderId, value: null, failure: { reason: error.reason.name, message: error.message } }
  }
}
