// Tokens that the venue lists, with the units that their amounts are in.

export interface Units {
  readonly symbol: string
  readonly decimals: number
}

/** By a token's address, in any case; null of a token that is not listed. */
export type UnitsOf = (address: string) => Units | null

const known = new Map<string, Units>()

export function knowUnits(address: string, units: Units): void {
  known.set(address.toLowerCase(), units)
}

export const unitsOf: UnitsOf = (address) => known.get(address.toLowerCase()) ?? null
