import { numberToHex, toEventSelector } from 'viem'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { LinkedHead } from '../../chain/node-head.ts'
import { askOn, isBelow, type Named } from '../../chain/on-block.ts'
import type { Rpc } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
import { concurrencyLimit } from '../../lib/turns.ts'
import type { RecordedHolder } from './recorded-holders.ts'

/** Events by which an account comes to hold something: every position, order and range begins with one of them. */
const BEGINNINGS = ['Place', 'Add', 'UpdatePosition'] as const
const TOPICS = instrumentAbi
  .filter((item) => item.type === 'event' && (BEGINNINGS as readonly string[]).includes(item.name))
  .map((item) => toEventSelector(item as Parameters<typeof toEventSelector>[0]))
/** So far back everything is read again when the chain has lost a block that was read; no chain of ours loses more. */
const REREAD_BLOCKS = 2000n
/** Ranges of older blocks that are read each time, until all of them are. */
const OLD_RANGES = 4

interface Log {
  readonly address: Hex
  readonly topics: readonly [Hex, Hex, Hex]
  readonly blockNumber: Hex
}

/** Accounts of one pair. */
interface PairAccounts {
  /** With the newest block of which an event is known. */
  readonly holding: Map<Hex, bigint>
  /** Those that held nothing when they were last looked at: they count again with their next event. */
  readonly empty: Set<Hex>
}

/**
 * Who may hold something in which pair: the contracts have no list of their accounts. It begins with what the indexed tables say, so
 * that it is complete at once on a long chain; new logs are read from the node, and bit by bit all old ones too, so that after a
 * while nothing depends on the tables. Surveys of different blocks may use it at the same time.
 */
export class AccountBook {
  readonly #rpc: Rpc
  readonly #startBlock: bigint
  readonly #rangeBlocks: bigint
  readonly #pairs = new Map<string, PairAccounts>()
  #readTo: Named | null = null
  /** The newest block that was read of a chain that is gone. */
  #goneTo = -1n
  /** Each reading goes on where the one before has ended. */
  readonly #inTurn = concurrencyLimit(1)
  /** Range of blocks before the first reading that are still to be read. */
  #old: { from: bigint; readonly end: bigint } | null = null

  constructor(rpc: Rpc, startBlock: bigint, rangeBlocks: number) {
    this.#rpc = rpc
    this.#startBlock = startBlock
    this.#rangeBlocks = BigInt(rangeBlocks)
  }

  /** Whether it has begun. */
  get hasBegun(): boolean {
    return this.#old !== null
  }

  /** Begins with the holders that were recorded up to a block, unless it has begun. */
  begin(recorded: { readonly block: bigint; readonly holders: readonly RecordedHolder[] } | null): void {
    if (this.#old) return
    const { block, holders } = recorded ?? { block: 0n, holders: [] }
    for (const { instrument, expiry, account } of holders) this.#hold(instrument, expiry, account, block)
    this.#old = { from: this.#startBlock, end: this.#notBeforeStart(block - REREAD_BLOCKS) }
  }

  /** Reads on to a block, which the node has named, with the logs of these instruments. Throws `RpcError`; it can then be asked again. */
  async follow(instruments: readonly Hex[], to: Omit<LinkedHead, 'timestampSec'>): Promise<void> {
    const old = this.#old
    if (instruments.length === 0 || !old) return
    await this.#inTurn(async () => {
      await this.#readNew(instruments, old.end, to)
      for (let range = 0; range < OLD_RANGES && old.from < old.end; range++) {
        await this.#readRange(instruments, old.from, old.end, to)
        old.from += this.#rangeBlocks
      }
    })
  }

  /** The accounts that may hold something in a pair. */
  holders(instrument: Hex, expiry: number): readonly Hex[] {
    return [...this.#pair(instrument, expiry).holding.keys()]
  }

  /** Takes note that an account held nothing in a pair as of a block. One with a later event stays: it may hold something again. */
  leave(instrument: Hex, expiry: number, account: Hex, asOf: bigint): void {
    const { holding, empty } = this.#pair(instrument, expiry)
    const newest = holding.get(account)
    // A survey of a block that is gone may still be under way: what it has seen says nothing of those that have come instead.
    if (newest === undefined || newest > asOf || asOf <= this.#goneTo) return
    holding.delete(account)
    empty.add(account)
  }

  /** The block after the one that was read to; where that is gone, well before it, with nobody known to be empty so far. */
  async #continueFrom(firstBlock: bigint, to: Named): Promise<bigint> {
    if (!this.#readTo) return firstBlock
    const { height } = this.#readTo
    if (await isBelow(this.#rpc, this.#readTo, to)) return height + 1n
    if (height > this.#goneTo) this.#goneTo = height
    for (const { holding, empty } of this.#pairs.values()) {
      for (const account of empty) holding.set(account, height)
      empty.clear()
    }
    return this.#notBeforeStart(height - REREAD_BLOCKS)
  }

  #notBeforeStart(block: bigint): bigint {
    return block > this.#startBlock ? block : this.#startBlock
  }

  /** From `firstBlock` the first time, then on from the block that was read to; nothing where another reading has come further. */
  async #readNew(instruments: readonly Hex[], firstBlock: bigint, to: Omit<LinkedHead, 'timestampSec'>): Promise<void> {
    if (to.hash === this.#readTo?.hash) return
    if (to.parentHash === this.#readTo?.hash) await this.#readBlock(instruments, to.hash)
    else {
      const from = await this.#continueFrom(firstBlock, to)
      if (from > to.height) return
      for (let at = from; at <= to.height; at += this.#rangeBlocks)
        await this.#readRange(instruments, at, to.height, to)
    }
    this.#readTo = to
  }

  /** The logs of a block by its hash: of a chain that has lost it there is no answer. */
  async #readBlock(instruments: readonly Hex[], blockHash: Hex): Promise<void> {
    const filter = { address: instruments, topics: [TOPICS], blockHash }
    this.#take(await this.#rpc.call<readonly Log[]>('eth_getLogs', [filter]))
  }

  /** The logs of a range of blocks up to `end`, at or below `to`. */
  async #readRange(instruments: readonly Hex[], from: bigint, end: bigint, to: Named): Promise<void> {
    const last = from + this.#rangeBlocks - 1n
    const toBlock = numberToHex(last < end ? last : end)
    const filter = { address: instruments, topics: [TOPICS], fromBlock: numberToHex(from), toBlock }
    this.#take(await askOn<readonly Log[]>(this.#rpc, to, { method: 'eth_getLogs', params: [filter] }))
  }

  #take(logs: readonly Log[]): void {
    for (const { address, topics, blockNumber } of logs) {
      const [, expiry, account] = topics
      this.#hold(address, Number(BigInt(expiry)), `0x${account.slice(-40)}`, BigInt(blockNumber))
    }
  }

  #hold(instrument: Hex, expiry: number, account: Hex, block: bigint): void {
    const { holding, empty } = this.#pair(instrument, expiry)
    const trader = account.toLowerCase() as Hex
    empty.delete(trader)
    const newest = holding.get(trader) ?? 0n
    holding.set(trader, block > newest ? block : newest)
  }

  #pair(instrument: Hex, expiry: number): PairAccounts {
    const key = `${instrument.toLowerCase()}:${expiry}`
    const known = this.#pairs.get(key) ?? { holding: new Map(), empty: new Set() }
    this.#pairs.set(key, known)
    return known
  }
}
