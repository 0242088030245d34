import { abs } from '../../lib/bigints.ts'
import { divideUp, mulWadDown, WAD } from '../../lib/wad.ts'

// Arithmetic with 18 decimals and the protocol's rounding (perp-protocol 0.3). Arguments are not negative unless said otherwise.

/** One, in basis points. */
export const RATIO_BASE = 10_000n

/** `x·y/z`, to nearest. */
export const frac = (x: bigint, y: bigint, z: bigint): bigint => (x * y + z / 2n) / z

/** To nearest. */
export const mulWad = (x: bigint, y: bigint): bigint => frac(x, y, WAD)

/** Product of signed numbers, rounded to nearest, halves away from zero. */
export const mulWadSigned = (x: bigint, y: bigint): bigint =>
  x < 0n !== y < 0n ? -mulWad(abs(x), abs(y)) : mulWad(abs(x), abs(y))

/** To nearest. */
export const divWad = (x: bigint, y: bigint): bigint => frac(x, WAD, y)

export const divWadUp = (x: bigint, y: bigint): bigint => divideUp(x * WAD, y)

/** The part of a taker's fee that goes to ranges and resting orders, the protocol's part not counted (perp-protocol 3.5). */
export const tradingFee = (notionalWad: bigint, feeRatioBps: number): bigint =>
  mulWadDown(notionalWad, ratioToWad(feeRatioBps))

/** A price, or a margin, with so many basis points on top; cut. */
export const movedBy = (wad: bigint, bps: number): bigint => (wad * (RATIO_BASE + BigInt(bps))) / RATIO_BASE

/** Basis points with 18 decimals. */
export const ratioToWad = (bps: number): bigint => BigInt(bps) * (WAD / RATIO_BASE)
