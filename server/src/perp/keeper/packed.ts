import type { Hex } from '../../chain/types.ts'

/** The packed arguments of what the keeper calls (perp-protocol 1.2); bits count from the least significant one. */

type Field = readonly [value: bigint | number, bits: number]

/** The lowest and the highest tick that a word holds: any price. */
const LOWEST_TICK = -(2 ** 23)
const HIGHEST_TICK = 2 ** 23 - 1
const NO_DEADLINE = 0

export const fillWord = (expiry: number, target: Hex, order: { readonly tick: number; readonly nonce: number }): Hex =>
  packed([expiry, 32], [BigInt(target), 160], [order.tick, 24], [order.nonce, 24])

export const removeWords = (
  expiry: number,
  target: Hex,
  { tickLower, tickUpper }: { readonly tickLower: number; readonly tickUpper: number },
): readonly [Hex, Hex] => [
  packed([expiry, 32], [HIGHEST_TICK, 24], [LOWEST_TICK, 24], [NO_DEADLINE, 32]),
  packed([BigInt(target), 160], [tickLower, 24], [tickUpper, 24]),
]

/** A trade without margin in or out. */
export const tradeWords = (expiry: number, limitTick: number, sizeWad: bigint): readonly [Hex, Hex] => [
  packed([expiry, 32], [limitTick, 24], [NO_DEADLINE, 32]),
  packed([0, 128], [sizeWad, 128]),
]

/** Fields from the least significant bit on; signed ones in two's complement. */
function packed(...fields: readonly Field[]): Hex {
  let word = 0n
  let shift = 0n
  for (const [value, bits] of fields) {
    word |= BigInt.asUintN(bits, BigInt(value)) << shift
    shift += BigInt(bits)
  }
  return `0x${word.toString(16).padStart(64, '0')}`
}
