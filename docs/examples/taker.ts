import { setTimeout as sleep } from 'node:timers/promises'
import { closePosition, placeMarketOrder, VenueError } from '@bourse/sdk/perp'
import type { PerpClient } from './perp-account.ts'

// Somebody who trades to and fro, so that a market maker on an otherwise quiet venue has something to do.

const PERPETUAL = 4_294_967_295
const PAUSE_MS = 4000
/** Base of each trade in turn, negative for a short: enough to move the price by some basis points. */
const SIZES = [0.4, -0.3, -0.4, 0.5, -0.6, 0.4]
const [SHORT, LONG] = [1, 2] as const

export class Taker {
  readonly #client: PerpClient
  readonly #symbol: string
  #stopped = false
  /** Times that it passes over what it would trade: the venue has refused it. */
  refused = 0

  constructor(client: PerpClient, symbol: string) {
    this.#client = client
    this.#symbol = symbol
  }

  /** Trades until it is stopped, then closes its position; how many trades there were. */
  async run(): Promise<number> {
    const pair = { instrument: this.#symbol, expiry: PERPETUAL }
    let trades = 0
    for (let nth = 0; !this.#stopped; nth++) {
      const size = SIZES[nth % SIZES.length] ?? 0
      const [side, terms] = [size < 0 ? SHORT : LONG, { leverage: '5', slippageBps: 200 }]
      const order = { ...pair, ...terms, side, size: String(Math.abs(size)) }
      if (await this.#trade(() => placeMarketOrder(this.#client, order))) trades++
      await sleep(PAUSE_MS)
    }
    await this.#trade(() => closePosition(this.#client, { ...pair, slippageBps: 500 }))
    return trades
  }

  stop(): void {
    this.#stopped = true
  }

  async #trade(send: () => Promise<unknown>): Promise<boolean> {
    try {
      await send()
      return true
    } catch (error) {
      if (!(error instanceof VenueError)) throw error
      this.refused++
      return false
    }
  }
}
