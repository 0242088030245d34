import { cashierAbi } from '../../chain/abi/cashier.ts'
import { type Contract, encodeCall } from '../../chain/calls.ts'
import { contractAddress } from '../../chain/deployment.ts'
import { contractRead, readGroups } from '../../chain/read.ts'
import { blockWithAll, busyOrderingKeys } from '../../chain/send/ended-intents.ts'
import { getIntent, insertIntent } from '../../chain/send/intents.ts'
import type { Hex } from '../../chain/types.ts'
import { inTransaction } from '../../db/pool.ts'
import type { Venue } from '../../http/product.ts'
import { Backoff } from '../../lib/backoff.ts'
import { newId } from '../../lib/ids.ts'
import { divideUp, WAD_DECIMALS } from '../../lib/wad.ts'
import { type CashTokenRow, listCashTokens } from '../store.ts'
import { SETTLE } from './settlement-intent.ts'

const ORDERING_KEY = 'stock.buffers'
const RATE_DECIMALS = 6
/**
 * Where there is cash for a part only, a refill is at least this fraction of the capacity: anybody may send the Cashier a token's smallest
 * unit, and the venue pays for each refill.
 */
const SMALLEST_PART_DIVISOR = 1000n

/** When a buffer of the Cashier is refilled and how far, in percent of its capacity. */
export interface BufferTarget {
  readonly refillBelowPercent: number
  readonly targetPercent: number
}

export interface BufferTargets {
  readonly credit: BufferTarget
  /** Its target is below 100: an instant deposit needs room in the withdrawal buffer. */
  readonly withdraw: BufferTarget
}

export const DEFAULT_BUFFER_TARGETS: BufferTargets = {
  credit: { refillBelowPercent: 50, targetPercent: 100 },
  withdraw: { refillBelowPercent: 20, targetPercent: 50 },
}

/** Figures of the Cashier at one block; `Wad` is mUSD with 18 decimals, `Raw` token units. */
export interface CashierState {
  readonly creditBufferWad: bigint
  readonly creditCapacityWad: bigint
  /** What the Cashier owes all users. */
  readonly owedWad: bigint
  readonly tokens: readonly TokenCash[]
}

interface TokenCash {
  readonly token: CashTokenRow
  readonly withdrawBufferRaw: bigint
  readonly withdrawCapacityRaw: bigint
  /** Cash in the Cashier that no queued deposit reserves. */
  readonly freeRaw: bigint
  /** What queued withdrawals will be paid, at most. */
  readonly queuedWad: bigint
}

/** One call that refills a buffer. */
export type Refill = {
  /** That it reaches the target: there is cash for all that was wanted. */
  readonly isWhole: boolean
} & (
  | { readonly functionName: 'adjustCreditBufferWad'; readonly args: readonly [deltaWad: bigint] }
  | { readonly functionName: 'adjustWithdrawBuffer'; readonly args: readonly [token: Hex, delta: bigint] }
)

/** What the task remembers of each buffer between rounds, by `bufferOf`; losing it costs an attempt. */
export interface RefillMemory {
  readonly backoff: Backoff
  /** The last refills, until what became of them has been looked at; none that was for less than was wanted. */
  readonly lastIntentIds: Map<string, bigint>
}

export const refillMemory = (): RefillMemory => ({ backoff: new Backoff(), lastIntentIds: new Map() })

/** The buffer that is refilled: of credit, or of withdrawals in a token. */
const bufferOf = (refill: Refill): string =>
  refill.functionName === 'adjustCreditBufferWad' ? 'credit' : refill.args[0]

/**
 * Brings the Cashier's buffers back towards their capacity, one round at a time, as far as cash that is really there covers:
 * a promise of instant money is renewed only by money.
 */
