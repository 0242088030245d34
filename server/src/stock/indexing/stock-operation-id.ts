import { keccak256, toHex } from 'viem'
import type { Hex } from '../../chain/types.ts'

/** Where on chain a move of stock happened. */
export interface EventPlace {
  readonly chainId: number
  readonly transactionHash: Hex
  /** Position among the transaction's logs, from 0. */
  readonly indexInTransaction: number
}

/**
 * The id of a stock deposit or withdrawal, which its event lacks (seed 6A): the hash of chain id, transaction hash and the
 * event's index within the transaction, as 32-byte words. It stays the same wherever the transaction is mined.
 */
export function stockOperationId({ chainId, transactionHash, indexInTransaction }: EventPlace): Hex {
  const words = [toHex(chainId, { size: 32 }), transactionHash, toHex(indexInTransaction, { size: 32 })]
  return keccak256(`0x${words.map((word) => word.slice(2)).join('')}`)
}
