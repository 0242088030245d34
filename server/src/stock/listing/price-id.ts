import { keccak256, toBytes } from 'viem'
import type { Hex } from '../../chain/types.ts'

const known = new Map<string, Hex>()

/** The oracle's id of a listed ticker (stock-api 7). */
export function priceIdOf(ticker: string): Hex {
  const id = known.get(ticker) ?? keccak256(toBytes(ticker))
  known.set(ticker, id)
  return id
}
