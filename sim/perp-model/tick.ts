/**
 * Ticks and prices. A tick is a power of 1.0001; a square-root price is fixed point with 96 fractional bits ("X96");
 * a price is quote per base as WAD. Source: perp-protocol 2.1 and 3.1.
 */
import { require } from './revert.ts'
import { divUp, WAD } from './wad.ts'

export const Q96 = 2n ** 96n
export const MIN_TICK = -322_517
export const MAX_TICK = 443_636
export const MIN_SQRT = 7_867_958_450_021_363_558_555n
export const MAX_SQRT = 340_275_971_719_517_849_884_101_479_065_584_693_834n
/** Marks an unused tick slot of a packed word: the largest int24. */
export const EMPTY_TICK = 0x7f_ffff

/** Entry i is 2^128 / sqrt(1.0001)^(2^i), the public constants of Uniswap v3. */
const INVERSE_ROOTS_X128: readonly bigint[] = [
  0xfffcb933bd6fad37aa2d162d1a594001n,
  0xfff97272373d413259a46990580e213an,
  0xfff2e50f5f656932ef12357cf3c7fdccn,
  0xffe5caca7e10e4e61c3624eaa0941cd0n,
  0xffcb9843d60f6159c9db58835c926644n,
  0xff973b41fa98c081472e6896dfb254c0n,
  0xff2ea16466c96a3843ec78b326b52861n,
  0xfe5dee046a99a2a811c461f1969c3053n,
  0xfcbe86c7900a88aedcffc83b479aa3a4n,
  0xf987a7253ac413176f2b074cf7815e54n,
  0xf3392b0822b70005940c7a398e4b70f3n,
  0xe7159475a2c29b7443b29c7fa6e889d9n,
  0xd097f3bdfd2022b8845ad8f792aa5825n,
  0xa9f746462d870fdf8a65dc1f90e061e5n,
  0x70d869a156d2a1b890bb3df62baf32f7n,
  0x31be135f97d08fd981231505542fcfa6n,
  0x9aa508b5b7a84e1c677de54f3e99bc9n,
  0x5d6af8dedb81196699c329225ee604n,
  0x2216e584f5fa1ea926041bedfe98n,
  0x48a170391f7dc42444e8fa2n,
]

const ONE_X128 = 2n ** 128n
const MAX_UINT256 = 2n ** 256n - 1n

/** sqrt(1.0001^tick), X96, rounded up. Reverts `TickOutOfBound`. */
export function tickToSqrt(tick: number): bigint {
  require(tick >= MIN_TICK && tick <= MAX_TICK, 'TickOutOfBound')
  const magnitude = Math.abs(tick)
  let ratioX128 = ONE_X128
  INVERSE_ROOTS_X128.forEach((factor, bit) => {
    if ((magnitude >> bit) & 1) ratioX128 = (ratioX128 * factor) >> 128n
  })
  if (tick > 0) ratioX128 = MAX_UINT256 / ratioX128
  return divUp(ratioX128, 2n ** 32n)
}

/**
 * The greatest tick whose square-root price does not exceed `sqrtPX96`. Reverts `SqrtPX96OutOfBound`; the upper bound
 * itself is out, as in Uniswap v3 and the published SDK.
 */
export function sqrtToTick(sqrtPX96: bigint): number {
  require(sqrtPX96 >= MIN_SQRT && sqrtPX96 < MAX_SQRT, 'SqrtPX96OutOfBound')
  let low = MIN_TICK
  let high = MAX_TICK
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (tickToSqrt(middle) <= sqrtPX96) low = middle
    else high = middle - 1
  }
  return low
}

/**
 * Price (WAD) of a square-root price. The last wei makes tick, price, tick a round trip, as the published SDK has it.
 * Source: perp-protocol 3.1.
 */
export function sqrtToPrice(sqrtPX96: bigint): bigint {
  return (((sqrtPX96 * sqrtPX96) / Q96) * WAD) / Q96 + 1n
}

export function priceToSqrt(priceWad: bigint): bigint {
  return squareRoot(((priceWad * Q96) / WAD) * Q96)
}

export function tickToPrice(tick: number): bigint {
  return sqrtToPrice(tickToSqrt(tick))
}

export function priceToTick(priceWad: bigint): number {
  return sqrtToTick(priceToSqrt(priceWad))
}

/** The nearest multiple of `spacing` at or below `tick`. */
export function alignDown(tick: number, spacing: number): number {
  return Math.floor(tick / spacing) * spacing + 0
}

/** The nearest multiple of `spacing` at or above `tick`. */
export function alignUp(tick: number, spacing: number): number {
  return Math.ceil(tick / spacing) * spacing + 0 // turns -0 into 0
}

/** Floor of the square root, by Newton's iteration from above. */
export function squareRoot(x: bigint): bigint {
  if (x < 2n) return x
  let root = 1n << BigInt((x.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (root + x / root) >> 1n
    if (next >= root) return root
    root = next
  }
}
