import { randomUUID } from 'node:crypto'
import { LeaseNotKeptError } from '../../db/lock-session.ts'
import { isTransientDatabaseError } from '../../db/transient.ts'
import { sleep } from '../../lib/clock.ts'
import { RpcError } from '../rpc-error.ts'
import {
  behindSigners,
  disputedNonce,
  meet,
  type Noted,
  noteUnderWay,
  nothingNoted,
  pauseBehind,
} from './accounting.ts'
import { accountedNonce, findPause, nonceWithoutIntents } from './accounting-store.ts'
import { rebroadcast, rebroadcastDue, rebroadcastFinal } from './broadcast.ts'
import { bumpStuck } from './bump.ts'
import { confirm } from './confirm.ts'
import type { SendContext } from './context.ts'
import { type Freed, leaveToPool, nothingFreed } from './freed-nonces.ts'
import { nothingNew } from './head-watch.ts'
import { nonceGaps } from './nonces.ts'
import { inFlight } from './outcome-store.ts'
import { isRetired } from './retired-store.ts'
import { type Parked, type Room, sendQueued } from './send-queued.ts'
import { type SignerLock, tryLockSigner } from './signer-lock.ts'
import { heldNonces, insertNoop, queuedNoops, saveSigner, type Work } from './store.ts'
import { type ChainView, type HeadView, readView, stoodOn } from './view.ts'

/** Pause between looks while there is something to send. */
const POLL_MS = 100
/** And while there is nothing: new intents are told of, but a hint may be lost. */
const REST_MS = 500
const LOCK_RETRY_MS = 2000
const MAX_BACKOFF_MS = 5000
/** A signer without work refreshes its status this often at least. */
const IDLE_VIEW_MS = 10_000
/** From this age on one signer at a look does so: those of all at once would hold up everything else for 50 ms. */
const EARLY_VIEW_MS = 9000
const PARK_MS = 1000
/** How long a signer that could not pay waits before it looks whether it can. */
const LOW_BALANCE_PAUSE_MS = 3000

/** So many readings in a row must show the database behind: a node may give a wrong count now and then. */
const BEHIND_READINGS = 5

/** Why a signer sends nothing new. */
export type StoppedReason =
  | 'first_count'
  | 'low_balance'
  | 'rpc_unavailable'
  | 'paused_by_operator'
  | 'database_behind_chain'

interface LaneState {
  view: ChainView | null
  viewStale: boolean
  /** The newest block that is known to stand on the view's, and to change nothing that the view says of mined intents. */
  watched: HeadView | null
  /** The chain lacked mined transactions at the last view: it is asked for them until it has them again. */
  missesMined: boolean
  /** An intent was in a block above the last view's head: it is looked at until a view shows that block, or another. */
  minedAhead: boolean
  parked: Parked
  parkedAtMs: number
  stopped: StoppedReason | null
  lowBalanceUntilMs: number
  /** Gaps seen among the nonces at the last view: filled when they are still there at the next. */
  gaps: readonly bigint[]
  /** Those of them that the chain had used without an intent. */
  readonly freed: Freed
  /** All signers were compared with the chain under this lock, or a pause was found, which says that somebody has. */
  compared: boolean
  /** The head at the first view under this lock. */
  firstHead: bigint | null
  /** Readings in a row by which the chain knows transactions of our signers that the database does not. */
  behindReadings: number
  /** While the database stands behind the chain: what was mined and is written down. */
  noted: Noted
  /** And the next nonce with all that is under way. */
  pendingNonce: bigint | null
}

/**
 * Works for one signer until `signal` aborts: takes its lock, then recover → confirm → send, round after round.
 * Ends after the round it is in, with the lock released. Throws what is neither the chain's nor the
 * database's passing trouble.
 */
