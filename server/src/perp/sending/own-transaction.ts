import { toHex } from 'viem'
import { bufferedGas } from '../../chain/profiles.ts'
import { classifySimulation } from '../../chain/send/classify.ts'
import type { Hex } from '../../chain/types.ts'
import { delegationReasons } from '../../delegation/reasons.ts'
import { AppError } from '../../lib/errors.ts'
import { type OwnCall, ownTransaction } from '../calldata/calls.ts'
import type { PerpContext } from '../context.ts'
import { unreachable } from '../listing/pair.ts'
import { wouldRevert } from '../reverts/perp-reverts.ts'
import { actionGas } from './one-click.ts'

/** A transaction that the wallet signs as it is, but for its fees. */
export interface UnsignedTransaction {
  readonly chainId: number
  readonly from: Hex
  readonly to: Hex
  readonly value: string
  readonly data: Hex
  readonly gas: string
  readonly nonce: number
}

/** What the wallet is to do: calls of one contract. */
export interface OwnTransactionTerms {
  readonly to: Hex
  readonly calls: readonly OwnCall[]
  /** Null to have it estimated. */
  readonly gasLimit: bigint | null
}

/**
 * An action as a transaction of the user's own wallet, with the wallet's next nonce, pending transactions counted. Throws
 * `would_revert`, `gas_limit_too_low`, `perp_chain_unreachable`.
 */
export async function unsignedTransaction(
  { venue, chainId }: PerpContext,
  user: Hex,
  { to, calls, gasLimit }: OwnTransactionTerms,
): Promise<UnsignedTransaction> {
  const { data } = ownTransaction(to, calls)
  const policy = actionGas(chainId)
  const [estimate, count] = await venue.rpc.outcomes<Hex>([
    { method: 'eth_estimateGas', params: [{ from: user, to, data, gas: toHex(policy.maxGasLimit) }, 'latest'] },
    { method: 'eth_getTransactionCount', params: [user, 'pending'] },
  ])
  if (!count?.ok) throw unreachable(count?.error)
  if (!estimate?.ok) {
    const failure = estimate && classifySimulation(estimate.error)
    throw failure?.kind === 'reverted' ? wouldRevert(failure.data) : unreachable(estimate?.error)
  }
  const needed = BigInt(estimate.value)
  const safe = bufferedGas(policy, needed)
  if (gasLimit !== null && gasLimit < needed) throw tooLittleGas(gasLimit, needed, safe)
  const gas = String(gasLimit ?? safe)
  return { chainId, from: user, to, value: '0', data, gas, nonce: Number(BigInt(count.value)) }
}

function tooLittleGas(gasLimit: bigint, needed: bigint, safe: bigint): AppError {
  const message = `the transaction needs ${needed} gas now, and gasLimit is ${gasLimit}: send ${safe}, or 0`
  return new AppError(delegationReasons.gas_limit_too_low, message, { detail: { field: 'gasLimit' } })
}
