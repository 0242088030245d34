import { shareNext } from '../../lib/share-next.ts'
import type { ChainProfile } from '../profiles.ts'
import type { Rpc } from '../rpc.ts'
import { type HeadView, isUnlinked, readHeadView } from './view.ts'

/** The newest block by a reading that began at `sinceMs` or later: one for all signers that ask for one meanwhile. */
export type HeadWatch = (sinceMs: number) => Promise<HeadView>

export function watchHead(rpc: Rpc, profile: ChainProfile): HeadWatch {
  let last: HeadView | null = null
  const read = shareNext(async () => {
    last = await readHeadView(rpc, profile, Date.now())
    return last
  })
  return async (sinceMs) => (last !== null && last.readAtMs >= sinceMs ? last : read())
}

/**
 * The newest block where it says nothing new of intents that are mined: it stands on `before`, and none of them is final by it. Null
 * where it may, so that the signer has to look for itself. Throws `RpcError`.
 *
 * @param firstMined the block of the first mined intent
 */
export async function nothingNew(
  rpc: Rpc,
  watch: HeadWatch,
  before: HeadView,
  { firstMined, sinceMs }: { readonly firstMined: bigint; readonly sinceMs: number },
): Promise<HeadView | null> {
  const head = await watch(sinceMs)
  return firstMined <= head.finalNumber || (await isUnlinked(rpc, before, head)) ? null : head
}
