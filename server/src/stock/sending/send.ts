import Type from 'typebox'
import type { Hex } from '../../chain/types.ts'
import type { Sql } from '../../db/pool.ts'
import type { AnswerSource } from '../../delegation/first-answer.ts'
import { failureMessageSchema, type SendFields, UserSends } from '../../delegation/send.ts'
import type { SendDesk } from '../../delegation/send-desk.ts'
import type { Guard } from '../../delegation/send-group.ts'
import type { Spending } from '../../delegation/submit.ts'
import type { RouteRequest, Venue } from '../../http/product.ts'
import { nullable } from '../../http/schemas.ts'
import { newId } from '../../lib/ids.ts'
import type { Calldata } from '../calldata/calldata.ts'
import type { StockContext } from '../context.ts'
import { cancelUnderWay } from '../recording/cancels.ts'
import {
  claimsUnderWay,
  insertSentClaims,
  lockCancels,
  pendingCancels,
  type SentClaims,
} from '../recording/claim-store.ts'
import { CLAIMS_OF_METHOD, cancelled } from '../recording/claims.ts'
import { namedClientOrderId, requireFreeClientOrderId } from '../recording/client-order.ts'
import { mappingExample, mappingStatus, mappingView, statusReason } from '../recording/mapping.ts'
import { type MappingRow, mappingsOfClaims } from '../recording/mapping-store.ts'
import { stockReverts } from '../reverts/stock-reverts.ts'
import { mappingSchema } from '../schemas.ts'
import { stockOneClick } from './one-click.ts'

/** A transaction to be sent for the bound user. */
export interface Send {
  readonly calldata: Calldata
  /** What it takes from the user's wallet, null for nothing. */
  readonly spending: Spending | null
}

export interface StockSendFields extends SendFields {
  readonly clientOrderId?: string
}

/** The stock product's sends: what is waited for is the first mapping of a claim. */
export const stockSends = (
  { sql }: Pick<Venue, 'sql'>,
  desk: SendDesk,
  limits: { readonly chainId: number; readonly budget: bigint },
): UserSends<MappingRow, SentClaims> =>
  new UserSends(sql, desk, {
    source: sourceOfMappings(sql),
    settings: { ...limits, keep: (tx, sends) => insertSentClaims(tx, limits.chainId, sends) },
  })

function sourceOfMappings(sql: Sql): AnswerSource<MappingRow> {
  return {
    async look(claimIds, overdue) {
      const underWay = await claimsUnderWay(sql, claimIds)
      const due = claimIds.filter((id) => overdue.has(id) || underWay.has(id))
      const rows = due.length === 0 ? [] : await mappingsOfClaims(sql, due)
      return new Map(rows.toReversed().map((row) => [row.claimId, row]))
    },
    isAnswer: (mapping) => mapping.txHash !== null || mappingStatus(mapping) !== 'pending',
  }
}

/**
 * Sends a transaction for the bound user, and answers its mapping within two seconds, with the first attempt's hash if there
 * is one by then. Throws `client_order_id_taken` and as `UserSends.send`; nothing is stored then.
 */
export async function sendForUser(
  context: StockContext,
  request: Pick<RouteRequest, 'caller' | 'idempotency' | 'disconnected'>,
  fields: StockSendFields,
  build: () => Promise<Send>,
) {
  const { chainId, productType, sends } = context
  const { keyId: apiKeyId } = request.caller
  const clientOrderId = fields.clientOrderId ?? null
  const sending = sends.send(stockOneClick(context), request, fields, async () => {
    const { calldata, spending } = await build()
    await requireFreeClientOrderId(context.venue.sql, { chainId, apiKeyId, clientOrderId: fields.clientOrderId })
    const claimTypes = CLAIMS_OF_METHOD[calldata.method]
    const { cancelOrderId = null } = cancelled(claimTypes, calldata.data)
    return {
      target: calldata.to,
      data: calldata.data,
      spending,
      kept: { id: newId(), claimTypes, clientOrderId, cancelOrderId },
      guard: cancelOrderId === null ? null : firstCancel(chainId, cancelOrderId),
    }
  })
  const mapping = await sending.catch((error: unknown) => {
    throw namedClientOrderId(error, fields.clientOrderId)
  })
  return sendView(mapping, productType)
}

/** When two cancels of an order are sent at once, the second finds the first. Throws `cancel_already_requested`. */
const firstCancel = (chainId: number, orderId: Hex): Guard => ({
  key: `stock.cancel:${orderId}`,
  async check(tx) {
    await lockCancels(tx, chainId, orderId)
    const first = (await pendingCancels(tx, chainId, orderId)).find(({ isSent }) => isSent)
    if (first) throw cancelUnderWay(orderId, first)
  },
})

const SEND_STATUS = { pending: 'Pending', confirmed: 'Confirmed', failed: 'Failed', expired: 'Failed' } as const

/** The mapping of a send as its answer shows it. */
export function sendView(mapping: MappingRow, productType: string) {
  const status = SEND_STATUS[mappingStatus(mapping)]
  const failureMessage = status === 'Failed' ? stockReverts.meaning(mapping.revertData) : null
  return { ...mappingView(mapping, productType), status, failure: statusReason(mapping), failureMessage }
}

export const sendSchema = Type.Object({
  ...mappingSchema.properties,
  status: Type.Enum(['Pending', 'Confirmed', 'Failed'], {
    description:
      'Pending until the transaction is indexed; it has failed only when it can never be mined, or reverted. It is Pending again should the block vanish in which it reverted.',
  }),
  failure: nullable(
    Type.String({
      description:
        'Why it failed: the revert by name, “the transaction ran out of gas”, or the reason it was not sent.',
    }),
  ),
  failureMessage: failureMessageSchema,
})

export const sendExample = (context: StockContext, operationType: 'trade' | 'deposit' | 'withdraw') => ({
  ...mappingExample(context, operationType),
  status: 'Pending' as const,
  failure: null,
  failureMessage: null,
})
