import type { Rpc } from '../chain/rpc.ts'
import { sharedRpc } from '../chain/shared-rpc.ts'
import type { Venue } from '../http/product.ts'
import { KnownGas } from './known-gas.ts'
import { SEND_LIMITS, type SendLimits, SendQueue } from './send-queue.ts'

/** What the sends of all products share in one process. */
export interface SendDesk {
  /** The chain's node, for checks that many sends make at once. */
  readonly rpc: Rpc
  /** What sends have needed. */
  readonly knownGas: KnownGas
  /** Where a send waits before anything is done for it. */
  readonly queue: SendQueue
}

/** Opens the desk; one a process. */
export const openSendDesk = (
  { rpc, clock }: Pick<Venue, 'rpc' | 'clock'>,
  limits: SendLimits = SEND_LIMITS,
): SendDesk => ({
  rpc: sharedRpc(rpc),
  knownGas: new KnownGas(clock),
  queue: new SendQueue(limits),
})
