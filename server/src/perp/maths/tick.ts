import { WAD } from '../../lib/wad.ts'
import { ratioToWad } from './wad.ts'

// Ticks, square-root prices (96 fractional bits, "X96") and prices (WAD), exactly as the contracts have them
// (contracts/src/perp/maths/Tick.sol; perp-protocol 3.1).

export const Q96 = 2n ** 96n
export const MIN_TICK = -322_517
export const MAX_TICK = 443_636
/** Marks an unused slot of a packed word. */
export const EMPTY_TICK = 0x7fffff

const Q32 = 2n ** 32n
const Q128 = 2n ** 128n
const UINT256_MAX = 2n ** 256n - 1n

/** The nth is 2^128 / sqrt(1.0001)^(2^n): the public constants of this arithmetic. */
const INVERSE_ROOTS: readonly bigint[] = [
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

/** sqrt(1.0001^tick), X96, rounded up. Throws a `RangeError` outside of the curve's ticks. */
export function tickToSqrt(tick: number): bigint {
  if (!(tick >= MIN_TICK && tick <= MAX_TICK)) throw new RangeError(`tick ${tick} lies outside of the curve`)
  const magnitude = Math.abs(tick)
  let ratio = Q128
  for (const [bit, factor] of INVERSE_ROOTS.entries()) {
    if ((magnitude >> bit) & 1) ratio = (ratio * factor) >> 128n
  }
  if (tick > 0) ratio = UINT256_MAX / ratio
  return (ratio + Q32 - 1n) / Q32
}

/** Price (WAD) of a square-root price; the one wei on top makes tick, price, tick a round trip. */
export const sqrtToPrice = (sqrtPX96: bigint): bigint => (((sqrtPX96 * sqrtPX96) / Q96) * WAD) / Q96 + 1n

/** Price (WAD) of a tick. */
export const tickToPrice = (tick: number): bigint => sqrtToPrice(tickToSqrt(tick))

/** Square-root price of a price (WAD), rounded down. */
export const priceToSqrt = (priceWad: bigint): bigint => squareRoot(((priceWad * Q96) / WAD) * Q96)

/** The greatest tick of the curve whose square-root price does not exceed that of a price (WAD). */
export const priceToTick = (priceWad: bigint): number => sqrtToTick(priceToSqrt(priceWad))

/** Least distance in ticks of a range's edge from the price: the tick of one plus the initial margin ratio, in basis points. */
export const minRangeTickDelta = (initialMarginRatio: number): number =>
  priceToTick(WAD + ratioToWad(initialMarginRatio))

/** The greatest tick of the curve whose square-root price does not exceed this one; the first where none does. */
export function sqrtToTick(sqrtPX96: bigint): number {
  let [low, high] = [MIN_TICK, MAX_TICK]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (tickToSqrt(middle) <= sqrtPX96) low = middle
    else high = middle - 1
  }
  return low
}

/** Floor of the square root, by Newton's iteration from above. */
function squareRoot(x: bigint): bigint {
  if (x < 2n) return x
  let root = 1n << BigInt((x.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (root + x / root) >> 1n
    if (next >= root) return root
    root = next
  }
}

/** The greatest multiple of `spacing` at or below a tick. */
export const alignDown = (tick: number, spacing: number): number => Math.floor(tick / spacing) * spacing

/** The least multiple of `spacing` at or above a tick. */
export const alignUp = (tick: number, spacing: number): number => Math.ceil(tick / spacing) * spacing
