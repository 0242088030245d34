import Type, { type Static } from 'typebox'
import { authReasons } from '../../../auth/reasons.ts'
import type { Hex } from '../../../chain/types.ts'
import { delegationReasons } from '../../../delegation/reasons.ts'
import { decimalReasons } from '../../../lib/decimal.ts'
import type { Action, Prepared } from '../../actions/action.ts'
import { ACTIONS, type ActionName } from '../../actions/actions.ts'
import type { PerpContext } from '../../context.ts'
import { perpReasons } from '../../reasons.ts'

const NAMES = Object.keys(ACTIONS) as ActionName[]

const variant = (name: ActionName) =>
  Type.Object({ action: Type.Literal(name), params: ACTIONS[name].params }, { title: name })

/** An action by its name, with the body of its own operation: judged by the schema of that action alone. */
export const actionBody = Type.Unsafe<{ readonly action: ActionName; readonly params: unknown }>({
  type: ['object'],
  required: ['action', 'params'],
  discriminator: { propertyName: 'action' },
  oneOf: NAMES.map(variant),
})

/** Why any action may fail to be prepared. */
export const EVERY_ACTION = [
  authReasons.key_not_bound,
  decimalReasons.amount_invalid,
  perpReasons.instrument_unknown,
  perpReasons.deadline_passed,
  perpReasons.perp_chain_unreachable,
  delegationReasons.would_revert,
] as const

export const ACTION_REASONS = [
  ...new Set([...EVERY_ACTION, ...NAMES.flatMap((name) => ACTIONS[name].reasons)]),
] as const

export const ACTION_EXAMPLES = Object.fromEntries(
  NAMES.flatMap((name) =>
    Object.entries(ACTIONS[name].examples).map(([title, params]) => [title, { action: name, params }] as const),
  ),
)

/** Throws `ACTION_REASONS`. */
export function prepareAction(
  context: PerpContext,
  user: Hex,
  { action, params }: Static<typeof actionBody>,
): Promise<Prepared> {
  // The body has passed the schema of this very action.
  const { prepare } = ACTIONS[action] as Action
  return prepare(context, user, params)
}