export async function runWorker(ctx: SendContext, signal: AbortSignal): Promise<void> {
  const hindered = tellOnce(ctx)
  while (!signal.aborted) {
    let pauseMs = LOCK_RETRY_MS
    try {
      const lock = await tryLockSigner(ctx.sql, ctx.lane)
      if (lock) {
        const refusal = await useLock(ctx, lock, signal)
        hindered(refusal)
        if (refusal === null) pauseMs = POLL_MS
      }
    } catch (error) {
      if (error instanceof LeaseNotKeptError) hindered(error.message)
      else if (isTransientDatabaseError(error))
        ctx.log.warn({ err: error, signer: ctx.signer.address }, 'database trouble')
      else throw error
    }
    await sleep(pauseMs, signal)
  }
}

/** Tells what keeps the signer from working when it begins, not at each try; null when nothing does. */
function tellOnce({ log, signer }: SendContext): (what: string | null) => void {
  let told: string | null = null
  return (what) => {
    if (what !== null && what !== told) log.error({ signer: signer.address }, what)
    told = what
  }
}

/**
 * Works with the lock for as long as it is held, and gives it back whatever happens: on its session of its own it outlives an error of
 * the pool. Answers why the signer may not work at all.
 */
async function useLock(ctx: SendContext, lock: SignerLock, signal: AbortSignal): Promise<string | null> {
  const { signer } = ctx.lane
  try {
    // A key that was stolen must not come back by an old configuration.
    if (await isRetired(ctx.sql, ctx.lane)) {
      return `the signer ${signer} is retired and sends nothing: configure another key, or run "bourse intents reinstate ${signer}"`
    }
    await workUnderLock(ctx, lock, signal)
    return null
  } finally {
    await lock.release()
  }
}

async function workUnderLock(ctx: SendContext, lock: SignerLock, signal: AbortSignal): Promise<void> {
  const state: LaneState = {
    view: null,
    viewStale: true,
    watched: null,
    missesMined: false,
    minedAhead: false,
    parked: { ids: new Set(), keys: new Set() },
    parkedAtMs: 0,
    stopped: null,
    lowBalanceUntilMs: 0,
    gaps: [],
    freed: nothingFreed(),
    compared: false,
    firstHead: null,
    behindReadings: 0,
    noted: nothingNoted(),
    pendingNonce: null,
  }
  await ctx.passed('locked')
  const over = AbortSignal.any([signal, lock.lost])
  let failures = 0
  while (!over.aborted) {
    const { beats } = ctx.stored
    let isBusy = false
    try {
      const work = await ctx.work()
      isBusy = work.kind === 'send'
      const isViewDue = await needsView(ctx, state, work)
      if (isViewDue || work.kind === 'send') {
        if (!(await lock.isHeld())) return
        if (isViewDue) await followChain(ctx, state)
        if (work.kind === 'send' && state.view) await send(ctx, state, state.view)
      }
      failures = 0
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      failures++
      state.viewStale = true
      state.stopped = 'rpc_unavailable'
      ctx.log.warn({ err: error, signer: ctx.signer.address }, 'the chain node does not serve the relayer')
      await publish(ctx, state)
    }
    if (failures > 0) await sleep(Math.min(POLL_MS * 2 ** failures, MAX_BACKOFF_MS), over)
    else if (isBusy || state.viewStale) await sleep(untilNext(POLL_MS), over)
    else await ctx.stored.after(beats, untilNext(REST_MS), over)
  }
}

/** All workers look at the same moments, so that they share one statement. */
const untilNext = (paceMs: number): number => paceMs - (Date.now() % paceMs)

/** Whether the chain is to be read anew. Throws `RpcError`. */
async function needsView(ctx: SendContext, state: LaneState, { kind, firstMined }: Work): Promise<boolean> {
  if (state.viewStale || state.view === null) return true
  const ageMs = Date.now() - state.view.readAtMs
  if (kind === 'send') return ageMs >= Math.min(Math.max(ctx.profile.blockTimeMs / 4, 50), 2000)
  if (ageMs >= IDLE_VIEW_MS || (ageMs >= EARLY_VIEW_MS && ctx.idleTurn())) return true
  return kind === 'watch' && firstMined !== null && (await hasNewsOfMined(ctx, state, state.view, firstMined))
}

