import { WAD } from '../../lib/wad.ts'

// Ticks and prices (perp-protocol 3.1): a tick t stands for the price 1.0001^t, with 18 decimals; a square-root price is
// sqrt(price)·2^96.

export const MIN_TICK = -322_517
export const MAX_TICK = 443_636
/** Marks an unused slot of a packed word. */
export const EMPTY_TICK = 0x7fffff

const Q96 = 1n << 96n
const ONE_X128 = 1n << 128n
const LARGEST_UINT256 = (1n << 256n) - 1n

/** 2^128 / sqrt(1.0001)^(2^i), rounded as the protocol has them. */
const FACTORS_X128: readonly bigint[] = [
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
]

/** The square-root price of a tick, rounded up. Throws `RangeError` beyond the ticks there are. */
export function tickToSqrt(tick: number): bigint {
  if (tick < MIN_TICK || tick > MAX_TICK) throw new RangeError(`${tick} is no tick`)
  const distance = Math.abs(tick)
  const inverse = FACTORS_X128.reduce(
    (ratio, factor, bit) => (distance & (1 << bit) ? (ratio * factor) >> 128n : ratio),
    ONE_X128,
  )
  const ratio = tick > 0 ? LARGEST_UINT256 / inverse : inverse
  return (ratio + (1n << 32n) - 1n) >> 32n
}

/** Price of a square-root price; the one wei on top makes tick, price, tick the identity. */
export const sqrtToPrice = (sqrtPX96: bigint): bigint => ((((sqrtPX96 * sqrtPX96) >> 96n) * WAD) >> 96n) + 1n

export const tickToPrice = (tick: number): bigint => sqrtToPrice(tickToSqrt(tick))

/** The greatest tick whose square-root price is not above this one; the last of the ticks there are for prices beyond them. */
export function sqrtToTick(sqrtPX96: bigint): number {
  let [low, high] = [MIN_TICK, MAX_TICK]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (tickToSqrt(middle) <= sqrtPX96) low = middle
    else high = middle - 1
  }
  return low
}

/** The tick at or below a price; the last of the ticks there are for prices beyond them. */
export const priceToTick = (priceWad: bigint): number => sqrtToTick(squareRoot(((priceWad << 96n) / WAD) * Q96))

/** The greatest whole number whose square is not above `x`. */
function squareRoot(x: bigint): bigint {
  if (x < 2n) return x
  let root = 1n << BigInt((x.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (root + x / root) >> 1n
    if (next >= root) return root
    root = next
  }
}
