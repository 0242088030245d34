import { numberToHex, toEventSelector } from 'viem'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { Rpc } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
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
}

/** Accounts of one pair. */
interface PairAccounts {
  readonly holding: Set<Hex>
  /** Those that held nothing when they were last looked at: they count again with their next event. */
  readonly empty: Set<Hex>
}

/**
 * Who may hold something in which pair: the contracts have no list of their accounts. It begins with what the indexed tables say, so
 * that it is complete at once on a long chain; new logs are read from the node, and bit by bit all old ones too, so that after a
 * while nothing depends on the tables.
 */
export class AccountBook {
  readonly #rpc: Rpc
  readonly #startBlock: bigint
  readonly #rangeBlocks: bigint
  readonly #pairs = new Map<string, PairAccounts>()
  #readTo: { readonly number: bigint; readonly hash: Hex } | null = null
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

  /** Begins with the holders that were recorded up to a block. */
  begin(recorded: { readonly block: bigint; readonly holders: readonly RecordedHolder[] } | null): void {
    for (const { instrument, expiry, account } of recorded?.holders ?? []) this.#hold(instrument, expiry, account)
    this.#old = { from: this.#startBlock, end: this.#notBeforeStart((recorded?.block ?? 0n) - REREAD_BLOCKS) }
  }

  /** Reads on to a block, with the logs of these instruments. Throws `RpcError`; it can then be asked again. */
  async follow(instruments: readonly Hex[], toBlock: bigint): Promise<void> {
    if (instruments.length === 0 || !this.#old) return
    const from = await this.#continueFrom(this.#old.end)
    const { hash } = await this.#rpc.call<{ hash: Hex }>('eth_getBlockByNumber', [numberToHex(toBlock), false])
    for (let at = from; at <= toBlock; at += this.#rangeBlocks) await this.#readRange(instruments, at, toBlock)
    this.#readTo = { number: toBlock, hash }
    for (let range = 0; range < OLD_RANGES && this.#old.from < this.#old.end; range++) {
      await this.#readRange(instruments, this.#old.from, this.#old.end)
      this.#old.from += this.#rangeBlocks
    }
  }

  /** The accounts that may hold something in a pair. */
  holders(instrument: Hex, expiry: number): readonly Hex[] {
    return [...this.#pair(instrument, expiry).holding]
  }

  /** Takes note that an account holds nothing in a pair. */
  leave(instrument: Hex, expiry: number, account: Hex): void {
    const { holding, empty } = this.#pair(instrument, expiry)
    if (holding.delete(account)) empty.add(account)
  }

  /** The block after the one that was read to; where that is gone, well before it, with nobody known to be empty. */
  async #continueFrom(firstBlock: bigint): Promise<bigint> {
    if (!this.#readTo) return firstBlock
    const { number, hash } = this.#readTo
    const block = await this.#rpc.call<{ hash: Hex } | null>('eth_getBlockByNumber', [numberToHex(number), false])
    if (block?.hash === hash) return number + 1n
    for (const { holding, empty } of this.#pairs.values()) {
      for (const account of empty) holding.add(account)
      empty.clear()
    }
    return this.#notBeforeStart(number - REREAD_BLOCKS)
  }

  #notBeforeStart(block: bigint): bigint {
    return block > this.#startBlock ? block : this.#startBlock
  }

  async #readRange(instruments: readonly Hex[], from: bigint, end: bigint): Promise<void> {
    const last = from + this.#rangeBlocks - 1n
    const range = { fromBlock: numberToHex(from), toBlock: numberToHex(last < end ? last : end) }
    const filter = { address: instruments, topics: [TOPICS], ...range }
    for (const { address, topics } of await this.#rpc.call<readonly Log[]>('eth_getLogs', [filter])) {
      const [, expiry, account] = topics
      this.#hold(address, Number(BigInt(expiry)), `0x${account.slice(-40)}`)
    }
  }

  #hold(instrument: Hex, expiry: number, account: Hex): void {
    const { holding, empty } = this.#pair(instrument, expiry)
    const trader = account.toLowerCase() as Hex
    empty.delete(trader)
    holding.add(trader)
  }

  #pair(instrument: Hex, expiry: number): PairAccounts {
    const key = `${instrument.toLowerCase()}:${expiry}`
    const known = this.#pairs.get(key) ?? { holding: new Set(), empty: new Set() }
    this.#pairs.set(key, known)
    return known
  }
}
