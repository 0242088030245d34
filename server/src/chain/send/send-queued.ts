import { inTransaction, type Tx } from '../../db/pool.ts'
import { max } from '../../lib/bigints.ts'
import { adoptUnaccounted, carriedOut, nonceWithoutIntents, pauseDuring } from './accounting-store.ts'
import { broadcast } from './broadcast.ts'
import type { SendContext } from './context.ts'
import { type Fees, freshFees } from './fees.ts'
import { allocateNonces } from './nonces.ts'
import { simulate } from './simulate.ts'
import {
  type Candidate,
  committedCostWei,
  heldNonces,
  lockQueued,
  rejectQueued,
  type SignedIntent,
  storeSigned,
} from './store.ts'
import type { ChainView } from './view.ts'

/** How many more may be in flight. */
export interface Room {
  readonly count: number
  /** Only such as close gaps among the nonces. */
  readonly onlyGaps: boolean
  /** Gaps that are not closed now. */
  readonly left: ReadonlySet<bigint>
}

/** Candidates that cannot be sent at this head; they are left alone until the head moves. */
export interface Parked {
  readonly ids: Set<bigint>
  readonly keys: Set<string>
}

export interface SendResult {
  readonly sent: number
  /** The balance does not suffice for the next intent. */
  readonly outOfFunds: boolean
  readonly viewStale: boolean
}

interface Ready {
  readonly candidate: Candidate
  readonly gasLimit: bigint
}

/** Sends queued intents: locked, simulated, given nonces, signed and stored in one transaction, then broadcast. */
export async function sendQueued(ctx: SendContext, view: ChainView, room: Room, parked: Parked): Promise<SendResult> {
  const fees = freshFees(view.baseFeeWei, view.tipWei, ctx.profile.fee)
  const prepared = await inTransaction(ctx.sql, async (tx) => {
    if (await pauseDuring(tx, ctx.lane.chainId)) return { signed: [], outOfFunds: false }
    const queued = await lockQueued(tx, ctx.lane, {
      purposes: ctx.signer.purposes,
      headNumber: view.headNumber,
      limit: room.count,
      onlyGaps: room.onlyGaps,
      parkedIds: [...parked.ids],
      parkedKeys: [...parked.keys],
    })
    const candidates = await withoutMined(ctx, tx, queued, parked)
    if (candidates.length === 0) return { signed: [], outOfFunds: false }
    await ctx.passed('selected')
    const { ready, short } = await sift(ctx, tx, view, candidates, parked)
    await ctx.passed('simulated')
    const { affordable, outOfFunds } = await withinBalance(ctx, tx, view, ready, fees)
    const signed = await sign(ctx, tx, view, affordable, fees, room.left)
    await ctx.passed('signed')
    if (signed.length > 0) await storeSigned(tx, ctx.lane, signed)
    return { signed, outOfFunds: outOfFunds || short }
  })
  if (prepared.signed.length === 0) return { sent: 0, outOfFunds: prepared.outOfFunds, viewStale: false }
  await ctx.passed('stored')
  const result = await broadcast(ctx, prepared.signed, 'answered')
  return {
    sent: prepared.signed.length,
    outOfFunds: prepared.outOfFunds || result.outOfFunds,
    viewStale: result.viewStale,
  }
}

/**
 * What was mined before the database was put back to an earlier state is not sent again: it takes that transaction over, or waits
 * while it cannot.
 */
async function withoutMined(
  ctx: SendContext,
  tx: Tx,
  queued: readonly Candidate[],
  parked: Parked,
): Promise<readonly Candidate[]> {
  if (queued.length === 0) return queued
  const { chainId } = ctx.lane
  const ids = queued.map(({ id }) => id)
  const done = await carriedOut(tx, chainId, ids)
  const left: Candidate[] = []
  for (const candidate of queued) {
    if (!done.has(candidate.id)) left.push(candidate)
    else if (!(await adoptUnaccounted(tx, chainId, candidate.id))) park(candidate, parked)
  }
  return left
}

/**
 * Rejects what cannot succeed, parks what must wait, and returns what can go now, in order; `short` when the node said of
 * one that the signer cannot pay its value.
 */
