/** A private chain whose every block, time and sender the tests decide. */
import type { Hex } from 'viem'
import { type Anvil, startAnvil } from '../../server/src/chain/embedded/anvil.ts'
import { createRpc, type Rpc, unwrap } from '../../server/src/chain/rpc.ts'
import type { Cast } from '../perp-model/markets.ts'

export type Message = { readonly from: Hex; readonly to: Hex | null; readonly data: Hex; readonly value?: bigint }

export type Log = { readonly address: Hex; readonly topics: readonly Hex[]; readonly data: Hex }

export type Receipt = {
  readonly transactionHash: Hex
  readonly transactionIndex: Hex
  readonly blockNumber: Hex
  readonly status: Hex
  readonly contractAddress: Hex | null
  readonly logs: readonly Log[]
}

type TopCall = { readonly output?: Hex; readonly error?: string }

const GAS = '0xf42400'
const ACCOUNTS = 20

export class Chain {
  readonly rpcUrl: string
  /** Funded accounts in lower case; the node signs for them. */
  readonly accounts: readonly Hex[]
  readonly #anvil: Anvil
  readonly #rpc: Rpc

  private constructor(anvil: Anvil, rpc: Rpc, accounts: readonly Hex[]) {
    this.#anvil = anvil
    this.#rpc = rpc
    this.rpcUrl = anvil.rpcUrl
    this.accounts = accounts
  }

  static async start(): Promise<Chain> {
    const anvil = await startAnvil({ noMining: true, accounts: ACCOUNTS })
    const rpc = createRpc({ url: anvil.rpcUrl, timeoutMs: 300_000 })
    const accounts = await rpc.call<Hex[]>('eth_accounts')
    return new Chain(
      anvil,
      rpc,
      accounts.map((account) => account.toLowerCase() as Hex),
    )
  }

  /** Who takes part in scenarios: the second account and those after it trade, the first administers. */
  cast(traders: number): Cast {
    const [admin, handler] = [this.accounts[0], this.accounts.at(-2)] as [Hex, Hex]
    return { traders: this.accounts.slice(1, 1 + traders), admin, handler }
  }

  stop(): Promise<void> {
    return this.#anvil.stop()
  }

  /** Lets the next block carry any time from `timeSec` on, also one before the last block's. */
  async setClock(timeSec: number): Promise<void> {
    await this.#rpc.call('anvil_setTime', [timeSec])
  }

  /** Mines one block at `timeSec` with the messages in it, which may revert. At most one message a sender. */
  async mine(timeSec: number, messages: readonly Message[]): Promise<Receipt[]> {
    const sends = messages.map((message) => ({ method: 'eth_sendTransaction', params: [sent(message)] }))
    const hashes = (await this.#rpc.outcomes(sends)).map(unwrap)
    await this.#rpc.call('evm_mine', [timeSec])
    return this.#rpc.batch(hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })))
  }

  /** Mines one block at `timeSec` with one message that must not revert. */
  async execute(timeSec: number, message: Message): Promise<Receipt> {
    const [receipt] = await this.mine(timeSec, [message])
    if (receipt?.status === '0x1') return receipt
    const output = receipt ? await this.outputOf(receipt) : '0x'
    throw new Error(`${message.data.slice(0, 10)} to ${message.to} reverted with ${output}`)
  }

  /** What a mined message returned, or its revert data. */
  async outputOf({ transactionHash }: Receipt): Promise<Hex> {
    const options = { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } }
    const { output } = await this.#rpc.call<TopCall>('debug_traceTransaction', [transactionHash, options])
    return output ?? '0x'
  }

  /** An `eth_call` on the newest block. Throws when it reverts. */
  read(call: { readonly to: Hex; readonly data: Hex }): Promise<Hex> {
    return this.#rpc.call('eth_call', [call, 'latest'])
  }

  async nowSec(): Promise<number> {
    const block = await this.#rpc.call<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])
    return Number(block.timestamp)
  }

  /** Remembers the state; `restore` may bring it back once. */
  snapshot(): Promise<Hex> {
    return this.#rpc.call('evm_snapshot')
  }

  async restore(snapshot: Hex): Promise<void> {
    await this.#rpc.call('evm_revert', [snapshot])
  }
}

function sent({ from, to, data, value }: Message) {
  return { from, data, gas: GAS, ...(to && { to }), ...(value && { value: `0x${value.toString(16)}` }) }
}
