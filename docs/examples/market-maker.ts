import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type PerpClient, Refused } from './perp-client.ts'
import { PerpStream } from './perp-stream.ts'

// A market maker that keeps one bid and one ask around the fair price. It follows price and account by the stream, reads orders
// and position only when something has changed, and moves a quote only when the price has left it. An example to start from: it
// has no view of the market but the venue's own price.

export interface Terms {
  readonly chainId: number
  readonly wsUrl: string
  readonly wallet: string
  readonly symbol: string
  readonly instrument: string
  /** How far from the fair price each quote stands, basis points. */
  readonly halfSpreadBps: number
  /** How far the price may leave a quote before it is moved, basis points. */
  readonly toleranceBps: number
  /** Base of one quote. */
  readonly size: number
  /** Base, long or short, beyond which only the side that reduces is quoted. */
  readonly mostInventory: number
  /** How much all quotes shift at the whole inventory, basis points: against it, so that it comes down. */
  readonly skewBps: number
}

export interface Report {
  placed: number
  cancelled: number
  /** Quotes of which something was taken. */
  taken: number
  /** Requests that the venue refused because the market had moved meanwhile; they were quoted anew. */
  refused: number
  readonly errors: string[]
  mostInventory: number
}

interface Order {
  readonly orderId: string
  readonly side: 1 | 2
  readonly size: string
  readonly taken: string
  readonly limitPrice: string
}

interface Send {
  readonly sendId: string
  readonly status: 'Pending' | 'Confirmed' | 'Failed'
  readonly failure: string | null
}

type Side = 1 | 2
const [SHORT, LONG] = [1, 2] as const
const PERPETUAL = 4_294_967_295
const LEVERAGE = '5'
/** Read anew after this long even when the stream says nothing: a hint may be lost. */
const LONGEST_SILENCE_MS = 15_000
const SHORTEST_CYCLE_MS = 1000
const POLL_MS = 1000
const LONGEST_SEND_MS = 600_000
const LONGEST_HINT_MS = 5000
const MOST_ATTEMPTS_TO_LEAVE = 20
/** The code with which the API says that the chain would revert. */
const REVERTED = 40003
/** The market has moved since: chain would revert, price out of range, order not open any more. */
const MOVED = [40001, REVERTED, 40401]

const human = (wad: string) => Number(BigInt(wad) / 10n ** 9n) / 1e9

export class MarketMaker {
  readonly report: Report = { placed: 0, cancelled: 0, taken: 0, refused: 0, errors: [], mostInventory: 0 }
  readonly stream: PerpStream
  readonly #client: PerpClient
  readonly #terms: Terms
  readonly #pair: { readonly instrument: string; readonly expiry: number }
  readonly #seenTaken = new Set<string>()
  #fair = 0
  #stopped = false
  #changed = true
  #signals = 0
  #wake = () => {}

  constructor(client: PerpClient, terms: Terms) {
    this.#client = client
    this.#terms = terms
    this.#pair = { instrument: terms.symbol, expiry: PERPETUAL }
    const { chainId, wallet: userAddress, instrument } = terms
    const subscriptions = [
      { chainId, instrument, expiry: PERPETUAL, type: 'instrument' },
      { chainId, userAddress, type: 'portfolio' },
    ]
    const changed = () => {
      this.#changed = true
      this.#signals++
      this.#wake()
    }
    this.stream = new PerpStream(terms.wsUrl, subscriptions, (name, data) => this.#hear(name, data, changed), changed)
  }

  /** Quotes until it is stopped; then no order of it is left, and its position is closed. */
  async run(): Promise<Report> {
    let [orders, inventory]: [readonly Order[], number] = [[], 0]
    let readAtMs = 0
    while (!this.#stopped) {
      try {
        if (this.#changed || Date.now() - readAtMs > LONGEST_SILENCE_MS) {
          this.#changed = false
          ;[orders, inventory] = await this.#read()
          readAtMs = Date.now()
        }
        if (this.#fair > 0 && (await this.#quote(orders, inventory))) this.#changed = true
      } catch (error) {
        this.#note(error)
        this.#changed = true
      }
      await this.#pause(SHORTEST_CYCLE_MS)
    }
    await this.#leave()
    this.stream.close()
    return this.report
  }

  stop(): void {
    this.#stopped = true
    this.#wake()
  }

  #hear(name: string, data: unknown, changed: () => void): void {
    if (name === 'marketPairInfoChanged') this.#fair = human((data as { fairPrice: string }).fairPrice)
    else if (name === 'portfolio') changed()
  }

  async #read(): Promise<[readonly Order[], number]> {
    const symbol = this.#terms.symbol
    const orders = await this.#client.get<Order[]>('order/realtime', { symbol })
    const [position] = await this.#client.get<{ size: string }[]>('position/list', { symbol })
    const inventory = position ? human(position.size) : 0
    this.report.mostInventory = Math.max(this.report.mostInventory, Math.abs(inventory))
    for (const { orderId, taken } of orders) if (taken !== '0') this.#seenTaken.add(orderId)
    this.report.taken = this.#seenTaken.size
    return [orders, inventory]
  }

