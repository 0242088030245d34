import { type Abi, encodeFunctionData } from 'viem'
import { observerAbi } from '../../chain/abi/observer.ts'
import { contractAddress } from '../../chain/deployment.ts'
import type { Hex } from '../../chain/types.ts'
import type { Venue } from '../../http/product.ts'
import type { Portfolio } from '../listing/observer.ts'
import { callsAt, decoded, type NamedBlock } from '../listing/pair.ts'
import type { OrderRow } from './record-store.ts'

const pairKey = ({ instrument, expiry }: Pick<OrderRow, 'instrument' | 'expiry'>) => `${instrument} ${expiry}`

/**
 * How much of each open order was taken, in their order, as the contract has it at the block: no event tells whom a trade took
 * from. Throws `perp_chain_unreachable`.
 */
export async function takenOf(
  { rpc, deployment }: Pick<Venue, 'rpc' | 'deployment'>,
  block: NamedBlock,
  trader: Hex,
  orders: readonly OrderRow[],
): Promise<readonly bigint[]> {
  const pairs = [...new Map(orders.map((order) => [pairKey(order), order])).values()]
  if (pairs.length === 0) return []
  const observer = contractAddress(deployment, 'Observer')
  const calls = pairs.map(({ instrument, expiry }) => {
    const args = [instrument, Number(expiry), trader] as const
    return { to: observer, data: encodeFunctionData({ abi: observerAbi, functionName: 'getPortfolio', args }) }
  })
  const outcomes = await callsAt({ rpc }, block, calls)
  const taken = new Map<string, bigint>()
  for (const [index, pair] of pairs.entries()) {
    const [portfolio] = decoded<readonly [Portfolio]>(observerAbi as Abi, 'getPortfolio', outcomes[index])
    portfolio.oids.forEach((oid, nth) => {
      taken.set(`${pairKey(pair)} ${oid}`, portfolio.ordersTaken[nth] ?? 0n)
    })
  }
  return orders.map((order) => {
    const found = taken.get(`${pairKey(order)} ${order.oid}`)
    if (found === undefined) throw new Error(`order ${order.orderId} is recorded as open and is not so on chain`)
    return found
  })
}
