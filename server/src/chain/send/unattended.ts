import { LeaseNotKeptError } from '../../db/lock-session.ts'
import { isTransientDatabaseError } from '../../db/transient.ts'
import { sleep } from '../../lib/clock.ts'
import { RpcError } from '../rpc-error.ts'
import type { Hex } from '../types.ts'
import { type Noted, noteUnderWay, nothingNoted } from './accounting.ts'
import { tellUnderWay } from './accounting-store.ts'
import { rebroadcast, rebroadcastDue } from './broadcast.ts'
import { confirm } from './confirm.ts'
import type { SendContext } from './context.ts'
import { type SignerLock, tryLock } from './signer-lock.ts'
import { type Unattended, unattendedSigners } from './unattended-store.ts'
import { type ChainView, isUnlinked, readView } from './view.ts'

/** Pause between looks at the database whether there is something to do, and between tries for the lock. */
const RETRY_MS = 2000
const LOOK_MS = 1000
const MAX_BACKOFF_MS = 60_000

/** What a look at one address leaves for the next. */
interface Looked {
  view: ChainView | null
  missesMined: boolean
  noted: Noted
  failures: number
  nextAtMs: number
}

export interface UnattendedOptions {
  readonly sql: SendContext['sql']
  readonly log: SendContext['log']
  readonly chainId: number
  readonly blockTimeMs: number
  /** What a look at this address works with; it signs nothing. */
  readonly contextOf: (address: Hex, over: AbortSignal) => SendContext
}

/**
 * Looks after the signers for which no process works, until `signal` aborts: brings what retired ones had under way to its end, and
 * while sending is paused because the database stands behind the chain, tells what silent ones may have sent. One process does
 * it at a time, and beside the workers: whatever such an address has done keeps no living signer from sending. Throws what is not
 * passing trouble of the database.
 */
export async function followUnattended(options: UnattendedOptions, signal: AbortSignal): Promise<void> {
  const { sql, log, chainId } = options
  while (!signal.aborted) {
    try {
      const isNeeded = (await unattendedSigners(sql, chainId)).length > 0
      const lock = isNeeded ? await tryLock(sql, `unattended signers ${chainId}`) : null
      if (lock) await followUnderLock(options, lock, signal)
    } catch (error) {
      if (!isTransientDatabaseError(error) && !(error instanceof LeaseNotKeptError)) throw error
      log.warn({ err: error }, 'database trouble; signers without a process are looked after later')
    }
    await sleep(RETRY_MS, signal)
  }
}

async function followUnderLock(options: UnattendedOptions, lock: SignerLock, signal: AbortSignal): Promise<void> {
  const { sql, chainId, blockTimeMs, contextOf } = options
  const over = AbortSignal.any([signal, lock.lost])
  const looked = new Map<Hex, Looked>()
  try {
    while (!over.aborted) {
      const signers = await unattendedSigners(sql, chainId)
      if (signers.length === 0 || !(await lock.isHeld())) return
      await Promise.all(
        signers.map((signer) => {
          const last = looked.get(signer.address) ?? unlooked()
          looked.set(signer.address, last)
          return Date.now() < last.nextAtMs ? null : look(contextOf(signer.address, over), signer, last)
        }),
      )
      await sleep(Math.min(Math.max(blockTimeMs, 100), LOOK_MS), over)
    }
  } finally {
    await lock.release()
  }
}

const unlooked = (): Looked => ({ view: null, missesMined: false, noted: nothingNoted(), failures: 0, nextAtMs: 0 })

/** Trouble with one address, whatever it is, is none of the others'; the look is made again, each time later. */
async function look(ctx: SendContext, signer: Unattended, last: Looked): Promise<void> {
  try {
    await follow(ctx, signer, last)
    last.failures = 0
  } catch (error) {
    last.view = null
    last.nextAtMs = Date.now() + Math.min(LOOK_MS * 2 ** last.failures, MAX_BACKOFF_MS)
    last.failures++
    const level = error instanceof RpcError || isTransientDatabaseError(error) ? 'warn' : 'error'
    ctx.log[level]({ err: error, signer: signer.address }, 'a signer without a process could not be looked after')
  }
}

/**
 * Receipts first. The bytes of a retired signer are signed and the venue's own, so they are broadcast until each nonce is used: by them, or
 * by another transaction of the key. What no node has ever taken goes back into the queue for another signer, by the rule for any
 * refusal. Nothing is signed, so no fee is raised. Those of a silent one are left to the process that may come back.
 */
async function follow(ctx: SendContext, { isRetired, isAsked }: Unattended, last: Looked): Promise<void> {
  const view = await readView(ctx.rpc, ctx.profile, ctx.lane.signer, Date.now())
  const recheck = last.view === null || last.missesMined || (await isUnlinked(ctx.rpc, last.view, view))
  const lost = await confirm(ctx, view, recheck)
  last.missesMined = lost.length > 0
  last.view = view
  if (isRetired) {
    await rebroadcast(ctx, lost)
    await rebroadcastDue(ctx, view)
  }
  // What was mined is written down before it is told that nothing else is under way: an operator judges as soon as he reads that.
  if (isAsked) await tellUnderWay(ctx.sql, ctx.lane, await noteUnderWay(ctx, view, last.noted))
  else last.noted = nothingNoted()
}
