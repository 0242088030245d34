import Type from 'typebox'
import type { Sql } from '../../db/pool.ts'
import { boundUser, checkUserCall, type Spending, storeSubmission } from '../../delegation/submit.ts'
import { ANSWER_WITHIN_MS } from '../../delegation/until-answer.ts'
import { idempotent } from '../../http/idempotency.ts'
import type { RouteRequest } from '../../http/product.ts'
import { AppError } from '../../lib/errors.ts'
import { Turns } from '../../lib/turns.ts'
import type { Calldata } from '../calldata/calldata.ts'
import type { StockContext } from '../context.ts'
import { stockReasons } from '../reasons.ts'
import { findClientOrder, insertSentClaims } from '../recording/claim-store.ts'
import { CLAIMS_OF_METHOD } from '../recording/claims.ts'
import { mappingStatus, mappingView } from '../recording/mapping.ts'
import { revertName } from '../reverts/revert-name.ts'
import { addressSchema, mappingSchema, nullable } from '../schemas.ts'
import type { MappingRow } from '../store.ts'
import { requireBoundUser } from './bound-user.ts'
import { FirstAnswers } from './first-answer.ts'
import { stockOneClick } from './one-click.ts'
import { sharedRpc } from './shared-rpc.ts'

/** Less cannot pay for any transaction. */
const INTRINSIC_GAS = 21_000

export const gasLimitSchema = Type.Integer({
  minimum: INTRINSIC_GAS,
  description: 'Gas limit of the transaction, up to the cap of the chain; estimated when left out.',
})

/** What every body of a send may have beside the fields of its operation. */
export const sendProperties = { gasLimit: Type.Optional(gasLimitSchema) }

/** The bound user, for sends that accept it; deposits do not (stock-api 2.4). */
export const boundUserProperties = {
  userAddress: Type.Optional(addressSchema('The wallet this API key is bound to; no other is accepted.')),
}

/** A transaction to be sent for the bound user. */
export interface Send {
  readonly calldata: Calldata
  /** What it takes from the user's wallet, null for nothing. */
  readonly spending: Spending | null
}

export interface SendFields {
  readonly gasLimit?: number
  readonly userAddress?: string
  readonly clientOrderId?: string
}

/**
 * Sends a transaction for the bound user (design 2, "Send"): checked and run against the chain first, then stored with
 * its claims in one transaction, then sent by the relayer. Answers within two seconds, with the first attempt's hash if
 * there is one by then. Throws `key_not_bound`, `user_not_bound`, `client_order_id_taken`, what `build` and
 * `checkUserCall` throw, `gas_budget_exhausted`, `idempotency_key_reused`; nothing is stored then.
 */
export async function sendForUser(
  context: StockContext,
  request: Pick<RouteRequest, 'caller' | 'idempotency'>,
  fields: SendFields,
  build: () => Promise<Send>,
) {
  const deadlineMs = Date.now() + ANSWER_WITHIN_MS
  const { venue, chainId, productType } = context
  const { caller } = request
  const oneClick = stockOneClick(context)
  const desk = deskOf(venue.sql)
  let endTurn = () => {}
  const { claimId } = await idempotent(venue.sql, chainId, request, {
    async prepare() {
      const user = boundUser(caller)
      if (fields.userAddress !== undefined) requireBoundUser(caller, fields.userAddress)
      const { calldata, spending } = await build()
      await requireFreeClientOrderId(context, caller.keyId, fields.clientOrderId)
      const gasLimit = fields.gasLimit === undefined ? null : BigInt(fields.gasLimit)
      const call = { user, target: calldata.to, data: calldata.data, gasLimit, spending }
      const checked = await checkUserCall({ ...oneClick, venue: { ...venue, rpc: sharedRpc(venue.rpc) } }, call)
      endTurn = await takeTurn(desk, caller.keyId)
      return { checked, claimTypes: CLAIMS_OF_METHOD[calldata.method] }
    },
    async store(tx, { checked, claimTypes }) {
      const { id: intentId } = await storeSubmission(tx, { ...oneClick, caller }, checked)
      const claim = { chainId, apiKeyId: caller.keyId, intentId, userAddress: checked.user, claimTypes }
      return { claimId: await insertSentClaims(tx, { ...claim, clientOrderId: fields.clientOrderId ?? null }) }
    },
  })
    .catch((error: unknown) => {
      throw isTakenClientOrderId(error) ? takenClientOrderId(fields.clientOrderId) : error
    })
    .finally(() => endTurn())
  return sendView(await desk.answers.wait(claimId, deadlineMs), productType)
}

/** What the sends over one pool of connections share. */
interface Desk {
  /** Sends of each key that are being stored. */
  readonly ofKey: Turns
  /** Sends of all keys that are being stored, each with a connection of its own. */
  readonly ofAll: Turns
  readonly answers: FirstAnswers
}

/**
 * The budget of a key is locked until its send is stored: one more may stand ready behind that lock, and no third; it waits
 * here, without a connection that others could use.
 */
const SENDS_OF_KEY_AT_ONCE = 2
/** Of the connections: the others are left to whoever only reads, authentication above all. */
const CONNECTIONS_SHARE = 2 / 3
const DESKS = new WeakMap<Sql, Desk>()

function deskOf(sql: Sql): Desk {
  const found = DESKS.get(sql)
  if (found) return found
  const connections = Math.max(1, Math.floor(sql.options.max * CONNECTIONS_SHARE))
  const desk = { ofKey: new Turns(SENDS_OF_KEY_AT_ONCE), ofAll: new Turns(connections), answers: new FirstAnswers(sql) }
  DESKS.set(sql, desk)
  return desk
}

/** Waits until the send may be stored; the answer ends its turn. */
async function takeTurn({ ofKey, ofAll }: Desk, keyId: string): Promise<() => void> {
  const endOfKey = await ofKey.take(keyId)
  const endOfAll = await ofAll.take('')
  return () => {
    endOfAll()
    endOfKey()
  }
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
  const failure = status === 'Failed' ? (revertName(mapping.revertData) ?? mapping.problem) : null
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
