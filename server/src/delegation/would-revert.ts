import { oneClickRouterAbi } from '../chain/abi/one-click-router.ts'
import { operatorPoolAbi } from '../chain/abi/operator-pool.ts'
import { type NamedRevert, type Reverts, revertsOf } from '../chain/reverts.ts'
import type { Hex } from '../chain/types.ts'
import { AppError } from '../lib/errors.ts'
import { delegationReasons } from './reasons.ts'

/** What the errors of the delegation contracts mean for the client of the API. */
const EXPLANATIONS: Readonly<Record<string, string>> = {
  AccessControlUnauthorizedAccount: 'The relayer is not an operator of the pool. Tell the operator of the venue.',
  CallNotAllowed: 'One Click may not call this function. Send the transaction by the wallet itself.',
  CallerNotDelegatee: 'The user has just taken the delegation back.',
  CallerNotUserOrDelegatee: 'The user has just taken the delegation back.',
  DailyAmountExceeded:
    'It would put more at risk than is left of the daily amount that the user lets the venue use. Wait, raise the amount by setDailyAmount on the OneClickRouter, or send it by the wallet itself.',
  DeadlineExpired: 'The deadline of the delegation has passed on chain. Prepare and sign again.',
  DelegationEnded: 'The delegation has ended. Prepare, sign and enable again.',
  EnforcedPause: 'One Click is paused. Transactions can be sent by the wallet itself.',
  InvalidSignature: 'The router does not accept the signature. Prepare and sign again.',
  RouterNotAllowed: 'The pool does not serve this router. Tell the operator of the venue.',
}

const delegationReverts = revertsOf([oneClickRouterAbi, operatorPoolAbi], EXPLANATIONS)

/**
 * The refusal of a transaction that reverts at the head of the chain, by the revert's name.
 *
 * @param explain the reverts of the product's contracts in words
 * @param pending transactions of the user that are not mined yet: one of them may bring what this one lacks
 * @param before what is said before the reason
 */
export function refusedByChain(data: Hex, explain: Reverts['explain'], pending: number, before = ''): AppError {
  const revert = explain(data) ?? ownRevert(data)
  if (revert.name === 'CallerNotDelegatee' || revert.name === 'DelegationEnded') {
    return new AppError(delegationReasons.delegation_not_enabled, `${before}${revert.explanation}`)
  }
  const values = Object.entries(revert.args).map(([name, value]) => `${name} ${value}`)
  const called = values.length === 0 ? revert.name : `${revert.name} (${values.join(', ')})`
  const waits =
    pending === 0 ? '' : ` ${pending} earlier send(s) of the user are not mined yet: this one may succeed after them.`
  return new AppError(
    delegationReasons.would_revert,
    `${before}the transaction would revert: ${called}. ${revert.explanation}${waits}`,
    {
      detail: { revert: { name: revert.name, args: revert.args } },
    },
  )
}

/** The error of a delegation contract, or the raw data of an unknown one. */
function ownRevert(data: Hex): NamedRevert {
  const explanation =
    data === '0x'
      ? 'It reverts without saying why: a token may have refused it, or the gas does not suffice.'
      : 'It reverts with an error that the venue does not know; a token may have refused it.'
  return delegationReverts.explain(data) ?? { name: 'Unknown', args: data === '0x' ? {} : { data }, explanation }
}
