// Sums and comparisons of decimal text, exactly: everything is an integer of 10^-18.
import { formatUnits, parseUnits } from 'viem/utils'

const DIGITS = 18

/** What a person types as an amount: digits, at most one point, at most 18 decimals. */
export const isAmount = (text: string): boolean => /^\d+(\.\d{1,18})?$/.test(text) || /^\.\d{1,18}$/.test(text)

export const isPositive = (text: string): boolean => isAmount(text) && wadOf(text) > 0n

const wadOf = (text: string): bigint => parseUnits(text, DIGITS)

const textOf = (wad: bigint): string => formatUnits(wad, DIGITS)

export const add = (a: string, b: string): string => textOf(wadOf(a) + wadOf(b))

export const subtract = (a: string, b: string): string => textOf(wadOf(a) - wadOf(b))

export const compare = (a: string, b: string): -1 | 0 | 1 => {
  const difference = wadOf(a) - wadOf(b)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** The product, cut off after 18 decimals. */
export const multiply = (a: string, b: string): string => textOf((wadOf(a) * wadOf(b)) / 10n ** 18n)

/** `part` as a fraction of `whole`, cut off after 18 decimals; null where there is no whole. */
export function ratio(part: string, whole: string): string | null {
  const divisor = wadOf(whole)
  return divisor === 0n ? null : textOf((wadOf(part) * 10n ** 18n) / divisor)
}

/** An amount in a token's smallest unit. Throws where it has more decimals than the token. */
export function toUnits(text: string, decimals: number): bigint {
  if (!isAmount(text)) throw new RangeError(`"${text}" is no amount: write digits, such as 12.5`)
  const decimalsGiven = text.split('.')[1]?.replace(/0+$/, '').length ?? 0
  if (decimalsGiven > decimals) throw new RangeError(`at most ${decimals} decimals`)
  return parseUnits(text, decimals)
}

/** Cut down to a multiple of `step`. */
export function floorTo(text: string, step: string): string {
  const unit = wadOf(step)
  return unit === 0n ? text : textOf((wadOf(text) / unit) * unit)
}
