import { decodeFunctionResult, encodeFunctionData, numberToHex, zeroAddress } from 'viem'
import { stockFeederAbi } from '../../chain/abi/stock-feeder.ts'
import { callAt } from '../../chain/read.ts'
import type { Rpc } from '../../chain/rpc.ts'
import { classifySimulation } from '../../chain/send/classify.ts'
import type { Hex } from '../../chain/types.ts'
import type { PairState } from './pair-reader.ts'

/** What the price source of a pair says at a block. */
export const PRICE_STATUSES = ['LIVE', 'STALE', 'NONE', 'FROZEN'] as const
export type PriceStatus = (typeof PRICE_STATUSES)[number]

export const PRICE_STATUS_MEANING =
  'LIVE: the source gives a price. STALE: it is too old, or its market is closed. NONE: it has given none yet. FROZEN: a guardian has frozen its feed. The instrument takes actions while it is LIVE.'

/** A word of the ABI as text. */
const WORD_LENGTH = 66

/** The status of each pair's price source, in their order, as of a block. Throws `RpcError`. */
export async function readPriceStatuses(
  rpc: Rpc,
  states: readonly PairState[],
  height: bigint,
): Promise<readonly PriceStatus[]> {
  const silent = states.filter(isSilent)
  const feeders = [...new Set(silent.flatMap(feedersOf))]
  const frozen = await frozenAmong(rpc, feeders, height)
  return states.map((state) => {
    if (!isSilent(state)) return 'LIVE'
    if (feedersOf(state).some((feeder) => frozen.has(feeder))) return 'FROZEN'
    const { feeder0UpdatedAt, feeder1, feeder1UpdatedAt } = state.priceData
    const isNew = feeder0UpdatedAt === 0n || (feeder1 !== zeroAddress && feeder1UpdatedAt === 0n)
    return isNew ? 'NONE' : 'STALE'
  })
}

const isSilent = ({ priceData }: PairState): boolean => priceData.spotPrice === 0n

const feedersOf = ({ priceData: { feeder0, feeder1 } }: PairState): readonly Hex[] =>
  [feeder0, feeder1].filter((feeder) => feeder !== zeroAddress)

/** Those that say that they are frozen; a feed that knows no such question is not. */
async function frozenAmong(rpc: Rpc, feeders: readonly Hex[], height: bigint): Promise<ReadonlySet<Hex>> {
  if (feeders.length === 0) return new Set()
  const data = encodeFunctionData({ abi: stockFeederAbi, functionName: 'isFrozen' })
  const calls = feeders.map((address) => callAt({ address, data }, numberToHex(height)))
  const outcomes = await rpc.outcomes<Hex>(calls)
  return new Set(
    feeders.filter((_, nth) => {
      const outcome = outcomes[nth]
      if (!outcome?.ok) {
        // A revert is the feed's answer; anything else says nothing about it.
        if (outcome && classifySimulation(outcome.error).kind === 'reverted') return false
        throw outcome?.error
      }
      if (outcome.value.length !== WORD_LENGTH) return false
      return decodeFunctionResult({ abi: stockFeederAbi, functionName: 'isFrozen', data: outcome.value })
    }),
  )
}
