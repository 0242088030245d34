import type { Raw, Venue } from '../venue.ts'

/** The decimal text of a field with 18 decimals; undefined where there is none. Exact. */
export function wad(venue: Venue, raw: Raw, field: string): string | undefined {
  const text = venue.safeString(raw, field)
  return text === undefined ? undefined : venue.ccxt.Precise.stringMul(text, '0.000000000000000001')
}

/** The same without its sign. */
export function size(venue: Venue, raw: Raw, field: string): string | undefined {
  const text = wad(venue, raw, field)
  return text === undefined ? undefined : venue.ccxt.Precise.stringAbs(text)
}

/** A part of 10,000 as a fraction. */
export const basisPoints = (venue: Venue, text: string): string =>
  venue.ccxt.Precise.stringMul(text, '0.0001') as string
