import Type from 'typebox'
import { boundUser, requireBoundUser } from '../auth/bound-user.ts'
import type { Hex } from '../chain/types.ts'
import type { Tx } from '../db/pool.ts'
import { idempotent } from '../http/idempotency.ts'
import type { RouteRequest } from '../http/product.ts'
import { addressSchema } from '../http/schemas.ts'
import { CHANGE_REASONS, type DelegationContext } from './delegation.ts'
import { ANSWER_WITHIN_MS, type AnswerSource, FirstAnswers } from './first-answer.ts'
import { delegationReasons } from './reasons.ts'
import type { SendDesk } from './send-desk.ts'
import { abandoned } from './send-queue.ts'
import { checkUserCall, type Spending, storeSubmission } from './submit.ts'

/** Intrinsic gas of any transaction: less cannot pay for it. */
const INTRINSIC_GAS = 21_000

export const gasLimitSchema = Type.Integer({
  minimum: INTRINSIC_GAS,
  description: 'Gas limit of the transaction, up to the cap of the chain; estimated when left out.',
})

/** Why `UserSends.send` refuses, beyond what builds the transaction. */
export const SEND_REASONS = [
  ...CHANGE_REASONS,
  delegationReasons.delegation_not_enabled,
  delegationReasons.gas_limit_too_low,
  delegationReasons.sends_overloaded,
] as const

/** What every body of a send may have besides the fields of its operation. */
export const sendProperties = { gasLimit: Type.Optional(gasLimitSchema) }

/** The bound user, for sends that accept it. */
export const boundUserProperties = {
  userAddress: Type.Optional(addressSchema('The wallet this API key is bound to; no other is accepted.')),
}

export interface SendFields {
  readonly gasLimit?: number
  readonly userAddress?: string
}

/** A transaction to be sent for the bound user. */
export interface UserSend {
  readonly target: Hex
  readonly data: Hex
  /** What it takes from the user's wallet, null for nothing. */
  readonly spending: Spending | null
  /** Stores what the product keeps of it, together with the intent; resolves to the id under which it is waited for. */
  claim(tx: Tx, sent: { readonly intentId: bigint; readonly user: Hex }): Promise<string>
}

/** The sends of one product; `source` finds what its `claim` stored. */
export class UserSends<Sent> {
  readonly #desk: SendDesk
  readonly #answers: FirstAnswers<Sent>

  constructor(desk: SendDesk, source: AnswerSource<Sent>) {
    this.#desk = desk
    this.#answers = new FirstAnswers(source)
  }

  /**
   * Sends a transaction for the bound user (design 2, "Send"): checked and run against the chain first, then stored with
   * its claims in one transaction, then sent by the relayer. Resolves within two seconds of its turn, to what is known by then. Throws
   * `sends_overloaded`, `send_abandoned`, `key_not_bound`, `user_not_bound`, what `build`, `claim` and `checkUserCall` throw, `gas_budget_exhausted`,
   * `idempotency_key_reused`; nothing is stored then.
   */
  async send(
    context: DelegationContext,
    request: Pick<RouteRequest, 'caller' | 'idempotency' | 'disconnected'>,
    fields: SendFields,
    build: () => Promise<UserSend>,
  ): Promise<Sent> {
    const gone = request.disconnected?.()
    const leave = await this.#desk.queue.enter(request.caller.keyId, gone)
    const deadlineMs = Date.now() + ANSWER_WITHIN_MS
    const claimId = await this.#store(context, request, fields, build, gone).finally(leave)
    return this.#answers.wait(claimId, deadlineMs)
  }

  /** Resolves to the id under which the answer is waited for, once everything is stored. */
  async #store(
    context: DelegationContext,
    request: Pick<RouteRequest, 'caller' | 'idempotency'>,
    fields: SendFields,
    build: () => Promise<UserSend>,
    gone: AbortSignal | undefined,
  ): Promise<string> {
    const { venue, oneClick } = context
    const { caller } = request
    const desk = this.#desk
    let endTurn = () => {}
    const { claimId } = await idempotent(venue.sql, oneClick.chainId, request, {
      async prepare() {
        const user = boundUser(caller)
        if (fields.userAddress !== undefined) requireBoundUser(caller, fields.userAddress)
        const { target, data, spending, claim } = await build()
        const gasLimit = fields.gasLimit === undefined ? null : BigInt(fields.gasLimit)
        const checking = { ...context, venue: { ...venue, rpc: desk.rpc } }
        const checked = await checkUserCall(checking, { user, target, data, gasLimit, spending })
        endTurn = await desk.takeTurn(caller.keyId)
        if (gone?.aborted) throw abandoned()
        return { checked, claim }
      },
      async store(tx, { checked, claim }) {
        const { id: intentId } = await storeSubmission(tx, { ...context, caller }, checked)
        return { claimId: await claim(tx, { intentId, user: checked.user }) }
      },
    }).finally(() => endTurn())
    return claimId
  }
}
