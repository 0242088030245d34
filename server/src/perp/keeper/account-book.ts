import { numberToHex, toEventSelector } from 'viem'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { Rpc } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'

/** Events by which an account comes to hold something: every position, order and range begins with one of them. */
const BEGINNINGS = ['Place', 'Add', 'UpdatePosition'] as const
const TOPICS = instrumentAbi
  .filter((item) => item.type === 'event' && (BEGINNINGS as readonly string[]).includes(item.name))
  .map((item) => toEventSelector(item as Parameters<typeof toEventSelector>[0]))
/** So far back everything is read again when the chain has lost a block that was read; no chain of ours loses more. */
const REREAD_BLOCKS = 2000n

interface Log {
  readonly address: Hex
  readonly topics: readonly [Hex, Hex, Hex]
}

interface ReadTo {
  readonly number: bigint
  readonly hash: Hex
}

/** Accounts of one pair. */
interface PairAccounts {
  readonly holding: Set<Hex>
  /** Those that held nothing when they were last looked at: they count again with their next event. */
  readonly empty: Set<Hex>
}

/**
 * Who may hold something in which pair, out of the instruments' logs: the contracts have no list of their accounts. It is read
 * from the chain alone, on from where it was read to, and a process that starts reads it whole; so nothing is lost with it.
 */
export class AccountBook {
  readonly #rpc: Rpc
  readonly #startBlock: bigint
  readonly #rangeBlocks: bigint
  readonly #pairs = new Map<string, PairAccounts>()
  #readTo: ReadTo | null = null

  constructor(rpc: Rpc, startBlock: bigint, rangeBlocks: number) {
    this.#rpc = rpc
    this.#startBlock = startBlock
    this.#rangeBlocks = BigInt(rangeBlocks)
  }

  /** Reads on to a block, with the logs of these instruments. Throws `RpcError`; it can then be asked again. */
  async follow(instruments: readonly Hex[], toBlock: bigint): Promise<void> {
    if (instruments.length === 0) return
    let from = await this.#continueFrom()
    const { hash } = await this.#rpc.call<{ hash: Hex }>('eth_getBlockByNumber', [numberToHex(toBlock), false])
    for (; from <= toBlock; from += this.#rangeBlocks) {
      const last = from + this.#rangeBlocks - 1n
      const range = { fromBlock: numberToHex(from), toBlock: numberToHex(last < toBlock ? last : toBlock) }
      const filter = { address: instruments, topics: [TOPICS], ...range }
      for (const log of await this.#rpc.call<readonly Log[]>('eth_getLogs', [filter])) this.#note(log)
    }
    this.#readTo = { number: toBlock, hash }
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
  async #continueFrom(): Promise<bigint> {
    if (!this.#readTo) return this.#startBlock
    const { number, hash } = this.#readTo
    const block = await this.#rpc.call<{ hash: Hex } | null>('eth_getBlockByNumber', [numberToHex(number), false])
    if (block?.hash === hash) return number + 1n
    for (const { holding, empty } of this.#pairs.values()) {
      for (const account of empty) holding.add(account)
      empty.clear()
    }
    const from = number - REREAD_BLOCKS
    return from > this.#startBlock ? from : this.#startBlock
  }

  #note({ address, topics: [, expiry, account] }: Log): void {
    const { holding, empty } = this.#pair(address, Number(BigInt(expiry)))
    const trader = `0x${account.slice(-40)}`.toLowerCase() as Hex
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