export async function refillBuffers(venue: Venue, targets: BufferTargets, memory: RefillMemory): Promise<void> {
  const { backoff } = memory
  const { sql, deployment } = venue
  const { chainId } = deployment
  const blockNumber = await blockWithAll(sql, chainId, ORDERING_KEY)
  if (blockNumber === null) return
  await lookAtLast(venue, memory)
  const tokens = await listCashTokens(sql, chainId)
  if (tokens.length === 0) return
  // At the block that has the last refill, not at the head: of several nodes behind one address, one may stand behind it. One that lacks
  // the block fails, and the round is made again.
  const wanted = dueRefills(await readCashier(venue, tokens, blockNumber), targets)
  const nowMs = venue.clock.nowMs()
  const refills = wanted.filter((refill) => backoff.isDue(bufferOf(refill), nowMs))
  backoff.keepOnly([...backoff.waiting(nowMs), ...refills.map(bufferOf)])
  if (refills.length === 0) return
  const ids = await insertRefills(venue, refills)
  for (const [index, refill] of refills.entries()) remember(memory, refill, ids[index], nowMs)
}

/** Until the chain shows it the attempt counts as failed: a refill that cannot succeed now is not sent in a loop. */
function remember({ backoff, lastIntentIds }: RefillMemory, refill: Refill, id: bigint | undefined, nowMs: number) {
  if (id !== undefined && refill.isWhole) lastIntentIds.set(bufferOf(refill), id)
  backoff.fail(bufferOf(refill), nowMs)
}

/**
 * A refill that has succeeded is no failure: a busy buffer is refilled as often as it is drained. One that could not reach its target waits
 * longer each time all the same, or every bit of cash that comes would be a transaction. Each buffer waits for itself: a token that lacks
 * cash keeps neither credit nor another token from being refilled.
 */
async function lookAtLast({ sql, deployment }: Venue, { backoff, lastIntentIds }: RefillMemory): Promise<void> {
  const last = [...lastIntentIds]
  const intents = await Promise.all(last.map(([, id]) => getIntent(sql, deployment.chainId, id)))
  lastIntentIds.clear()
  for (const [index, [buffer]] of last.entries()) if (intents[index]?.outcome === 'succeeded') backoff.forget(buffer)
}

/**
 * Amounts are relative, so two refills read from one state would add up: in one transaction, which only the leader has, and only while
 * no other is under way.
 */
function insertRefills({ sql, deployment }: Venue, refills: readonly Refill[]): Promise<readonly bigint[]> {
  const { chainId } = deployment
  return inTransaction(sql, async (tx) => {
    if ((await busyOrderingKeys(tx, chainId, ORDERING_KEY)).size > 0) return []
    const ids: bigint[] = []
    for (const refill of refills) {
      const intent = await insertIntent(tx, {
        chainId,
        purpose: SETTLE,
        to: contractAddress(deployment, 'Cashier'),
        data: refillData(refill),
        dedupeKey: `${ORDERING_KEY}:${newId()}`,
        orderingKey: ORDERING_KEY,
      })
      ids.push(intent.id)
    }
    return ids
  })
}

/**
 * The refills that are due. The withdrawal buffer of a token is raised to no more than its free cash, less what queued
 * withdrawals need; the credit buffer by no more than the worth of all free cash, and not at all while the Cashier holds less
 * than it owes.
 */
export function dueRefills(state: CashierState, targets: BufferTargets): readonly Refill[] {
  return [
    ...creditRefill(state, targets.credit),
    ...state.tokens.flatMap((cash) => tokenRefill(cash, targets.withdraw)),
  ]
}

function creditRefill(state: CashierState, target: BufferTarget): readonly Refill[] {
  const worthWad = state.tokens.reduce((sum, { token, freeRaw }) => sum + worth(token, freeRaw), 0n)
  const coveredWad = worthWad < state.owedWad ? 0n : worthWad
  const wantedWad = due(state.creditBufferWad, state.creditCapacityWad, target)
  const deltaWad = deltaOf(wantedWad, coveredWad, state.creditCapacityWad)
  if (deltaWad === 0n) return []
  return [{ functionName: 'adjustCreditBufferWad', args: [deltaWad], isWhole: deltaWad === wantedWad }]
}

