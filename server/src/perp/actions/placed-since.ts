import { decodeEventLog, encodeEventTopics, toHex } from 'viem'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import { askOn, isBelow, OtherBlockError } from '../../chain/on-block.ts'
import { chainProfile } from '../../chain/profiles.ts'
import type { Rpc } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
import type { Venue } from '../../http/product.ts'
import { AppError } from '../../lib/errors.ts'
import { oidOf } from '../indexing/order-id.ts'
import { type NamedBlock, type PairState, unreachable } from '../listing/pair.ts'
import { perpReasons } from '../reasons.ts'

interface Log {
  readonly topics: [Hex, ...Hex[]]
  readonly data: Hex
}

/**
 * The oids at which an account has placed orders in a pair after the indexed block, up to the pair's: what is recorded under them is
 * of others, which have ended. Throws `perp_not_indexed` where the node has not both of these very blocks, or too many have come since, and
 * `perp_chain_unreachable`.
 */
export async function placedSince(
  { rpc, deployment }: Pick<Venue, 'rpc' | 'deployment'>,
  indexed: NamedBlock,
  pair: PairState,
  trader: Hex,
): Promise<ReadonlySet<bigint>> {
  const { height, hash } = pair.block
  if (indexed.height > height || indexed.hash === hash) return new Set()
  // Another block of the same height is no later one.
  if (indexed.height === height) throw behind()
  if (height - indexed.height > BigInt(chainProfile(deployment.chainId).logsRangeBlocks)) throw behind()
  const [isOnChain, logs] = await Promise.all([
    isBelow(rpc, indexed, pair.block),
    placeLogs(rpc, pair, trader, indexed.height + 1n),
  ]).catch((cause) => {
    throw cause instanceof OtherBlockError ? behind() : unreachable(cause)
  })
  if (!isOnChain) throw behind()
  return new Set(logs.map(oidOfLog))
}

/** Of a node that has the pair's block: one that lags would leave the newest logs out, and an order that they tell of looks like the one before it. */
function placeLogs(rpc: Rpc, { block, instrument, expiry }: PairState, trader: Hex, from: bigint) {
  const topics = encodeEventTopics({ abi: instrumentAbi, eventName: 'Place', args: { expiry, trader } })
  const range = { fromBlock: toHex(from), toBlock: toHex(block.height) }
  const filter = { address: instrument.address, topics, ...range }
  return askOn<readonly Log[]>(rpc, block, { method: 'eth_getLogs', params: [filter] })
}

function oidOfLog({ topics, data }: Log): bigint {
  const { args } = decodeEventLog({ abi: instrumentAbi, eventName: 'Place', topics, data })
  return oidOf(args.tick, args.nonce)
}

const behind = (): AppError =>
  new AppError(
    perpReasons.perp_not_indexed,
    'the newest blocks are not indexed yet: try again, or name orders by their oid',
  )
