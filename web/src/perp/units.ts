// The perpetual API gives amounts as whole numbers of 10^-18; here they become decimal text, exactly.
import { formatUnits, parseUnits } from 'viem/utils'

const WAD_DIGITS = 18
export const WAD = 10n ** 18n

/** `1500000000000000000` is `1.5`; what is not known stays null. */
export const fromWad = (wad: string | null | undefined): string | null =>
  wad === null || wad === undefined ? null : formatUnits(BigInt(wad), WAD_DIGITS)

export const isZero = (wad: string | null | undefined): boolean => !wad || BigInt(wad) === 0n

/** Without its sign. */
export const magnitude = (wad: string): string => (wad.startsWith('-') ? wad.slice(1) : wad)

export const sumOf = (...wads: readonly string[]): string => String(wads.reduce((sum, wad) => sum + BigInt(wad), 0n))

/** Part of a whole, 18 decimals, cut off. */
export const shareOf = (part: string, whole: string): string | null =>
  BigInt(whole) === 0n ? null : String((BigInt(part) * WAD) / BigInt(whole))

/** The value of a size at a price. */
export const valueAt = (size: string, price: string): string => String((BigInt(size) * BigInt(price)) / WAD)

/** What a person typed, as the API counts. */
export const toWad = (text: string): string => String(parseUnits(text, WAD_DIGITS))

/** Basis points as a fraction: `50` is `0.005`. */
export const fromBps = (bps: number): string => formatUnits(BigInt(bps), 4)

/** A percentage of a slippage as basis points: `0.5` is 50; null unless it is a number from 0 to 50 with two decimals. */
export function bpsOf(percent: string): number | null {
  if (!/^\d{1,2}(\.\d{1,2})?$/.test(percent)) return null
  const bps = Number(parseUnits(percent, 2))
  return bps <= 5000 ? bps : null
}
