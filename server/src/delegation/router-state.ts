import { encodeFunctionData } from 'viem'
import { oneClickRouterAbi } from '../chain/abi/one-click-router.ts'
import type { Rpc, RpcCall, RpcOutcome } from '../chain/rpc.ts'
import type { Hex } from '../chain/types.ts'
import { AppError } from '../lib/errors.ts'
import type { OneClick } from './one-click.ts'
import { delegationReasons } from './reasons.ts'

/** A user's delegation at the head of the chain. */
export interface RouterState {
  /** Who may act as the user; null for nobody. */
  readonly delegatee: Hex | null
  /** The nonce that the next signature must carry. */
  readonly nonce: bigint
  /** When the delegation ends or has ended, Unix seconds; null when there is none. */
  readonly endsAtSec: number | null
  /** What the venue may put at risk for the user within a day, USD with 18 decimals, and what is left of it now. */
  readonly dailyAmountWad: bigint
  readonly availableWad: bigint
  readonly headTimestampSec: number
  /** True when the user is a contract, which is asked for its consent by ERC-1271. */
  readonly isContract: boolean
}

/** Reads the router, all at the head in one request. Throws `chain_not_answering`. */
export async function readRouterState(rpc: Rpc, { router }: OneClick, user: Hex): Promise<RouterState> {
  const outcomes = await rpc.outcomes<unknown>([
    delegateOfCall(router, user),
    routerCall(router, 'nonces', user),
    routerCall(router, 'endsAt', user),
    routerCall(router, 'dailyAmount', user),
    routerCall(router, 'availableAmount', user),
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    { method: 'eth_getCode', params: [user, 'latest'] },
  ])
  const [delegatee, nonce, endsAt, daily, available, block, code] = outcomes.map(answered) as [
    ...[Hex, Hex, Hex, Hex, Hex],
    { readonly timestamp: Hex },
    Hex,
  ]
  return {
    delegatee: addressIn(delegatee),
    nonce: BigInt(nonce),
    endsAtSec: Number(BigInt(endsAt)) || null,
    // Its second word says whether the amount is the user's own.
    dailyAmountWad: BigInt(daily.slice(0, 66)),
    availableWad: BigInt(available),
    headTimestampSec: Number(block.timestamp),
    isContract: code !== '0x',
  }
}

const routerCall = (router: Hex, functionName: 'nonces' | 'endsAt' | 'dailyAmount' | 'availableAmount', user: Hex) =>
  viewCall(router, encodeFunctionData({ abi: oneClickRouterAbi, functionName, args: [user] }))

/** The call that reads who may act as the user. */
export const delegateOfCall = (router: Hex, user: Hex): RpcCall =>
  viewCall(router, encodeFunctionData({ abi: oneClickRouterAbi, functionName: 'delegateOf', args: [user] }))

/** A view at the head. */
export const viewCall = (to: Hex, data: Hex): RpcCall => ({ method: 'eth_call', params: [{ to, data }, 'latest'] })

/** The address in a returned word; null when it is zero. */
export function addressIn(word: Hex): Hex | null {
  const address = `0x${word.slice(-40).toLowerCase()}` as const
  return /^0x0+$/.test(address) ? null : address
}

/** The value of a read. Throws `chain_not_answering`. */
export function answered<T>(outcome: RpcOutcome<T> | undefined): T {
  if (outcome?.ok) return outcome.value
  const message = 'the chain node does not answer, so this cannot be checked; nothing was stored or sent'
  throw new AppError(delegationReasons.chain_not_answering, message, { cause: outcome?.error })
}
