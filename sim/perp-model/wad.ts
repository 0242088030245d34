/**
 * Fixed-point arithmetic with 18 decimals ("WAD") and the rounding each formula of the protocol asks for.
 * Source: perp-protocol 0.3. All functions throw RangeError on division by zero, as BigInt does.
 */

export const WAD = 10n ** 18n
export const RATIO_BASE = 10_000n

const BPS_TO_WAD = WAD / RATIO_BASE

export function abs(x: bigint): bigint {
  return x < 0n ? -x : x
}

export function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

export function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

export function sign(x: bigint): bigint {
  return x > 0n ? 1n : x < 0n ? -1n : 0n
}

/** `ceil(a / b)` of non-negative numbers. */
export function divUp(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b
}

/** `x·y/z` rounded to nearest, halves up, of non-negative numbers. */
export function frac(x: bigint, y: bigint, z: bigint): bigint {
  return (x * y + z / 2n) / z
}

export function wmul(x: bigint, y: bigint): bigint {
  return frac(x, y, WAD)
}

export function wmulUp(x: bigint, y: bigint): bigint {
  return divUp(x * y, WAD)
}

export function wmulDown(x: bigint, y: bigint): bigint {
  return (x * y) / WAD
}

export function wdiv(x: bigint, y: bigint): bigint {
  return frac(x, WAD, y)
}

export function wdivUp(x: bigint, y: bigint): bigint {
  return divUp(x * WAD, y)
}

export function wdivDown(x: bigint, y: bigint): bigint {
  return (x * WAD) / y
}

/** Signed product rounded to nearest, halves away from zero. */
export function wmulInt(x: bigint, y: bigint): bigint {
  return sign(x) * sign(y) * wmul(abs(x), abs(y))
}

/**
 * Signed product by the unsigned formula, a half added and then truncated toward zero: the published SDK's result where it
 * multiplies signed numbers. A negative product comes out up to a wei smaller in size than the nearest.
 */
export function wmulTruncated(x: bigint, y: bigint): bigint {
  return (x * y + WAD / 2n) / WAD
}

/** A ratio in basis points as a WAD fraction: 10000 becomes 1e18. */
export function ratioToWad(bps: number): bigint {
  return BigInt(bps) * BPS_TO_WAD
}

/** Relative distance of `p` from `q`, a WAD fraction. Source: perp-protocol 4 ("dev"). */
export function deviation(p: bigint, q: bigint): bigint {
  return wdiv(abs(p - q), q)
}
