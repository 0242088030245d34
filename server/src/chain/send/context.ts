import type { Sql } from '../../db/pool.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Pulse } from '../../lib/pulse.ts'
import type { ChainProfile } from '../profiles.ts'
import type { Rpc } from '../rpc.ts'
import type { HeadWatch } from './head-watch.ts'
import type { Signer } from './signer.ts'
import type { SendStep } from './steps.ts'
import type { Lane, Work } from './store.ts'

/** What every phase of a signer's worker works with. */
export interface SendContext {
  readonly sql: Sql
  readonly rpc: Rpc
  readonly profile: ChainProfile
  readonly signer: Signer
  readonly lane: Lane
  readonly log: Logger
  /** Balance below which nothing new is sent. */
  readonly minBalanceWei: bigint
  /** What the signer has to do, by a look at the database that began after it was asked for. */
  readonly work: () => Promise<Work>
  /** Beats when intents have been stored. */
  readonly stored: Pulse
  readonly head: HeadWatch
  /** True for one of the signers without work that ask at the same look. */
  readonly idleTurn: () => boolean
  /** Called at each named step. */
  readonly passed: (step: SendStep) => void | Promise<void>
  /** Aborts when the work is to end: a long search does not go on. */
  readonly over: AbortSignal
}

const REBROADCAST_BLOCKS = 4
const MIN_REBROADCAST_MS = 500

/** Time without a receipt after which the same bytes are broadcast again: mempools forget. */
export const rebroadcastAfterMs = (profile: ChainProfile): number =>
  Math.max(profile.blockTimeMs * REBROADCAST_BLOCKS, MIN_REBROADCAST_MS)
