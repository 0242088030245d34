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

/** What the task remembers between rounds; losing it costs an attempt. */
export interface RefillMemory {
  readonly backoff: Backoff
  /** The last refills, until what became of them has been looked at; none where one was for less than was wanted. */
  lastIntentIds: readonly bigint[]
}

export const refillMemory = (): RefillMemory => ({ backoff: new Backoff(), lastIntentIds: [] })

/**
 * Brings the Cashier's buffers back towards their capacity, one round at a time, as far as cash that is really there covers:
 * a promise of instant money is renewed only by money.
 */
export async function refillBuffers(venue: Venue, targets: BufferTargets, memory: RefillMemory): Promise<void> {
  const { backoff } = memory
  const { sql, deployment, clock } = venue
  const { chainId } = deployment
  const blockNumber = await blockWithAll(sql, chainId, ORDERING_KEY)
  if (blockNumber === null) return
  await lookAtLast(venue, memory)
  if (!backoff.isDue(ORDERING_KEY, clock.nowMs())) return
  const tokens = await listCashTokens(sql, chainId)
  if (tokens.length === 0) return
  // At the block that has the last refill, not at the head: of several nodes behind one address, one may stand behind it. One that lacks
  // the block fails, and the round is made again.
  const refills = dueRefills(await readCashier(venue, tokens, blockNumber), targets)
  if (refills.length === 0) return backoff.keepOnly([])
  const ids = await insertRefills(venue, refills)
  if (refills.every(({ isWhole }) => isWhole)) memory.lastIntentIds = ids
  // Until the chain shows it the attempt counts as failed: a refill that cannot succeed now is not sent in a loop.
  backoff.fail(ORDERING_KEY, clock.nowMs())
}

/**
 * Refills that have succeeded are no failure: a busy buffer is refilled as often as it is drained. One that could not reach its target waits
 * longer each time all the same, or every bit of cash that comes would be a transaction.
 */
async function lookAtLast({ sql, deployment }: Venue, memory: RefillMemory): Promise<void> {
  const last = await Promise.all(memory.lastIntentIds.map((id) => getIntent(sql, deployment.chainId, id)))
  memory.lastIntentIds = []
  if (last.length > 0 && last.every((intent) => intent?.outcome === 'succeeded')) memory.backoff.keepOnly([])
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
  const worthWad = state.tokens.reduce((sum, { token, freeRaw }) => sum + worth(token, freeRaw), 0n)
  const creditWad = due(state.creditBufferWad, state.creditCapacityWad, targets.credit)
  const creditRefillWad = worthWad < state.owedWad ? 0n : least(creditWad, worthWad)
  const isCreditWhole = creditRefillWad === creditWad
  const credit: Refill[] =
    creditRefillWad > 0n
      ? [{ functionName: 'adjustCreditBufferWad', args: [creditRefillWad], isWhole: isCreditWhole }]
      : []
  const withdraw = state.tokens.flatMap((cash): Refill[] => {
    const wantedRaw = due(cash.withdrawBufferRaw, cash.withdrawCapacityRaw, targets.withdraw)
    const coveredRaw = cash.freeRaw - tokenUnits(cash.token, cash.queuedWad) - cash.withdrawBufferRaw
    const deltaRaw = least(wantedRaw, coveredRaw)
    if (deltaRaw <= 0n) return []
    return [
      { functionName: 'adjustWithdrawBuffer', args: [cash.token.token, deltaRaw], isWhole: deltaRaw === wantedRaw },
    ]
  })
  return [...credit, ...withdraw]
}

/** Shortfall of a buffer against its target; 0 while it is high enough. */
function due(buffer: bigint, capacity: bigint, { refillBelowPercent, targetPercent }: BufferTarget): bigint {
  if (buffer * 100n >= capacity * BigInt(refillBelowPercent)) return 0n
  const target = (capacity * BigInt(targetPercent)) / 100n
  return target > buffer ? target - buffer : 0n
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)

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
