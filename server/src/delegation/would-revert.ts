import { decodeErrorResult } from 'viem'
import { oneClickRouterAbi } from '../chain/abi/one-click-router.ts'
import { operatorPoolAbi } from '../chain/abi/operator-pool.ts'
import type { Hex } from '../chain/types.ts'
import { AppError } from '../lib/errors.ts'
import { delegationReasons } from './reasons.ts'

/** A revert for people: the custom error's name, its arguments by name, and what would be right. */
export interface NamedRevert {
  readonly name: string
  readonly args: Readonly<Record<string, string>>
  readonly explanation: string
}

/** The revert of one of a product's contracts in words; null for an error that none of them has. */
export type Explain = (data: Hex) => NamedRevert | null

const abi = [...oneClickRouterAbi, ...operatorPoolAbi]

/** What the errors of the delegation contracts mean for the client of the API. */
const EXPLANATIONS: Readonly<Record<string, string>> = {
  AccessControlUnauthorizedAccount: 'The relayer is not an operator of the pool. Tell the operator of the venue.',
  CallNotAllowed: 'One Click may not call this function. Send the transaction by the wallet itself.',
  CallerNotDelegatee: 'The user has just taken the delegation back.',
  CallerNotUserOrDelegatee: 'The user has just taken the delegation back.',
  DeadlineExpired: 'The deadline of the delegation has passed on chain. Prepare and sign again.',
  EnforcedPause: 'One Click is paused. Transactions can be sent by the wallet itself.',
  InvalidSignature: 'The router does not accept the signature. Prepare and sign again.',
  RouterNotAllowed: 'The pool does not serve this router. Tell the operator of the venue.',
}

/**
 * The refusal of a transaction that reverts at the head of the chain, by the revert's name.
 *
 * @param pending transactions of the user that are not mined yet: one of them may bring what this one lacks
 */
export function refusedByChain(data: Hex, explain: Explain, pending: number): AppError {
  const revert = explain(data) ?? ownRevert(data)
  if (revert.name === 'CallerNotDelegatee') {
    return new AppError(delegationReasons.delegation_not_enabled, revert.explanation)
  }
  const values = Object.entries(revert.args).map(([name, value]) => `${name} ${value}`)
  const called = values.length === 0 ? revert.name : `${revert.name} (${values.join(', ')})`
  const waits =
    pending === 0 ? '' : ` ${pending} earlier send(s) of the user are not mined yet: this one may succeed after them.`
  return new AppError(
    delegationReasons.would_revert,
    `the transaction would revert: ${called}. ${revert.explanation}${waits}`,
    {
      detail: { revert: { name: revert.name, args: revert.args } },
    },
  )
}

function ownRevert(data: Hex): NamedRevert {
  try {
    const { errorName, args = [], abiItem } = decodeErrorResult({ abi, data })
    const inputs: readonly { readonly name?: string | undefined }[] = abiItem.inputs
    const values: readonly unknown[] = args
    const named = inputs.map(({ name }, index) => [name ?? String(index), String(values[index])])
    return { name: errorName, args: Object.fromEntries(named), explanation: EXPLANATIONS[errorName] ?? '' }
  } catch {
    const explanation = 'It reverts without an error that the venue knows; a token may have refused it.'
    return { name: 'Unknown', args: data === '0x' ? {} : { data }, explanation }
  }
}
