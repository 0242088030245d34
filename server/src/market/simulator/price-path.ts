import { hash } from 'node:crypto'
import { max } from '../../lib/bigints.ts'
import { divideUp, WAD } from '../../lib/wad.ts'
import type { Instrument } from '../instruments.ts'
import { expWad, integerSquareRoot } from './fixed-point.ts'

/** One simulated quote a second. */
export const STEP_MS = 1000
const STEPS_PER_YEAR = 31_536_000n
const STEPS_PER_MINUTE = 60n
const MINUTES_PER_DAY = 1440n
const SECONDS_PER_DAY = 86_400n
/** The slowest wave turns every 2^25 steps, about a year; beyond that the price keeps its bounds. */
const OCTAVES = 26
const HASH_RANGE = 1n << 31n
const PPM = 1_000_000n

/** Where and when a path begins: at step 0 the price is `price8`. */
export interface PathStart {
  readonly seed: string
  readonly price8: bigint
  readonly timeMs: number
}

export interface PathQuote {
  readonly price8: bigint
  readonly bid8: bigint
  readonly ask8: bigint
  /** Shares since the path's start. */
  readonly volumeWad: bigint
}

/**
 * The price of an instrument as a pure function of (seed, symbol, step): integers and SHA-256 only, no state, so that a
 * restart goes on along the same path and two processes agree.
 *
 * The logarithm of the price is a sum of waves, one an octave, each drawn through independent random heights at its own
 * spacing of 2^k steps and as high as √(2^k): near by it moves like a random walk of the instrument's volatility, and far
 * out it stays within fixed bounds, so that a venue of any age has a sane price.
 */
export class PricePath {
  readonly #instrument: Instrument
  readonly #start: PathStart
  readonly #amplitudesWad: readonly bigint[]
  readonly #originWad: bigint

  constructor(instrument: Instrument, start: PathStart) {
    this.#instrument = instrument
    this.#start = start
    const annualWad = (instrument.annualVolatilityPpm * WAD) / PPM
    const variance = (annualWad * annualWad) / STEPS_PER_YEAR
    this.#amplitudesWad = Array.from({ length: OCTAVES }, (_, k) => integerSquareRoot((variance << BigInt(k)) / 2n))
    this.#originWad = this.#heightWad(0n)
  }

  /** Where the path begins, market clock, Unix ms. */
  get startMs(): number {
    return this.#start.timeMs
  }

  /** The step an instant of the market clock falls in; below zero before the path's start. */
  stepAt(timeMs: number): bigint {
    return BigInt(Math.floor((timeMs - this.#start.timeMs) / STEP_MS))
  }

  /** The instant a step begins, market clock, Unix ms. */
  timeOf(step: bigint): number {
    return this.#start.timeMs + Number(step) * STEP_MS
  }

  quoteAt(step: bigint): PathQuote {
    const { tick8, halfSpreadPpm } = this.#instrument
    const price8 = this.#priceAt(step)
    const halfSpread8 = divideUp(price8 * halfSpreadPpm, PPM)
    return {
      price8,
      bid8: max(((price8 - halfSpread8) / tick8) * tick8, tick8),
      ask8: divideUp(price8 + halfSpread8, tick8) * tick8,
      volumeWad: this.#volumeSharesAt(step) * WAD,
    }
  }

  /** A quote in the terms after splits by which `from` shares became `to`: on the instrument's ticks again. */
  scaled(quote: PathQuote, [from, to]: readonly [from: bigint, to: bigint]): PathQuote {
    if (from === to) return quote
    const { tick8 } = this.#instrument
    return {
      price8: max(((2n * quote.price8 * from + to * tick8) / (2n * to * tick8)) * tick8, tick8),
      bid8: max(((quote.bid8 * from) / (to * tick8)) * tick8, tick8),
      ask8: divideUp(quote.ask8 * from, to * tick8) * tick8,
      volumeWad: (quote.volumeWad * to) / from,
    }
  }

  /** Shares that one order can have of a second's quote: a quarter of the average second's trading, up to all of it. */
  sizeAt(step: bigint): bigint {
    const secondWad = (this.#instrument.dailyVolumeShares * WAD) / SECONDS_PER_DAY
    return secondWad / 4n + (secondWad * 3n * (this.#random('size', step) + HASH_RANGE)) / (8n * HASH_RANGE)
  }

  #priceAt(step: bigint): bigint {
    const exact8 = (this.#start.price8 * expWad(this.#heightWad(step) - this.#originWad)) / WAD
    const { tick8 } = this.#instrument
    return max(((exact8 + tick8 / 2n) / tick8) * tick8, tick8)
  }

  #heightWad(step: bigint): bigint {
    return this.#amplitudesWad.reduce((sum, amplitude, k) => sum + (amplitude * this.#wave(k, step)) / HASH_RANGE, 0n)
  }

  /** Height of octave `k` at a step, between −2^31 and 2^31: straight lines between the random heights of its nodes. */
  #wave(k: number, step: bigint): bigint {
    const node = step >> BigInt(k)
    const spacing = 1n << BigInt(k)
    const along = step - (node << BigInt(k))
    const from = this.#random(`height:${k}`, node)
    if (along === 0n) return from
    return (from * (spacing - along) + this.#random(`height:${k}`, node + 1n) * along) / spacing
  }

  /** Whole shares traded since the start: the average rate, with random turns of each minute that never run back. */
  #volumeSharesAt(step: bigint): bigint {
    if (step <= 0n) return 0n
    const minute = step / STEPS_PER_MINUTE
    const along = step % STEPS_PER_MINUTE
    const turns = this.#turnsAt(minute) * (STEPS_PER_MINUTE - along) + this.#turnsAt(minute + 1n) * along
    return (this.#instrument.dailyVolumeShares * turns) / (MINUTES_PER_DAY * STEPS_PER_MINUTE * 2n * HASH_RANGE)
  }

  /** A counter in units of 1/2^32 minutes whose step from minute to minute is random, between 0 and 2 minutes. */
  #turnsAt(minute: bigint): bigint {
    if (minute === 0n) return 0n
    return minute * 2n * HASH_RANGE + this.#random('volume', minute) + HASH_RANGE
  }

  /** Uniform in −2^31 … 2^31 − 1. */
  #random(kind: string, index: bigint): bigint {
    const digest = hash('sha256', `${this.#start.seed}|${this.#instrument.symbol}|${kind}|${index}`, 'hex')
    return BigInt(`0x${digest.slice(0, 8)}`) - HASH_RANGE
  }
}
/** Quotient of two positive integers, rounded up. */
