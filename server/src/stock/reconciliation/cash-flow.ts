import { decodeEventLog, getAbiItem, toEventSelector, toHex } from 'viem'
import { cashierAbi } from '../../chain/abi/cashier.ts'
import { stockAbi } from '../../chain/abi/stock.ts'
import { contractAddress } from '../../chain/deployment.ts'
import type { BlockRef } from '../../chain/follow/store.ts'
import { askOn, isBelow, type Named } from '../../chain/on-block.ts'
import { chainProfile } from '../../chain/profiles.ts'
import type { Hex } from '../../chain/types.ts'
import type { Venue } from '../../http/product.ts'
import { min } from '../../lib/bigints.ts'

/** What a settlement of the exchange paid out, and what the operator collected from the Cashier: neither is in the tables. */
const EVENTS = [
  getAbiItem({ abi: stockAbi, name: 'BatchSettled' }),
  getAbiItem({ abi: cashierAbi, name: 'TokenCollected' }),
] as const

/** What moved the Cashier's balance of a token beside deposits and withdrawals, up to a block; token units. */
export interface CashFlow {
  readonly token: Hex
  readonly block: BlockRef
  /** Paid out by settlements, less taken in, since the first reading. */
  readonly settledRaw: bigint
  /** Collected by the operator since then. */
  readonly collectedRaw: bigint
  /** What the operator had put in, by the last reading: the balance that nothing else explains. */
  readonly operatorRaw: bigint
}

/**
 * The flows up to a block, from where they were known. A token whose last block was reorganised away is left out: the next
 * reading begins anew with it, as with one that was never read. Throws `RpcError`; `OtherBlockError` where the node has not that block.
 */
export async function followFlows(
  venue: Venue,
  known: readonly CashFlow[],
  to: BlockRef,
): Promise<ReadonlyMap<string, CashFlow>> {
  const flows = new Map<string, CashFlow>()
  const head = { height: to.number, hash: to.hash }
  for (const [height, flowsThere] of Map.groupBy(known, ({ block }) => block.number)) {
    const hash = flowsThere[0]?.block.hash
    if (height > to.number || hash === undefined || !(await isBelow(venue.rpc, { height, hash }, head))) continue
    const moves = await readMoves(venue, height + 1n, head)
    for (const flow of flowsThere) {
      const own = moves.filter(({ token }) => token === flow.token)
      flows.set(flow.token, {
        token: flow.token,
        block: to,
        operatorRaw: flow.operatorRaw,
        settledRaw: own.reduce((total, move) => total + move.settledRaw, flow.settledRaw),
        collectedRaw: own.reduce((total, move) => total + move.collectedRaw, flow.collectedRaw),
      })
    }
  }
  return flows
}

type Move = Pick<CashFlow, 'token' | 'settledRaw' | 'collectedRaw'>

async function readMoves({ rpc, deployment }: Venue, from: bigint, to: Named): Promise<readonly Move[]> {
  const address = [contractAddress(deployment, 'Stock'), contractAddress(deployment, 'Cashier')]
  const range = BigInt(chainProfile(deployment.chainId).logsRangeBlocks)
  const topics = [EVENTS.map((event) => toEventSelector(event))]
  const moves: Move[] = []
  for (let start = from; start <= to.height; start += range) {
    const end = min(start + range - 1n, to.height)
    const filter = { address, topics, fromBlock: toHex(start), toBlock: toHex(end) }
    const call = { method: 'eth_getLogs', params: [filter] }
    const logs = await askOn<readonly { topics: [Hex, ...Hex[]]; data: Hex }[]>(rpc, to, call)
    moves.push(...logs.map(moveOf))
  }
  return moves
}

function moveOf({ topics, data }: { readonly topics: [Hex, ...Hex[]]; readonly data: Hex }): Move {
  const { eventName, args } = decodeEventLog({ abi: EVENTS, topics, data })
  if (eventName === 'TokenCollected') return { token: lower(args.token), settledRaw: 0n, collectedRaw: args.amount }
  return { token: lower(args.cashToken), settledRaw: args.cashOut, collectedRaw: 0n }
}

/** viem gives addresses with checksums. */
const lower = (address: Hex): Hex => address.toLowerCase() as Hex
