import Type from 'typebox'
import { type SendFields, UserSends } from '../../delegation/send.ts'
import type { SendDesk } from '../../delegation/send-desk.ts'
import type { Spending } from '../../delegation/submit.ts'
import type { RouteRequest, Venue } from '../../http/product.ts'
import { nullable } from '../../http/schemas.ts'
import { AppError } from '../../lib/errors.ts'
import type { Calldata } from '../calldata/calldata.ts'
import type { StockContext } from '../context.ts'
import { stockReasons } from '../reasons.ts'
import { claimsUnderWay, findClientOrder, insertSentClaims } from '../recording/claim-store.ts'
import { CLAIMS_OF_METHOD } from '../recording/claims.ts'
import { mappingExample, mappingStatus, mappingView } from '../recording/mapping.ts'
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
export const stockSends = ({ sql }: Pick<Venue, 'sql'>, desk: SendDesk): UserSends<MappingRow> =>
  new UserSends(desk, {
    async look(claimIds, overdue) {
      const underWay = await claimsUnderWay(sql, claimIds)
      const due = claimIds.filter((id) => overdue.has(id) || underWay.has(id))
      const rows = due.length === 0 ? [] : await mappingsOfClaims(sql, due)
      return new Map(rows.toReversed().map((row) => [row.claimId, row]))
    },
    isAnswer: (mapping) => mapping.txHash !== null || mappingStatus(mapping) !== 'pending',
  })

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
    await requireFreeClientOrderId(context, apiKeyId, fields.clientOrderId)
    const claimTypes = CLAIMS_OF_METHOD[calldata.method]
    return {
      target: calldata.to,
      data: calldata.data,
      spending,
      claim: (tx, { intentId, user }) =>
        insertSentClaims(tx, { chainId, apiKeyId, intentId, userAddress: user, claimTypes, clientOrderId }),
    }
  })
  const mapping = await sending.catch((error: unknown) => {
    throw isTakenClientOrderId(error) ? takenClientOrderId(fields.clientOrderId) : error
  })
  return sendView(mapping, productType)
}

async function requireFreeClientOrderId(
  { venue, chainId }: StockContext,
  apiKeyId: string,
  clientOrderId: string | undefined,
): Promise<void> {
  if (clientOrderId === undefined) return
  if ((await findClientOrder(venue.sql, chainId, apiKeyId, clientOrderId)) !== null) {
    throw takenClientOrderId(clientOrderId)
  }
}

/** Two sends at once may both find it free; the database lets one of them have it. */
const isTakenClientOrderId = (error: unknown): boolean =>
  error instanceof Error && 'constraint_name' in error && error.constraint_name === 'stock_claims_by_client_order'

const takenClientOrderId = (clientOrderId: string | undefined) =>
  new AppError(
    stockReasons.client_order_id_taken,
    `this API key has sent an order with clientOrderId ${clientOrderId} before: GET /api/v1/orders?clientOrderId= finds it`,
    { detail: { field: 'clientOrderId' } },
  )

const SEND_STATUS = { pending: 'Pending', confirmed: 'Confirmed', failed: 'Failed' } as const

/** The mapping of a send as its answer shows it. */
function sendView(mapping: MappingRow, productType: string) {
  const status = SEND_STATUS[mappingStatus(mapping)]
  const failure = status === 'Failed' ? (stockReverts.name(mapping.revertData) ?? mapping.problem) : null
  return { ...mappingView(mapping, productType), status, failure }
}

export const sendSchema = Type.Object({
  ...mappingSchema.properties,
  status: Type.Enum(['Pending', 'Confirmed', 'Failed'], {
    description:
      'Pending until the transaction is indexed; it has failed only when it can never be mined, or reverted.',
  }),
  failure: nullable(Type.String({ description: 'Why it failed: the revert by name, or the reason it was not sent.' })),
})

export const sendExample = (context: StockContext, operationType: 'trade' | 'deposit' | 'withdraw') => ({
  ...mappingExample(context, operationType),
  status: 'Pending' as const,
  failure: null,
})
