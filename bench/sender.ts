import { toHex } from 'viem'
import type { Rpc } from '../server/src/chain/rpc.ts'
import type { Hex } from '../server/src/chain/types.ts'
import { sleep } from '../server/src/lib/clock.ts'

const GAS = toHex(1_500_000)

/** Fee step that lets a transaction replace another with its nonce. */
const FEE_WEI = 10n ** 10n
const LOOK_MS = 100
/** Nothing mined for so long is a transaction that the node has put aside. */
const STUCK_MS = 3000

interface Call {
  readonly to: Hex
  readonly data: Hex
}

/** Sends as an account of the development chain, which the node signs for, its nonces in order. */
export class Sender {
  readonly address: Hex
  readonly #rpc: Rpc
  readonly #first: Promise<number>
  /** What was sent, by nonce from the first one on. */
  readonly #calls: Call[] = []
  #last: Promise<unknown> = Promise.resolve()
  #seen = { nonce: -1, atMs: 0 }
  #raises = 0n

  constructor(rpc: Rpc, address: Hex) {
    this.#rpc = rpc
    this.address = address
    this.#first = this.#nonce()
  }

  /** Resolves with the transaction's hash, once all that was sent before has one too. */
  send(to: Hex, data: Hex): Promise<Hex> {
    const nth = this.#calls.push({ to, data }) - 1
    const sent = this.#first.then((first) => this.#submit({ to, data }, first + nth, {}))
    const inTurn = Promise.all([this.#last, sent]).then(([, hash]) => hash)
    this.#last = inTurn
    return inTurn
  }

  sent(): Promise<unknown> {
    return this.#last
  }

  async mined(): Promise<void> {
    await this.#last
    while (!(await this.nudge())) await sleep(LOOK_MS)
  }

  /**
   * Whether all is mined. Where nothing was for a while, the next one is sent again for a higher fee: anvil keeps a transaction
   * aside for good that comes while the one before it is being mined.
   */
  async nudge(): Promise<boolean> {
    const [first, nonce, nowMs] = [await this.#first, await this.#nonce(), performance.now()]
    const call = this.#calls[nonce - first]
    if (nonce !== this.#seen.nonce) this.#seen = { nonce, atMs: nowMs }
    if (call && nowMs - this.#seen.atMs > STUCK_MS) {
      this.#seen = { nonce, atMs: nowMs }
      const fee = toHex(FEE_WEI * ++this.#raises)
      // It may be mined meanwhile.
      await this.#submit(call, nonce, { maxFeePerGas: fee, maxPriorityFeePerGas: fee }).catch(() => {})
    }
    return !call
  }

  #nonce(): Promise<number> {
    return this.#rpc.call<Hex>('eth_getTransactionCount', [this.address, 'latest']).then(Number)
  }

  #submit(call: Call, nonce: number, fees: object): Promise<Hex> {
    const transaction = { from: this.address, ...call, ...fees, gas: GAS, nonce: toHex(nonce) }
    return this.#rpc.call<Hex>('eth_sendTransaction', [transaction])
  }
}

/** Not more at once, or the node has them pending for many blocks. */
const AT_ONCE = 100

/** Sends so many transactions, the next ones when all before are mined. */
export async function sendAll(
  senders: readonly Sender[],
  transactions: number,
  act: () => Promise<Hex>,
): Promise<void> {
  for (let sent = 0; sent < transactions; sent += AT_ONCE) {
    for (let n = sent; n < Math.min(sent + AT_ONCE, transactions); n++) void act()
    for (const sender of senders) await sender.mined()
  }
}
