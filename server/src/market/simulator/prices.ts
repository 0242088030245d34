import type { AppliedSplit } from '../applied-splits.ts'
import type { PathQuote, PricePath } from './price-path.ts'

/** Quotes that are remembered, so that orders of one symbol do not compute them again. */
const MAX_REMEMBERED = 50_000

/** The simulated quotes by symbol and instant: the paths, with the splits that happened since each began. */
export class SimulatedPrices {
  readonly #paths: ReadonlyMap<string, PricePath>
  readonly #remembered = new Map<string, PathQuote>()

  constructor(paths: ReadonlyMap<string, PricePath>) {
    this.#paths = paths
  }

  get symbols(): readonly string[] {
    return [...this.#paths.keys()]
  }

  path(symbol: string): PricePath | undefined {
    return this.#paths.get(symbol)
  }

  /** The quote of the second that an instant (Unix ms) falls in, and when that second begins; null for an unknown symbol. */
  quoteAt(symbol: string, timeMs: number, splits: readonly AppliedSplit[]): (PathQuote & { timeMs: number }) | null {
    const path = this.#paths.get(symbol)
    if (!path) return null
    const step = path.stepAt(timeMs)
    const beganMs = path.timeOf(step)
    const happened = splits.filter(
      (split) => split.symbol === symbol && split.effectiveMs > path.startMs && split.effectiveMs <= timeMs,
    )
    const from = happened.reduce((product, { from8 }) => product * from8, 1n)
    const to = happened.reduce((product, { to8 }) => product * to8, 1n)
    return { ...path.scaled(this.#pathQuote(path, symbol, step), [from, to]), timeMs: beganMs }
  }

  #pathQuote(path: PricePath, symbol: string, step: bigint): PathQuote {
    const key = `${symbol} ${step}`
    const known = this.#remembered.get(key)
    if (known) return known
    const quote = path.quoteAt(step)
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear()
    this.#remembered.set(key, quote)
    return quote
  }
}