/** Whether the newest block may say something new of mined intents; whatever is not in order makes a signer look for itself. */
async function hasNewsOfMined(
  ctx: SendContext,
  state: LaneState,
  view: ChainView,
  firstMined: bigint,
): Promise<boolean> {
  const before = state.watched ?? view
  // A reading is of a moment after its look: two looks later is meant, not three.
  const ageMs = Date.now() - before.readAtMs + REST_MS / 2
  if (ageMs < Math.max(ctx.profile.blockTimeMs, 2 * REST_MS)) return false
  if (
    state.missesMined ||
    state.minedAhead ||
    state.behindReadings > 0 ||
    state.stopped !== null ||
    state.gaps.length > 0
  )
    return true
  const sinceMs = Date.now() - POLL_MS
  const head = await nothingNew(ctx.rpc, ctx.head, before, { firstMined, sinceMs })
  if (head !== null) state.watched = head
  return head === null
}

/** Reads the chain, then recovers and confirms. */
async function followChain(ctx: SendContext, state: LaneState): Promise<void> {
  const view = await readView(ctx.rpc, ctx.profile, ctx.signer.address, Date.now())
  const first = state.view === null
  const before = await stoodOn(ctx.rpc, state, view)
  // Bytes that a killed process stored and maybe never sent come first: what follows builds on their nonces.
  if (first) await rebroadcastDue(ctx, view)
  const { lost, ahead } = await confirm(ctx, view, before)
  await rebroadcast(ctx, lost)
  state.missesMined = lost.length > 0
  state.minedAhead = ahead
  if (before === null) await rebroadcastFinal(ctx, view.chainNonce)
  if (!first) await rebroadcastDue(ctx, view)
  const open = await inFlight(ctx.sql, ctx.lane)
  await bumpStuck(ctx, view, open)
  if (view.headHash !== state.view?.headHash || Date.now() - state.parkedAtMs > PARK_MS) {
    state.parked.ids.clear()
    state.parked.keys.clear()
    state.parkedAtMs = Date.now()
  }
  state.view = view
  state.watched = null
  state.viewStale = false
  const disputed = await disputedNonce(ctx, open)
  state.stopped = await reasonToStop(ctx, state, view, disputed)
  if (state.stopped === null) await closeGaps(ctx, state, view)
  await publish(ctx, state)
}

async function reasonToStop(
  ctx: SendContext,
  state: LaneState,
  view: ChainView,
  disputed: bigint | null,
): Promise<StoppedReason | null> {
  const paused = await findPause(ctx.sql, ctx.lane.chainId)
  if (paused?.reason === 'database_behind_chain') {
    // Once an operator has judged it, readings from before say nothing.
    state.behindReadings = 0
    state.compared = true
    state.pendingNonce = await noteUnderWay(ctx, view, state.noted)
    return 'database_behind_chain'
  }
  state.noted = nothingNoted()
  state.pendingNonce = null
  state.firstHead ??= view.headNumber
  const accounted = await accountedNonce(ctx.sql, ctx.lane)
  const isMet = accounted !== null || (await meet(ctx, view, state.firstHead))
  if (await isBehind(ctx, state, view, disputed, accounted)) return 'database_behind_chain'
  if (!isMet) return 'first_count'
  if (paused) return 'paused_by_operator'
  return view.balanceWei < ctx.minBalanceWei || Date.now() < state.lowBalanceUntilMs ? 'low_balance' : null
}

/**
 * Whether the database may stand behind the chain: asked of all signers until the node has told it once, and of this one at each
 * look; again at once while it seems so, or this one was not met before, until it does not or everything is paused. Throws `RpcError`: then it is asked at the next look.
 */
