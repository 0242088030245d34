import { readFileSync } from 'node:fs'
import type { AbiEvent } from 'viem'

/** What is indexed, as the bench writes it down: contracts that log the same events go by one name. */
export interface Sources {
  readonly chainId: number
  readonly rpcUrl: string
  readonly startBlock: number
  readonly endBlock: number
  readonly contracts: readonly {
    readonly name: string
    readonly addresses: readonly `0x${string}`[]
    readonly events: readonly AbiEvent[]
  }[]
}

export const sources = JSON.parse(readFileSync(process.env.PONDER_BENCH_SOURCES ?? '', 'utf8')) as Sources
