import Type from 'typebox'
import { boundUser, requireBoundUser } from '../auth/bound-user.ts'
import { tagOf } from '../chain/send/tags.ts'
import type { Hex } from '../chain/types.ts'
import type { Sql } from '../db/pool.ts'
import { unlessRepeated } from '../http/idempotency.ts'
import { findRecords, type IdempotencyRecord, type RecordKey } from '../http/idempotency-store.ts'
import type { RouteRequest } from '../http/product.ts'
import { addressSchema, nullable } from '../http/schemas.ts'
import type { AppError } from '../lib/errors.ts'
import { shareNext } from '../lib/share-next.ts'
import { sharedLookUps } from '../lib/shared-look-ups.ts'
import { CHANGE_REASONS, type DelegationContext } from './delegation.ts'
import { ANSWER_WITHIN_MS, type AnswerSource, FirstAnswers } from './first-answer.ts'
import { delegationReasons } from './reasons.ts'
import type { SendDesk } from './send-desk.ts'
import type { GroupSettings, Guard, Kept, ReadySend } from './send-group.ts'
import { SendGroups } from './send-groups.ts'
import { callMadeFor, checkUserCall, INTRINSIC_GAS, type Spending, submitSigners } from './submit.ts'

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

/** Why a send failed, for people: beside `failure` in what a product answers. */
export const failureMessageSchema = nullable(
  Type.String({ description: 'What the revert means and what would be right; null where failure says all there is.' }),
)

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
export interface UserSend<Product extends Kept> {
  readonly target: Hex
  readonly data: Hex
  /** As of `UserCall`. */
  readonly gasKind?: string
  /** What it takes from the user's wallet, null for nothing. */
  readonly spending: Spending | null
  /** What the product keeps of it, stored together with the intent. */
  readonly kept: Product
  /** What must still be so when it is stored; null where nothing else can refuse it. */
  readonly guard: Guard | null
}

/** How a product keeps its sends, and finds what became of them. */
export interface SendStore<Sent, Product extends Kept> {
  readonly source: AnswerSource<Sent>
  readonly settings: GroupSettings<Product>
}

/** The sends of one product. */
export class UserSends<Sent, Product extends Kept> {
  readonly #desk: SendDesk
  readonly #answers: FirstAnswers<Sent>
  readonly #groups: SendGroups<Product>
  // What is read before each send is read once for all that are checked at the same time.
  readonly #findRecord: (key: RecordKey) => Promise<IdempotencyRecord | null>
  readonly #signers: () => Promise<readonly Hex[]>

  constructor(sql: Sql, desk: SendDesk, { source, settings }: SendStore<Sent, Product>) {
    this.#desk = desk
    this.#answers = new FirstAnswers(source)
    this.#groups = new SendGroups(sql, settings)
    this.#findRecord = sharedLookUps((keys) => findRecords(sql, keys))
    this.#signers = shareNext(() => submitSigners(sql, settings.chainId))
  }

  /** Why no send would be taken now, for `Route.busy`. */
  readonly busy = (): AppError | null => this.#desk.queue.refusal

  /**
   * Sends a transaction for the bound user: checked and run against the chain first, then stored with
   * what the product keeps in one transaction, which others share, then sent by the relayer. Resolves within two seconds of
   * its turn, to what is known by then. A request that is stored already is answered without waiting for a turn: whoever only asks
   * how it stands keeps no other send waiting. Throws `sends_overloaded`, `send_abandoned`, `key_not_bound`, `user_not_bound`, what
   * `build`, its guard and `checkUserCall` throw, `gas_budget_exhausted`, `idempotency_key_reused`; nothing is stored then.
   */
  async send(
    context: DelegationContext,
    request: Pick<RouteRequest, 'caller' | 'idempotency' | 'disconnected'>,
    fields: SendFields,
    build: () => Promise<UserSend<Product>>,
  ): Promise<Sent> {
    let turnMs = Date.now()
    let leave = () => {}
    const prepare = async () => {
      const gone = request.disconnected?.()
      leave = await this.#desk.queue.enter(request.caller.keyId, gone)
      turnMs = Date.now()
      const ready = { ...request, ...(await this.#prepare(context, request, fields, build)), gone }
      return async () => ({ claimId: await this.#groups.store(ready) })
    }
    const { chainId } = context.oneClick
    const { claimId } = await unlessRepeated(this.#findRecord, chainId, request, prepare).finally(() => leave())
    return this.#answers.wait(claimId, turnMs + ANSWER_WITHIN_MS)
  }

  async #prepare(
    context: DelegationContext,
    { caller, idempotency }: Pick<RouteRequest, 'caller' | 'idempotency'>,
    fields: SendFields,
    build: () => Promise<UserSend<Product>>,
  ): Promise<Pick<ReadySend<Product>, 'checked' | 'kept' | 'guard'>> {
    const user = boundUser(caller)
    if (fields.userAddress !== undefined) requireBoundUser(caller, fields.userAddress)
    const { kept, guard, ...call } = await build()
    const gasLimit = fields.gasLimit === undefined ? null : BigInt(fields.gasLimit)
    const { rpc, knownGas } = this.#desk
    const checking = { ...context, venue: { ...context.venue, rpc }, knownGas, signers: this.#signers }
    const tag = idempotency ? tagOf('request', user, idempotency.key, idempotency.requestHash) : null
    try {
      return { checked: await checkUserCall(checking, { ...call, user, gasLimit, tag }), kept, guard }
    } catch (error) {
      // What this very request has done already, unknown to a database that was put back, may be why it cannot be done now.
      const made = tag && (await callMadeFor(checking, user, tag))
      if (made) return { checked: made, kept, guard: null }
      throw error
    }
  }
}
