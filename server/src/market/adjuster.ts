import { formatUnits } from '../lib/decimal.ts'
import { type Factors, type Ratio, scaler } from './adjustment.ts'

const PRICE_DECIMALS = 8
const VOLUME_DECIMALS = 18

/** Adjusts bars that begin before `beforeSec` to today's terms. */
export class Adjuster {
  readonly beforeSec: number
  /** Bars share most of their prices with their neighbours. */
  readonly #prices = new Map<string, string>()
  readonly #scalePrice: (raw: bigint) => bigint
  readonly #scaleVolume: ((raw: bigint) => bigint) | null

  constructor({ price, volume }: Factors, beforeSec: number) {
    this.beforeSec = beforeSec
    this.#scalePrice = scaler(price)
    this.#scaleVolume = isOne(volume) ? null : scaler(volume)
  }

  /** USD, as decimal texts. */
  price(text: string): string {
    const known = this.#prices.get(text)
    if (known !== undefined) return known
    const adjusted = priceText(this.#scalePrice(price8(text)))
    this.#prices.set(text, adjusted)
    return adjusted
  }

  /** Shares, as decimal texts; `null` stays. */
  volume(text: string): string {
    return this.#scaleVolume === null || text === 'null' ? text : volumeText(this.#scaleVolume(volumeWad(text)))
  }
}

export const price8 = (text: string): bigint => parseUnits(text, PRICE_DECIMALS)
export const volumeWad = (text: string): bigint => parseUnits(text, VOLUME_DECIMALS)
export const priceText = (raw: bigint): string => formatUnits(raw, PRICE_DECIMALS)
export const volumeText = (raw: bigint): string => formatUnits(raw, VOLUME_DECIMALS)

const isOne = ({ numerator, denominator }: Ratio): boolean => numerator === denominator

/** The raw integer of a plain decimal of the database, which has no more decimals than asked for. */
function parseUnits(text: string, decimals: number): bigint {
  const point = text.indexOf('.')
  if (point < 0) return BigInt(text) * 10n ** BigInt(decimals)
  return BigInt(text.slice(0, point) + text.slice(point + 1).padEnd(decimals, '0'))
}

/** A bar of decimal texts as the wire has it, in today's terms where something has happened to the shares since. */
export function barJson(
  by: Adjuster | undefined,
  time: string,
  open: string,
  high: string,
  low: string,
  close: string,
  volume: string,
): string {
  if (by === undefined) {
    return `{"open":${open},"high":${high},"low":${low},"close":${close},"volume":${volume},"timestamp":${time}}`
  }
  return barJson(undefined, time, by.price(open), by.price(high), by.price(low), by.price(close), by.volume(volume))
}