async function sift(
  ctx: SendContext,
  tx: Tx,
  view: ChainView,
  candidates: readonly Candidate[],
  parked: Parked,
): Promise<{ ready: Ready[]; short: boolean }> {
  const inOrder = withoutOvertaking(candidates)
  const simulations = await simulate(ctx, view, inOrder)
  const ready: Ready[] = []
  let short = false
  for (const [index, candidate] of inOrder.entries()) {
    const simulation = simulations[index]
    if (!simulation || (candidate.orderingKey !== null && parked.keys.has(candidate.orderingKey))) continue
    if (simulation.kind === 'passed') {
      ready.push({ candidate, gasLimit: simulation.gasLimit })
    } else if (simulation.kind === 'reverted' && !dependsOnPending(candidate, ready)) {
      const why = { problem: `the simulation failed: ${simulation.message}`, revertData: simulation.data }
      await rejectQueued(tx, ctx.lane.chainId, candidate.id, why)
      ctx.log.info({ intent: String(candidate.id), data: simulation.data }, 'intent rejected by its simulation')
    } else {
      if (simulation.kind !== 'reverted') ctx.log.warn({ intent: String(candidate.id), simulation }, 'not simulated')
      short ||= simulation.kind === 'funds'
      park(candidate, parked)
    }
  }
  return { ready, short }
}

/** Drops candidates whose predecessor with the same ordering key is not among them. */
function withoutOvertaking(candidates: readonly Candidate[]): Candidate[] {
  const taken = new Map<string, number>()
  return candidates.filter(({ orderingKey, queuedBefore }) => {
    if (orderingKey === null) return true
    const before = taken.get(orderingKey) ?? 0
    if (before < queuedBefore) return false
    taken.set(orderingKey, before + 1)
    return true
  })
}

/** A revert says nothing while a predecessor with the same ordering key is not yet in the state it was run on. */
const dependsOnPending = (candidate: Candidate, ready: readonly Ready[]): boolean =>
  candidate.waitsForPending ||
  (candidate.orderingKey !== null && ready.some((other) => other.candidate.orderingKey === candidate.orderingKey))

function park(candidate: Candidate, parked: Parked): void {
  if (candidate.orderingKey === null) parked.ids.add(candidate.id)
  else parked.keys.add(candidate.orderingKey)
}

/** The first of `ready` that the balance covers at the full gas limit, beside what is already in flight. */
async function withinBalance(
  ctx: SendContext,
  tx: Tx,
  view: ChainView,
  ready: readonly Ready[],
  fees: Fees,
): Promise<{ affordable: readonly Ready[]; outOfFunds: boolean }> {
  let leftWei = view.balanceWei - ctx.minBalanceWei - (await committedCostWei(tx, ctx.lane))
  const short = ready.findIndex(({ candidate, gasLimit }) => {
    leftWei -= candidate.valueWei + gasLimit * fees.maxFeeWei
    return leftWei < 0n
  })
  return short < 0 ? { affordable: ready, outOfFunds: false } : { affordable: ready.slice(0, short), outOfFunds: true }
}

/**
 * Nonces in the order of `ready`. Those that the chain has used without an intent are left to what closes gaps: a count that is below
 * them is of a node that stands behind, and what a user asked for would get one that can never be mined; or else a reorganisation has
 * freed them, and the gap is closed.
 */
async function noncesFor(
  ctx: SendContext,
  tx: Tx,
  view: ChainView,
  ready: readonly Ready[],
  left: ReadonlySet<bigint>,
): Promise<bigint[]> {
  const held = new Set([...(await heldNonces(tx, ctx.lane, view.chainNonce)), ...left])
  const closing = ready.filter(({ candidate }) => candidate.closesGap).length
  const lowest = allocateNonces(view.chainNonce, held, closing)
  const from = max(view.chainNonce, await nonceWithoutIntents(tx, ctx.lane))
  return [...lowest, ...allocateNonces(from, new Set([...held, ...lowest]), ready.length - closing)]
}

async function sign(
  ctx: SendContext,
  tx: Tx,
  view: ChainView,
  ready: readonly Ready[],
  fees: Fees,
  left: ReadonlySet<bigint>,
): Promise<SignedIntent[]> {
  if (ready.length === 0) return []
  const nonces = await noncesFor(ctx, tx, view, ready, left)
  return await Promise.all(
    ready.map(async ({ candidate, gasLimit }, index) => {
      const nonce = nonces[index] as bigint
      const bytes = await ctx.signer.sign(ctx.lane.chainId, { ...candidate, nonce, gasLimit }, fees)
      return { id: candidate.id, nonce, ...bytes, gasLimit, ...fees, headNumber: view.headNumber }
    }),
  )
}
