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
import { type ChainView, readView, stoodOn } from './view.ts'

/** Pause between looks at the database whether there is something to do, and between tries for the lock. */
const RETRY_MS = 2000
const LOOK_MS = 1000
/** A signer of which nothing comes is looked at this often at least. */
const QUIET_LOOK_MS = 10_000
const MAX_BACKOFF_MS = 60_000

/** What a look at one address leaves for the next. */
interface Looked {
  /** The look that is being made. */
  running: Promise<void> | null
  view: ChainView | null
  missesMined: boolean
  noted: Noted
  /** Looks in a row that found nothing new. */
  quiet: number
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
  const done = new AbortController()
  const over = AbortSignal.any([signal, lock.lost, done.signal])
  const paceMs = Math.min(Math.max(blockTimeMs, 100), LOOK_MS)
  const looked = new Map<Hex, Looked>()
  try {
    while (!over.aborted) {
      const signers = await unattendedSigners(sql, chainId)
      if (signers.length === 0 || !(await lock.isHeld())) return
      for (const signer of signers) {
        const last = looked.get(signer.address) ?? unlooked()
        looked.set(signer.address, last)
        // None waits for the look at another one: a search in it may take an hour.
        if (isDue(signer, last)) last.running = look(contextOf(signer.address, over), signer, last, paceMs)
      }
      await sleep(paceMs, over)
    }
  } finally {
    done.abort()
    await Promise.all([...looked.values()].map(({ running }) => running))
    await lock.release()
  }
}

const unlooked = (): Looked => ({
  running: null,
  view: null,
  missesMined: false,
  noted: nothingNoted(),
  quiet: 0,
  failures: 0,
  nextAtMs: 0,
})

/** Nothing can be judged before a signer has been asked: what came of looks before it was says nothing of that. */
function isDue({ isAsked }: Unattended, { running, failures, nextAtMs }: Looked): boolean {
  if (running !== null) return false
  return (isAsked && failures === 0) || Date.now() >= nextAtMs
}

/**
 * Trouble with one address, whatever it is, is none of the others'; the look is made again, each time later. The same goes for an address of
 * which nothing comes, such as one whose key is lost and whose nonce stays free.
 */
async function look(ctx: SendContext, signer: Unattended, last: Looked, paceMs: number): Promise<void> {
  const before = last.view
  try {
    await follow(ctx, signer, last)
    last.failures = 0
    const isQuiet = !last.missesMined && before !== null && before.chainNonce === last.view?.chainNonce
    last.quiet = isQuiet ? last.quiet + 1 : 0
    last.nextAtMs = isQuiet ? Date.now() + Math.min(paceMs * 2 ** last.quiet, QUIET_LOOK_MS) : 0
  } catch (error) {
    last.view = null
    last.nextAtMs = Date.now() + Math.min(LOOK_MS * 2 ** last.failures, MAX_BACKOFF_MS)
    last.failures++
    const level = error instanceof RpcError || isTransientDatabaseError(error) ? 'warn' : 'error'
    ctx.log[level]({ err: error, signer: signer.address }, 'a signer without a process could not be looked after')
  } finally {
    last.running = null
  }
}

/**
 * Receipts first. The bytes of a retired signer are signed and the venue's own, so they are broadcast until each nonce is used: by them, or
 * by another transaction of the key. What no node has ever taken goes back into the queue for another signer, by the rule for any
 * refusal. Nothing is signed, so no fee is raised. Those of a silent one are left to the process that may come back.
 */
async function follow(ctx: SendContext, { isRetired, isAsked }: Unattended, last: Looked): Promise<void> {
  const view = await readView(ctx.rpc, ctx.profile, ctx.lane.signer, Date.now())
  const { lost } = await confirm(ctx, view, await stoodOn(ctx.rpc, last, view))
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