  /** Brings the quotes to where they should be, one step at a time: true where something was sent. */
  async #quote(orders: readonly Order[], inventory: number): Promise<boolean> {
    const wanted = new Map(([LONG, SHORT] as const).map((side) => [side, this.#price(side, inventory)]))
    const kept = new Set<Side>()
    const stale: string[] = []
    for (const { orderId, side, limitPrice } of orders) {
      const price = wanted.get(side)
      const isRight = price !== null && price !== undefined && !kept.has(side) && this.#isNear(human(limitPrice), price)
      if (isRight) kept.add(side)
      else stale.push(orderId)
    }
    // A send is judged by the newest block: first what is stale has to be gone, then a new quote takes its place.
    if (stale.length > 0) {
      await this.#send('order/batch-cancel', { ...this.#pair, orderIds: stale })
      this.report.cancelled += stale.length
      return true
    }
    let hasSent = false
    for (const [side, price] of wanted) {
      if (price === null || kept.has(side)) continue
      const terms = {
        size: String(this.#terms.size),
        price: price.toFixed(2),
        side,
        leverage: LEVERAGE,
        postOnly: true,
      }
      await this.#send('order/limit', { ...this.#pair, ...terms })
      this.report.placed++
      hasSent = true
    }
    return hasSent
  }

  /** Where a side is quoted, or null where more of it would go beyond the inventory. */
  #price(side: Side, inventory: number): number | null {
    const { mostInventory, halfSpreadBps, skewBps, size } = this.#terms
    const sign = side === LONG ? 1 : -1
    if (sign * inventory + size > mostInventory) return null
    const bps = -sign * halfSpreadBps - (skewBps * inventory) / mostInventory
    return this.#fair * (1 + bps / 10_000)
  }

  #isNear(price: number, wanted: number): boolean {
    return Math.abs(price / wanted - 1) * 10_000 <= this.#terms.toleranceBps
  }

  /**
   * Sends, and waits until the transaction is mined and the stream has told of it: only then is the next send judged by what
   * this one did. The same key of idempotency asks how a send stands, and never sends twice.
   */
  async #send(path: string, body: object): Promise<void> {
    const key = randomUUID()
    const signals = this.#signals
    let send = await this.#client.post<Send>(path, body, key)
    for (const giveUpAtMs = Date.now() + LONGEST_SEND_MS; send.status === 'Pending'; ) {
      if (Date.now() > giveUpAtMs) throw new Error(`${path}: ${send.sendId} is still pending`)
      await sleep(POLL_MS)
      send = await this.#client.post<Send>(path, body, key)
    }
    if (send.status === 'Failed') throw new Refused(path, REVERTED, send.failure ?? 'it reverted')
    for (const untilMs = Date.now() + LONGEST_HINT_MS; this.#signals === signals && Date.now() < untilMs; ) {
      await sleep(POLL_MS / 10)
    }
  }

  async #pause(ms: number): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    await Promise.race([sleep(ms), woken])
  }

  #note(error: unknown): void {
    if (error instanceof Refused && MOVED.includes(error.code)) this.report.refused++
    else this.report.errors.push(String(error))
  }

  /** Takes back every quote and closes what is left of the position. */
  async #leave(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        const [orders, inventory] = await this.#read()
        if (orders.length > 0) await this.#send('order/batch-cancel', { ...this.#pair, all: true })
        else if (inventory !== 0) await this.#send('position/close', { ...this.#pair, slippageBps: 200 })
        else return
        this.report.cancelled += orders.length
      } catch (error) {
        this.#note(error)
        if (attempt > MOST_ATTEMPTS_TO_LEAVE) throw error
        await sleep(SHORTEST_CYCLE_MS)
      }
    }
  }
}
