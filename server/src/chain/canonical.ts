import type { BlockRef } from './follow/store.ts'
import { blockCall } from './on-block.ts'
import type { Rpc } from './rpc.ts'
import type { Hex } from './types.ts'

/** True while the node has this very block at its height. */
export async function isCanonical({ rpc }: { readonly rpc: Rpc }, { number, hash }: BlockRef): Promise<boolean> {
  const { method, params } = blockCall(number)
  const block = await rpc.call<{ hash: Hex } | null>(method, params)
  return block?.hash === hash
}
