import { keccak256, toBytes } from 'viem'
import type { Hex } from '../../chain/types.ts'

/** The oracle's id of a ticker (stock-api 7). */
export const priceIdOf = (ticker: string): Hex => keccak256(toBytes(ticker))
