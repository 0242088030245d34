import type { Abi } from 'viem'
import type { Sql, Tx } from '../../db/pool.ts'
import type { ChainBlock, ChainTransaction, Deployment, Hex } from '../types.ts'

/** A contract whose events a module indexes; the address and the ABI's version travel with every event. */
export interface EventSource {
  readonly address: Hex
  readonly abi: Abi
  readonly abiVersion: number
}

/** One decoded event of a source. */
export interface ChainEvent {
  readonly address: Hex
  readonly abiVersion: number
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  readonly logIndex: number
  /** Position among this transaction's logs, counted from 0: stable when the block around it changes. */
  readonly indexInTransaction: number
  readonly transactionHash: Hex
}

/** Contracts that come to be, or are named, while the chain is followed: a factory's. */
export interface Discovery {
  /** The events of the module's sources that name such contracts. */
  readonly events: readonly string[]
  /** What an event names. The follower indexes it from the beginning of that event's block. */
  sourcesOf(event: Pick<ChainEvent, 'name' | 'args'>): readonly EventSource[]
  /** What the indexed blocks have named so far, as the module's tables know it; other addresses than those of `sources`. */
  known(sql: Sql, chainId: number): Promise<readonly EventSource[]>
}

/** What one block holds of a module's. */
export interface BlockEvents {
  readonly block: ChainBlock
  /** Events of the module's sources, in order. */
  readonly events: readonly ChainEvent[]
  /** Transactions that touch a source, in order. */
  readonly transactions: readonly ChainTransaction[]
}

/** What a product (or `market`, `delegation`) does with the chain: the only writer of its chain-derived tables. */
export interface EventModule {
  readonly name: string
  sources(deployment: Deployment): readonly EventSource[]
  /** Further sources, which the chain itself names. */
  readonly discovery?: Discovery
  /** Tables the module writes; every change in them is undone when its block is reorganised away. */
  readonly tables: readonly string[]
  /**
   * Applies blocks in their order, in one transaction: the newest alone, several of history that is final. The rows are to be those
   * that the blocks one by one would leave.
   */
  apply(tx: Tx, blocks: readonly BlockEvents[]): Promise<void>
}
