import type { Rpc } from '../chain/rpc.ts'
import { sharedRpc } from '../chain/shared-rpc.ts'
import type { Venue } from '../http/product.ts'
import { Turns } from '../lib/turns.ts'
import { SEND_LIMITS, type SendLimits, SendQueue } from './send-queue.ts'

/** What the sends of all products share in one process. */
export interface SendDesk {
  /** The chain's node, for checks that many sends make at once. */
  readonly rpc: Rpc
  /** Where a send waits before anything is done for it. */
  readonly queue: SendQueue
  /** Waits until a send of the key may be stored; the answer ends its turn. */
  takeTurn(keyId: string): Promise<() => void>
}

/**
 * The budget of a key is locked until its send is stored: one more may stand ready behind that lock, and no third; it waits
 * here, without a connection that others could use.
 */
const SENDS_OF_KEY_AT_ONCE = 2
/** Share of the pool that sends may hold; the rest serves reads and authentication. */
const CONNECTIONS_SHARE = 2 / 3

/** Opens the desk; one a process, since its turns are those of one pool of connections. */
export function openSendDesk({ sql, rpc }: Pick<Venue, 'sql' | 'rpc'>, limits: SendLimits = SEND_LIMITS): SendDesk {
  const ofKey = new Turns(SENDS_OF_KEY_AT_ONCE)
  // Bounded because each holds a connection of its own.
  let ofAll: Turns | undefined
  return {
    rpc: sharedRpc(rpc),
    queue: new SendQueue(limits),
    async takeTurn(keyId) {
      const endOfKey = await ofKey.take(keyId)
      ofAll ??= new Turns(Math.max(1, Math.floor(sql.options.max * CONNECTIONS_SHARE)))
      const endOfAll = await ofAll.take('')
      return () => {
        endOfAll()
        endOfKey()
      }
    },
  }
}
