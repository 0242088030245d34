import { encodeFunctionData } from 'viem'
import { observerAbi } from '../../chain/abi/observer.ts'
import { contractAddress } from '../../chain/deployment.ts'
import type { Hex } from '../../chain/types.ts'
import type { Venue } from '../../http/product.ts'
import { callsAt, decoded, type NamedBlock } from '../listing/pair.ts'
import type { OrderRow } from './record-store.ts'

/** An open order with whose it is. */
type OwnedOrder = Pick<OrderRow, 'instrument' | 'expiry' | 'oid' | 'orderId'> & { readonly trader: Hex }

const accountKey = ({ trader, instrument, expiry }: Omit<OwnedOrder, 'oid' | 'orderId'>) =>
  `${trader} ${instrument} ${expiry}`

type Chain = Pick<Venue, 'rpc' | 'deployment'>

/** How much of each open order of an account was taken. Throws where one of them is not so on chain. See `takenOfAll`. */
export async function takenOf(
  chain: Chain,
  block: NamedBlock,
  trader: Hex,
  orders: readonly OrderRow[],
): Promise<readonly bigint[]> {
  const owned = orders.map((order) => ({ ...order, trader }))
  const amounts = await takenOfAll(chain, block, owned)
  return amounts.map((taken, nth) => {
    if (taken === null) throw new Error(`order ${owned[nth]?.orderId} is recorded as open and is not so on chain`)
    return taken
  })
}

/**
 * How much of each open order was taken, in their order, as the contract has it at the block: no event tells whom a trade took
 * from. Null for one that is recorded as open and is not so on chain. All accounts are read together. Throws
 * `perp_chain_unreachable`.
 */
export async function takenOfAll(
  { rpc, deployment }: Chain,
  block: NamedBlock,
  orders: readonly OwnedOrder[],
): Promise<readonly (bigint | null)[]> {
  const accounts = [...new Map(orders.map((order) => [accountKey(order), order])).values()]
  if (accounts.length === 0) return []
  const observer = contractAddress(deployment, 'Observer')
  const calls = accounts.map(({ trader, instrument, expiry }) => {
    const args = [instrument, Number(expiry), trader] as const
    return { to: observer, data: encodeFunctionData({ abi: observerAbi, functionName: 'getPortfolio', args }) }
  })
  const outcomes = await callsAt({ rpc }, block, calls)
  const taken = new Map<string, bigint>()
  for (const [index, account] of accounts.entries()) {
    const [portfolio] = decoded(observerAbi, 'getPortfolio', outcomes[index])
    portfolio.oids.forEach((oid, nth) => {
      taken.set(`${accountKey(account)} ${oid}`, portfolio.ordersTaken[nth] ?? 0n)
    })
  }
  return orders.map((order) => taken.get(`${accountKey(order)} ${order.oid}`) ?? null)
}
