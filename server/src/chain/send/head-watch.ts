import { shareNext } from '../../lib/share-next.ts'
import type { ChainProfile } from '../profiles.ts'
import type { Rpc } from '../rpc.ts'
import { type HeadView, readHeadView } from './view.ts'

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
