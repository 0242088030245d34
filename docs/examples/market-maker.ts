import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  cancelOrders,
  closePosition,
  type GetOpenOrdersResult,
  getOpenOrders,
  getPositions,
  openStream,
  type PerpMessage,
  type PerpStream,
  placeLimitOrder,
  VenueError,
} from '@bourse/sdk/perp'
import type { PerpClient } from './perp-account.ts'

// A market maker that keeps one bid and one ask around the fair price. It follows price and account by the stream, reads orders
// and position only when something has changed, and moves a quote only when the price has left it. An example to start from: it
// has no view of the market but the venue's own price.

export interface Terms {
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
  /** How often the stream was lost; it connects again by itself. */
  cuts: number
}

/** What a send came to so far, whichever it is. */
interface Send {
  readonly sendId: string
  readonly status: 'Pending' | 'Confirmed' | 'Failed'
  readonly failure: string | null
}

/** Makes a send under its key of idempotency, or asks how it stands. */
type Ask = (options: { readonly idempotencyKey: string }) => Promise<Send>
type Orders = GetOpenOrdersResult

/** It was mined and did nothing: the market moved between the venue's check and its block. */
class Reverted extends Error {}

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
/** The market has moved since: price out of range, chain would revert, order not open any more. */
const MOVED = [40001, 40003, 40401]

const human = (wad: string) => Number(BigInt(wad) / 10n ** 9n) / 1e9

export class MarketMaker {
  readonly report: Report = { placed: 0, cancelled: 0, taken: 0, refused: 0, errors: [], mostInventory: 0, cuts: 0 }
  readonly #stream: PerpStream
  readonly #client: PerpClient
  readonly #terms: Terms
  readonly #pair: { readonly instrument: string; readonly expiry: number }
  /** Quotes that were open when they were last read. */
  #open: readonly string[] = []
  readonly #withdrawn = new Set<string>()
  readonly #taken = new Set<string>()
  #fair = 0
  #stopped = false
  #changed = true
  #signals = 0
  #wake = () => {}

  constructor(client: PerpClient, terms: Terms) {
    this.#client = client
    this.#terms = terms
    this.#pair = { instrument: terms.symbol, expiry: PERPETUAL }
    const { wallet: userAddress, instrument } = terms
    this.#stream = openStream(client, {
      onStatus: (status) => {
        if (status === 'waiting') this.report.cuts++
      },
    })
    const hear = (message: PerpMessage<'instrument' | 'portfolio'>) => this.#hear(message)
    this.#stream.subscribe({ type: 'instrument', instrument, expiry: PERPETUAL }, hear)
    this.#stream.subscribe({ type: 'portfolio', userAddress }, hear)
  }

  /** Quotes until it is stopped; then no order of it is left, and its position is closed. */
  async run(): Promise<Report> {
    let [orders, inventory]: [Orders, number] = [[], 0]
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
    this.#stream.close()
    return this.report
  }

  stop(): void {
    this.#stopped = true
    this.#wake()
  }

  #hear(message: PerpMessage<'instrument' | 'portfolio'>): void {
    if (message.type === 'error') this.report.errors.push(message.message)
    if (message.type === 'data' && message.stream === 'marketPairInfoChanged')
      this.#fair = human(message.data.fairPrice)
    // A gap: whatever was missed while there was no connection has to be read anew.
    else if (message.type === 'gap' || (message.type === 'data' && message.stream === 'portfolio')) {
      this.#changed = true
      this.#signals++
      this.#wake()
    }
  }

  async #read(): Promise<[Orders, number]> {
    const symbol = this.#terms.symbol
    const orders = await getOpenOrders(this.#client, { symbol })
    const [position] = await getPositions(this.#client, { symbol })
    const inventory = position ? human(position.size) : 0
    this.report.mostInventory = Math.max(this.report.mostInventory, Math.abs(inventory))
    this.#countTaken(orders)
    return [orders, inventory]
  }

  /** A quote that is gone and was not withdrawn was taken whole, maybe before it was ever read as taken in part. */
  #countTaken(orders: Orders): void {
    for (const { orderId, taken } of orders) if (taken !== '0') this.#taken.add(orderId)
    const ids = orders.map(({ orderId }) => orderId)
    for (const id of this.#open) if (!ids.includes(id) && !this.#withdrawn.has(id)) this.#taken.add(id)
    this.#open = ids
    this.report.taken = this.#taken.size
  }

  #countWithdrawn(orderIds: readonly string[]): void {
    for (const orderId of orderIds) this.#withdrawn.add(orderId)
    this.report.cancelled += orderIds.length
  }

  /** Brings the quotes to where they should be, one step at a time: true where something was sent. */
  async #quote(orders: Orders, inventory: number): Promise<boolean> {
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
      await this.#send((options) => cancelOrders(this.#client, { ...this.#pair, orderIds: stale }, options))
      this.#countWithdrawn(stale)
      return true
    }
    let hasSent = false
    for (const [side, price] of wanted) {
      if (price === null || kept.has(side)) continue
      const order = {
        ...this.#pair,
        size: String(this.#terms.size),
        price: price.toFixed(2),
        side,
        leverage: LEVERAGE,
        postOnly: true,
      }
      await this.#send((options) => placeLimitOrder(this.#client, order, options))
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
  async #send(ask: Ask): Promise<void> {
    const options = { idempotencyKey: randomUUID() }
    const signals = this.#signals
    let send = await ask(options)
    for (const giveUpAtMs = Date.now() + LONGEST_SEND_MS; send.status === 'Pending'; ) {
      if (Date.now() > giveUpAtMs) throw new Error(`${send.sendId} is still pending`)
      await sleep(POLL_MS)
      send = await ask(options)
    }
    if (send.status === 'Failed') throw new Reverted(send.failure ?? 'it reverted')
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
    const hasMoved = error instanceof Reverted || (error instanceof VenueError && MOVED.includes(error.code))
    if (hasMoved) this.report.refused++
    else this.report.errors.push(String(error))
  }

  /** Takes back every quote and closes what is left of the position. */
  async #leave(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        const [orders, inventory] = await this.#read()
        const pair = this.#pair
        if (orders.length > 0)
          await this.#send((options) => cancelOrders(this.#client, { ...pair, all: true }, options))
        else if (inventory !== 0)
          await this.#send((options) => closePosition(this.#client, { ...pair, slippageBps: 200 }, options))
        else return
        this.#countWithdrawn(orders.map(({ orderId }) => orderId))
      } catch (error) {
        this.#note(error)
        if (attempt > MOST_ATTEMPTS_TO_LEAVE) throw error
        await sleep(SHORTEST_CYCLE_MS)
      }
    }
  }
}