async function isBehind(
  ctx: SendContext,
  state: LaneState,
  view: ChainView,
  disputed: bigint | null,
  accounted: bigint | null,
): Promise<boolean> {
  const seemsSo = state.behindReadings > 0 || disputed !== null || accounted === null || view.chainNonce > accounted
  const behind = !state.compared || seemsSo ? await behindSigners(ctx, disputed) : []
  state.compared = true
  state.behindReadings = behind.length > 0 ? state.behindReadings + 1 : 0
  // A node that has unknown bytes at a nonce of ours and does not count them may be one of several: nothing is added to them.
  if (behind.length === 0) return disputed !== null
  state.viewStale = true
  if (state.behindReadings >= BEHIND_READINGS) await pauseBehind(ctx, behind)
  return true
}

async function send(ctx: SendContext, state: LaneState, view: ChainView): Promise<void> {
  if (state.stopped !== null) return
  const open = await inFlight(ctx.sql, ctx.lane)
  const free = ctx.profile.mempool.maxInFlight - open.length
  const { left } = state.freed
  const room = free > 0 ? { count: free, onlyGaps: false, left } : await roomInGaps(ctx, view, left)
  if (room.count === 0) return
  const result = await sendQueued(ctx, view, room, state.parked)
  state.viewStale ||= result.viewStale
  if (!result.outOfFunds) return
  state.stopped = 'low_balance'
  state.lowBalanceUntilMs = Date.now() + LOW_BALANCE_PAUSE_MS
  ctx.log.error({ signer: ctx.signer.address, balanceWei: String(view.balanceWei) }, 'the balance does not suffice')
  await publish(ctx, state)
}

/** What fills a gap goes beyond the cap: nothing above the gap can be mined before, so that room would never come. */
async function roomInGaps(ctx: SendContext, view: ChainView, left: ReadonlySet<bigint>): Promise<Room> {
  const gaps = (await gapsOf(ctx, view)).filter((nonce) => !left.has(nonce))
  const first = await nonceWithoutIntents(ctx.sql, ctx.lane)
  const forAny = gaps.filter((nonce) => nonce >= first).length
  return forAny > 0 ? { count: forAny, onlyGaps: false, left } : { count: gaps.length, onlyGaps: true, left }
}

/**
 * A gap that two looks in a row find, and that no queued intent has filled between them, is closed by an empty
 * transaction: everything above it would wait for ever. Not one that the node's pool may fill (`leaveToPool`).
 */
async function closeGaps(ctx: SendContext, state: LaneState, view: ChainView): Promise<void> {
  const gaps = await gapsOf(ctx, view)
  await leaveToPool(ctx, view, gaps, state.freed)
  const lasting = gaps.filter((nonce) => state.gaps.includes(nonce) && !state.freed.left.has(nonce))
  const purpose = ctx.signer.purposes[0]
  if (lasting.length > 0 && purpose !== undefined) {
    // Those of an earlier look may still wait, as the node estimates nothing or the balance is short: they close as many.
    const missing = lasting.slice(await queuedNoops(ctx.sql, ctx.lane, ctx.signer.purposes))
    if (missing.length > 0)
      ctx.log.warn({ signer: ctx.signer.address, gaps: missing.map(String) }, 'closing gaps among the nonces')
    for (const nonce of missing) {
      await insertNoop(ctx.sql, ctx.lane, purpose, `noop:${ctx.lane.signer}:${nonce}:${randomUUID()}`)
    }
  }
  state.gaps = lasting.length > 0 ? [] : gaps
}

const gapsOf = async (ctx: SendContext, view: ChainView): Promise<bigint[]> =>
  nonceGaps(view.chainNonce, await heldNonces(ctx.sql, ctx.lane, view.chainNonce))

const publish = (ctx: SendContext, state: LaneState): Promise<void> =>
  saveSigner(ctx.sql, ctx.lane, {
    purposes: ctx.signer.purposes,
    balanceWei: state.view?.balanceWei ?? null,
    chainNonce: state.view?.chainNonce ?? null,
    pendingNonce: state.pendingNonce,
    compared: state.compared,
    stoppedReason: state.stopped,
  })
