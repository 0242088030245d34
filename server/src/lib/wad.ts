/** Decimals of amounts and prices inside the venue, where their names end in `Wad`. */
export const WAD_DECIMALS = 18
/** One, with 18 decimals. */
export const WAD = 10n ** 18n

/** The quotient rounded up; the dividend must not be negative, the divisor must be positive. */
export const divideUp = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor

/** `a × b / 10^18`, rounded down; neither may be negative. */
export const mulWadDown = (a: bigint, b: bigint): bigint => (a * b) / WAD

/** `a × b / 10^18`, rounded up; neither may be negative. */
export const mulWadUp = (a: bigint, b: bigint): bigint => divideUp(a * b, WAD)
