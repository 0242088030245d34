import { keccak256, toHex } from 'viem'
import type { Hex } from '../../chain/types.ts'

const ID_BITS = 63n

/**
 * The public id of the order that a transaction placed: 63 bits of the hash of where it was placed. A reorganisation that moves the
 * transaction to another block leaves it as it is. It is unique to its owner: two accounts may have the same, which none can see of the other.
 */
export function orderIdOf(txHash: Hex, indexInTransaction: number): bigint {
  const place = `${txHash}${toHex(indexInTransaction, { size: 4 }).slice(2)}` as Hex
  return BigInt(keccak256(place)) >> (256n - ID_BITS)
}

export const isOrderId = (id: bigint): boolean => id < 1n << ID_BITS

/** Tick and generation of an order as the contract packs them (perp-protocol 2.6). */
export const oidOf = (tick: number, nonce: number): bigint => (BigInt.asUintN(24, BigInt(tick)) << 24n) | BigInt(nonce)

/** Both ticks of a range, packed in the same way. */
export const ridOf = (tickLower: number, tickUpper: number): bigint =>
  (BigInt.asUintN(24, BigInt(tickLower)) << 24n) | BigInt.asUintN(24, BigInt(tickUpper))
