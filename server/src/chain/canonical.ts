import { numberToHex } from 'viem'
import type { BlockRef } from './follow/store.ts'
import type { Rpc } from './rpc.ts'
import type { Hex } from './types.ts'

/** True while the node has this very block at its height. */
export async function isCanonical({ rpc }: { readonly rpc: Rpc }, { number, hash }: BlockRef): Promise<boolean> {
  const block = await rpc.call<{ hash: Hex } | null>('eth_getBlockByNumber', [numberToHex(number), false])
  return block?.hash === hash
}