function tokenRefill(cash: TokenCash, target: BufferTarget): readonly Refill[] {
  const coveredRaw = cash.freeRaw - tokenUnits(cash.token, cash.queuedWad) - cash.withdrawBufferRaw
  const wantedRaw = due(cash.withdrawBufferRaw, cash.withdrawCapacityRaw, target)
  const deltaRaw = deltaOf(wantedRaw, coveredRaw, cash.withdrawCapacityRaw)
  if (deltaRaw === 0n) return []
  return [{ functionName: 'adjustWithdrawBuffer', args: [cash.token.token, deltaRaw], isWhole: deltaRaw === wantedRaw }]
}

/** What is wanted as far as it is covered; 0 for too small a part of it. */
function deltaOf(wanted: bigint, covered: bigint, capacity: bigint): bigint {
  if (covered >= wanted) return wanted
  return covered * SMALLEST_PART_DIVISOR >= capacity ? covered : 0n
}

/** Shortfall of a buffer against its target; 0 while it is high enough. */
function due(buffer: bigint, capacity: bigint, { refillBelowPercent, targetPercent }: BufferTarget): bigint {
  if (buffer * 100n >= capacity * BigInt(refillBelowPercent)) return 0n
  const target = (capacity * BigInt(targetPercent)) / 100n
  return target > buffer ? target - buffer : 0n
}

/** mUSD of token units, rounded down. */
const worth = ({ usdRateE6, decimals }: CashTokenRow, raw: bigint): bigint =>
  (raw * usdRateE6 * 10n ** BigInt(WAD_DECIMALS - decimals)) / 10n ** BigInt(RATE_DECIMALS)

/** Token units of mUSD, rounded up. */
function tokenUnits({ usdRateE6, decimals }: CashTokenRow, wad: bigint): bigint {
  const unit = usdRateE6 * 10n ** BigInt(WAD_DECIMALS - decimals)
  return divideUp(wad * 10n ** BigInt(RATE_DECIMALS), unit)
}

async function readCashier(
  { rpc, deployment }: Venue,
  tokens: readonly CashTokenRow[],
  blockNumber: bigint,
): Promise<CashierState> {
  const cashier = { address: contractAddress(deployment, 'Cashier'), abi: cashierAbi }
  const ofAll = [
    contractRead(cashier, 'creditBufferWad'),
    contractRead(cashier, 'creditBufferWadCapacity'),
    contractRead(cashier, 'totalOwedWad'),
  ] as const
  const ofEach = tokens.map(({ token }) => tokenReads(cashier, token))
  const [[creditBufferWad, creditCapacityWad, owedWad], ...answers] = await readGroups(
    rpc,
    [ofAll, ...ofEach],
    blockNumber,
  )
  return {
    creditBufferWad,
    creditCapacityWad,
    owedWad,
    tokens: answers.map(([config, freeRaw, [, queuedWad]], index) => ({
      token: tokens[index] as CashTokenRow,
      withdrawBufferRaw: config.withdrawBuffer,
      withdrawCapacityRaw: config.withdrawBufferCapacity,
      freeRaw,
      queuedWad,
    })),
  }
}

const tokenReads = (cashier: Contract<typeof cashierAbi>, token: Hex) =>
  [
    contractRead(cashier, 'tokenConfig', token),
    contractRead(cashier, 'freeCash', token),
    contractRead(cashier, 'totalPending', token),
  ] as const

function refillData(refill: Refill): Hex {
  if (refill.functionName === 'adjustCreditBufferWad') return encodeCall(cashierAbi, refill.functionName, refill.args)
  return encodeCall(cashierAbi, refill.functionName, refill.args)
}
