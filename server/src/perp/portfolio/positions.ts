import { encodeFunctionData } from 'viem'
import { observerAbi } from '../../chain/abi/observer.ts'
import { contractAddress } from '../../chain/deployment.ts'
import type { Hex } from '../../chain/types.ts'
import type { Venue } from '../../http/product.ts'
import { ammOf, broughtToNow, type CallOutcome, callsAt, decoded, type NamedBlock } from '../listing/pair.ts'
import type { MeasuredPosition } from './position-view.ts'

interface Pair {
  readonly instrument: Hex
  readonly expiry: bigint
}

/** An account's positions in these pairs at a block, with what they are measured by. Throws `perp_chain_unreachable`. */
export async function measurePositions(
  { rpc, deployment }: Pick<Venue, 'rpc' | 'deployment'>,
  block: NamedBlock,
  trader: Hex,
  pairs: readonly Pair[],
): Promise<readonly MeasuredPosition[]> {
  const observer = contractAddress(deployment, 'Observer')
  const calls = pairs.flatMap(({ instrument, expiry }) => {
    const args = [instrument, Number(expiry), trader, 0n] as const
    const context = encodeFunctionData({ abi: observerAbi, functionName: 'fetchOnChainContext', args })
    return [
      { to: observer, data: context },
      { to: instrument, data: broughtToNow(Number(expiry)) },
    ]
  })
  const outcomes = calls.length === 0 ? [] : await callsAt({ rpc }, block, calls)
  return pairs.map((_, index) => measured(outcomes[2 * index], outcomes[2 * index + 1]))
}

/** A pair that takes no actions now owes no funding beyond what is stored: a frozen one is not charged for the time. */
function measured(stored: CallOutcome | undefined, now: CallOutcome | undefined): MeasuredPosition {
  const { setting, amm, priceData, portfolio } = decoded(observerAbi, 'fetchOnChainContext', stored)
  const isRefused = now === undefined || 'reverted' in now
  return {
    position: portfolio.position,
    indices: isRefused ? amm : ammOf(now),
    mark: priceData.markPrice,
    maintenanceMarginRatio: setting.maintenanceMarginRatio,
  }
}
