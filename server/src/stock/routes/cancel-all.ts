import Type from 'typebox'
import type { Hex } from '../../chain/types.ts'
import { SEND_REASONS, sendProperties } from '../../delegation/send.ts'
import type { Caller } from '../../http/caller.ts'
import { defineRoute } from '../../http/product.ts'
import { nullable } from '../../http/schemas.ts'
import { AppError } from '../../lib/errors.ts'
import type { StockContext } from '../context.ts'
import { ORDER_ID } from '../examples.ts'
import { listCancelable } from '../orders/order-filter-store.ts'
import { stockReasons } from '../reasons.ts'
import { answerCalldata, calldataExample } from '../recording/calldata-answer.ts'
import { mappingScope } from '../recording/claim-types.ts'
import { calldataSchema } from '../schemas.ts'
import { sendExample, sendForUser, sendSchema } from '../sending/send.ts'
import { buildCancel, CANCEL_REASONS } from './cancel-calldata.ts'
import { symbolFilter, tokenOf } from './orders.ts'

/** Orders that one request cancels, the oldest. */
const MAX_ORDERS = 50

const failure = nullable(
  Type.Object({ reason: Type.String(), message: Type.String() }, { description: 'Why this order was left out.' }),
)
const query = { symbol: symbolFilter }
const DESCRIPTION = `Of the calling key’s open limit orders the oldest ${MAX_ORDERS}; ask again until there are none. Each order is one of its own: what keeps one of them out is its failure, and the others go on.`
const REASONS = [stockReasons.symbol_unknown, stockReasons.not_indexed_yet] as const

/** DELETE /orders/calldata: transactions that ask for the cancel of every open limit order. The router cancels one at a time. */
export const deleteOrdersCalldata = (context: StockContext) =>
  defineRoute({
    method: 'DELETE',
    path: '/api/v1/orders/calldata',
    summary: 'Calldata for the cancel of every open limit order',
    access: 'WRITABLE',
    schema: {
      query: Type.Object(query),
      data: Type.Array(Type.Object({ orderId: Type.String(), calldata: nullable(calldataSchema), failure })),
    },
    description: DESCRIPTION,
    reasons: REASONS,
    examples: {
      query: { symbol: 'AAPL' },
      data: [
        { orderId: ORDER_ID, calldata: calldataExample(context, 'cancelLimitOrder', '0x4584eff6'), failure: null },
      ],
    },
    handler: async ({ query: { symbol }, caller }) =>
      Promise.all(
        (await openOrders(context, caller, symbol)).map(async (orderId) => {
          const built = await outcome(async () =>
            answerCalldata(context, caller, await buildCancel(context, caller, orderId)),
          )
          return { orderId, calldata: built.value, failure: built.failure }
        }),
      ),
  })

/** DELETE /orders/send: asks for the cancel of every open limit order by One Click. */
export const deleteOrdersSend = (context: StockContext) =>
  defineRoute({
    method: 'DELETE',
    path: '/api/v1/orders/send',
    summary: 'One Click cancel of every open limit order',
    access: 'WRITABLE',
    schema: {
      query: Type.Object({ ...query, ...sendProperties }),
      data: Type.Array(Type.Object({ orderId: Type.String(), send: nullable(sendSchema), failure })),
    },
    description: `${DESCRIPTION} A repeat sends nothing twice: a cancel that is under way keeps out a second. gasLimit is that of each transaction. An Idempotency-Key is not needed and does not apply.`,
    reasons: REASONS,
    examples: {
      query: { symbol: 'AAPL', gasLimit: 500_000 },
      data: [{ orderId: ORDER_ID, send: sendExample(context, 'trade'), failure: null }],
    },
    handler: async ({ query: { symbol, ...fields }, caller }) =>
      Promise.all(
        (await openOrders(context, caller, symbol)).map(async (orderId) => {
          const build = async () => ({ calldata: await buildCancel(context, caller, orderId), spending: null })
          const sent = await outcome(() => sendForUser(context, { caller }, fields, build))
          return { orderId, send: sent.value, failure: sent.failure }
        }),
      ),
  })

const openOrders = async (context: StockContext, caller: Caller, symbol: string | undefined): Promise<Hex[]> =>
  listCancelable(context.venue.sql, mappingScope(context, caller, 'trade'), {
    token: await tokenOf(context, symbol),
    limit: MAX_ORDERS,
  })

/** Failures of one order that leave the others alone; any other ends the request. */
const OWN_FAILURES: ReadonlySet<string> = new Set([...CANCEL_REASONS, ...SEND_REASONS].map(({ name }) => name))

async function outcome<T>(work: () => Promise<T>) {
  try {
    return { value: await work(), failure: null }
  } catch (error) {
    if (!(error instanceof AppError) || !OWN_FAILURES.has(error.reason.name)) throw error
    return { value: null, failure: { reason: error.reason.name, message: error.message } }
  }
}
