import { keccak256 } from 'viem'
import type { Hex } from '../types.ts'

const FILTER_BYTES = 256

/** The three bits that a value sets in a 2048-bit log filter, as byte index and mask (Ethereum yellow paper, 4.3.1). */
export interface BloomBits {
  readonly bytes: readonly number[]
  readonly masks: readonly number[]
}

export function bloomBits(value: Hex): BloomBits {
  const hash = Buffer.from(keccak256(value).slice(2), 'hex')
  const bits = [0, 2, 4].map((offset) => hash.readUInt16BE(offset) & 2047)
  return { bytes: bits.map((bit) => FILTER_BYTES - 1 - (bit >> 3)), masks: bits.map((bit) => 1 << (bit & 7)) }
}

/** False only when a block with this filter certainly holds no log of any of the addresses. */
export function mayContain(logsBloom: Hex, addresses: readonly BloomBits[]): boolean {
  const filter = Buffer.from(logsBloom.slice(2), 'hex')
  if (filter.length !== FILTER_BYTES) return true
  return addresses.some(({ bytes, masks }) =>
    bytes.every((byte, index) => ((filter[byte] ?? 0) & (masks[index] ?? 0)) !== 0),
  )
}
