import { encodeFunctionData } from 'viem'
import { oneClickRouterAbi } from '../chain/abi/one-click-router.ts'
import { HEAD_CALL, headIn } from '../chain/node-head.ts'
import type { Rpc, RpcCall, RpcOutcome } from '../chain/rpc.ts'
import type { Hex } from '../chain/types.ts'
import type { BlockInfo } from '../http/product.ts'
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
  /** The head that all of it is of. */
  readonly block: BlockInfo
  /** True when the user is a contract, which is asked for its consent by ERC-1271. */
  readonly isContract: boolean
}

/** Reads the router, all at the head, which is named by its hash. Throws `chain_not_answering`. */
export async function readRouterState(rpc: Rpc, { router }: OneClick, user: Hex): Promise<RouterState> {
  const [newest] = await rpc.outcomes([HEAD_CALL])
  const head = headIn(answered(newest))
  const at = { blockHash: head.hash }
  const outcomes = await rpc.outcomes<Hex>([
    delegateOfCall(router, user, at),
    routerCall(router, 'nonces', user, at),
    routerCall(router, 'endsAt', user, at),
    routerCall(router, 'dailyAmount', user, at),
    routerCall(router, 'availableAmount', user, at),
    { method: 'eth_getCode', params: [user, 'latest'] },
  ])
  const [delegatee, nonce, endsAt, daily, available, code] = outcomes.map(answered) as [Hex, Hex, Hex, Hex, Hex, Hex]
  return {
    delegatee: addressIn(delegatee),
    nonce: BigInt(nonce),
    endsAtSec: Number(BigInt(endsAt)) || null,
    // Its second word says whether the amount is the user's own.
    dailyAmountWad: BigInt(daily.slice(0, 66)),
    availableWad: BigInt(available),
    block: { height: head.height, timestampSec: head.timestampSec },
    isContract: code !== '0x',
  }
}

/** At which block a view is asked. */
type At = 'latest' | { readonly blockHash: Hex }

type RouterView = 'nonces' | 'endsAt' | 'dailyAmount' | 'availableAmount'

const routerCall = (router: Hex, functionName: RouterView, user: Hex, at: At) =>
  viewCall(router, encodeFunctionData({ abi: oneClickRouterAbi, functionName, args: [user] }), at)

/** The call that reads who may act as the user. */
export const delegateOfCall = (router: Hex, user: Hex, at: At = 'latest'): RpcCall =>
  viewCall(router, encodeFunctionData({ abi: oneClickRouterAbi, functionName: 'delegateOf', args: [user] }), at)

/** A view, at the head unless told. */
export const viewCall = (to: Hex, data: Hex, at: At = 'latest'): RpcCall => ({
  method: 'eth_call',
  params: [{ to, data }, at],
})

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
