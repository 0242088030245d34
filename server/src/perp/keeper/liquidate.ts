import { decodeFunctionResult, encodeFunctionData } from 'viem'
import { gateAbi } from '../../chain/abi/gate.ts'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import { contractAddress } from '../../chain/deployment.ts'
import { contractRead, readContracts } from '../../chain/read.ts'
import type { Hex } from '../../chain/types.ts'
import type { Venue } from '../../http/product.ts'
import { abs, min } from '../../lib/bigints.ts'
import { tradeWords } from '../calldata/words.ts'
import { equityOf, marginAtRatio, minTradeValue, type Position, pricePnl, realised } from '../maths/position.ts'
import { sqrtToPrice } from '../maths/tick.ts'
import { accountSubject, type Chore, type Chores } from './chores.ts'
import { type CostOf, gasCosts } from './earnings.ts'
import type { Holder, Pair, Survey } from './survey.ts'

/** More margin is brought than the chain asks for, in this part of it: a price may move until the transaction is mined. */
const MARGIN_RESERVE_PART = 50n
/** The smallest part of a position that is closed or taken over by itself: a 64th. */
const MOST_HALVINGS = 6
/** What two ticks are of a price, in millionths: the closing price is counted on as this much worse. */
const TWO_TICKS_PPM = 200n
const PPM = 1_000_000n

/** An account of a pair below its maintenance margin. */
export interface Unsafe {
  readonly pair: Pair
  readonly holder: Holder
}

/** One that something was tried for. */
export interface Tried extends Unsafe {
  /** Transactions about it that the chain has reverted since the last one that succeeded. */
  readonly reverts: number
}

export const unsafeSubject = ({ pair, holder }: Unsafe): string => accountSubject('position', pair, holder.account)

/** The state of a position by which it is told from what it was before a part of it was closed. */
export const positionState = ({ holder: { position } }: Unsafe): string =>
  `${position.size}:${position.balance}:${position.entryNotional}:${position.entryFundingIndex}`

/** Whether anybody may liquidate a position of the pair; of a pair without a price nobody may. */
export const isBelowMaintenance = (pair: Pair, position: Position): boolean => missingMargin(pair, position) > 0n

/** What a position lacks of its maintenance margin; negative where it has more. */
function missingMargin({ instrument, indices, markWad }: Pair, position: Position): bigint {
  if (position.size === 0n || markWad === null) return 0n
  return marginAtRatio(position, markWad, instrument.maintenanceMarginRatio) - equityOf(indices, position, markWad)
}

/**
 * Whether less was paid for a position than anybody may open one for, as the contract judges it: what a trade or a sweep in parts has left of
 * one. What it is worth now says nothing, since a long becomes unsafe as its price falls.
 */
export const isRemnant = ({ pair: { instrument }, holder: { position } }: Unsafe): boolean =>
  position.entryNotional < minTradeValue(instrument)

/** The turns in which accounts are tried. */
const TURN = { HAS_SOMETHING: 0, OWES: 1, REMNANT: 2 }

/**
 * Of those with something left what remains goes to the insurance fund, which pays for those that owe; and they can still be kept from
 * owing. Remnants cost their owner nothing and the keeper a sweep each, for which the pair gets nothing: they come when nobody else waits.
 */
function turnOf(one: Unsafe): number {
  const { pair, holder } = one
  if (isRemnant(one)) return TURN.REMNANT
  return equityOf(pair.indices, holder.position, pair.markWad ?? 0n) < 0n ? TURN.OWES : TURN.HAS_SOMETHING
}

/**
 * The accounts of a pair that anybody may liquidate, in the order of their turns, and in each those first that miss most of their
 * maintenance margin. That grows with the value of a position and with how near it is to owing, so that a large one which has just fallen
 * below its margin waits for a middling one about to owe, and neither for any number of small ones: none of these can miss more than its whole
 * margin.
 */
export function unsafeAccounts(pair: Pair): readonly Unsafe[] {
  return pair.holders
    .filter(({ position }) => isBelowMaintenance(pair, position))
    .map((holder) => ({ holder, turn: turnOf({ pair, holder }), missing: missingMargin(pair, holder.position) }))
    .sort((a, b) => a.turn - b.turn || Number(b.missing - a.missing))
    .map(({ holder }) => ({ pair, holder }))
}

/** What liquidating with money takes: who sends, what it has free at Gate by quote (WAD), and what gas costs. */
export interface Means {
  readonly sender: Hex
  /** The survey's. */
  readonly blockNumber: bigint
  readonly freeWad: Map<Hex, bigint>
  readonly costOf: CostOf
}

/** The means of the keeper's account at the survey's block. */
export async function meansOf(venue: Venue, surveyed: Survey, sender: Hex, nativeBase: string): Promise<Means> {
  const freeWad = await reserves(venue, surveyed, sender)
  const { blockNumber } = surveyed
  return { sender, blockNumber, freeWad, costOf: await gasCosts(venue, surveyed, sender, nativeBase) }
}

/**
 * Takes over at the mark what can be closed again at a profit in the same transaction, with money that the keeper's account has at
 * Gate; without any there, nothing. The closing trade has a limit, so that nobody who comes between makes the keeper pay. Resolves to
 * those it has left.
 */
export async function takeOver(
  venue: Venue,
  chores: Chores,
  means: Means,
  unsafe: readonly Tried[],
): Promise<readonly Tried[]> {
  return await leftBy(unsafe, async (one) => {
    // What the chain has refused is left to a sweep, which may close a part.
    const offer = one.reverts === 0 ? await offerFor(venue, one) : null
    if (offer === null) return false
    return await spends(venue, chores, means, one, offer.amountWad, takeOverChore(one, offer), (chore) =>
      pays(one.pair, chore, offer, means.costOf),
    )
  })
}

/**
 * Takes over at the mark what the pair gives no price for, with money that the keeper's account has at Gate, and keeps it until it can
 * be closed (`unwind.ts`): the loss of the account ends there. The largest part by halves that there is money for. Resolves to those it has
 * left.
 */
export async function hold(
  venue: Venue,
  chores: Chores,
  means: Means,
  unsafe: readonly Tried[],
): Promise<readonly Tried[]> {
  return await leftBy(unsafe, (one) => holdsPart(venue, chores, means, one))
}

/** Tries accounts one after another, since they share the money that there is; resolves to those with which nothing was done. */
export async function leftBy(
  unsafe: readonly Tried[],
  isDone: (one: Tried) => Promise<boolean>,
): Promise<readonly Tried[]> {
  const left: Tried[] = []
  for (const one of unsafe) if (!(await isDone(one))) left.push(one)
  return left
}

async function holdsPart(venue: Venue, chores: Chores, means: Means, one: Tried): Promise<boolean> {
  const whole = one.holder.position.size
  for (const size of partsOf(whole, one.reverts)) {
    const amountWad = (marginNeeded(one) * size) / whole
    const chore = liquidateChore(one, size, amountWad)
    if (await spends(venue, chores, means, one, amountWad, chore, async () => true)) return true
  }
  return false
}

/** Sends what costs margin, if there is so much, the chain takes it and `accept` does. */
async function spends(
  venue: Venue,
  chores: Chores,
  { sender, blockNumber, freeWad }: Means,
  { pair }: Unsafe,
  amountWad: bigint,
  chore: Chore,
  accept: (chore: Chore) => Promise<boolean>,
): Promise<boolean> {
  const quote = pair.instrument.quote.address
  const free = freeWad.get(quote) ?? 0n
  if (free === 0n || amountWad > free) return false
  const [returned] = await chores.simulate(venue, sender, [chore])
  if (returned === null || !(await accept(chore))) return false
  freeWad.set(quote, free - amountWad)
  await chores.send(venue, chore, blockNumber)
  return true
}

/** What taking an account over and closing it at once takes and gives; WAD. */
interface Offer {
  readonly amountWad: bigint
  readonly profitWad: bigint
  readonly limitTick: number
}

/** What the keeper looks at of a trade's quotation. */
export interface Quotation {
  readonly fee: bigint
  readonly sqrtPostFairPX96: bigint
  readonly postTick: number
}

/** Null where the account has nothing left, or the pair gives no price for all of it. */
async function offerFor(venue: Venue, { pair, holder }: Unsafe): Promise<Offer | null> {
  const { position } = holder
  const { indices } = pair
  const markWad = pair.markWad as bigint
  if (equityOf(indices, position, markWad) <= 0n) return null
  const quotation = await quote(venue, pair, -position.size)
  if (!quotation) return null
  const long = position.size > 0n
  const { balance } = realised(indices, position)
  // The last price of the trade, where its average is better: worse is not counted on, nor accepted.
  const price = sqrtToPrice(quotation.sqrtPostFairPX96)
  const worst = long ? price - (price * TWO_TICKS_PPM) / PPM : price + (price * TWO_TICKS_PPM) / PPM
  return {
    amountWad: marginNeeded({ pair, holder }),
    profitWad: balance + pricePnl(position, worst) - quotation.fee,
    limitTick: long ? quotation.postTick : quotation.postTick + 1,
  }
}

/** Margin that the liquidator of a whole account brings: the initial margin at the mark, its profit left out, and some more. */
function marginNeeded({ pair: { instrument, indices, ...pair }, holder: { position } }: Unsafe): bigint {
  const markWad = pair.markWad as bigint
  const pnl = pricePnl(position, markWad)
  // A debt does not come along: the pair covers it.
  const balance = equityOf(indices, position, markWad) < 0n ? -pnl : realised(indices, position).balance
  const brought = balance + min(0n, pnl)
  const needed = marginAtRatio(position, markWad, instrument.initialMarginRatio) - brought
  return needed <= 0n ? 0n : needed + needed / MARGIN_RESERVE_PART
}

/** What a trade would come to at the node's head; null where the pair gives no price for it. */
export async function quote({ rpc }: Venue, { instrument, expiry }: Pair, size: bigint): Promise<Quotation | null> {
  const data = encodeFunctionData({ abi: instrumentAbi, functionName: 'inquire', args: [expiry, size] })
  const params = [{ to: instrument.address, data }, 'latest']
  const [outcome] = await rpc.outcomes<Hex>([{ method: 'eth_call', params }])
  if (!outcome?.ok) return null
  return decodeFunctionResult({ abi: instrumentAbi, functionName: 'inquire', data: outcome.value })
}

async function pays(pair: Pair, chore: Chore, { profitWad }: Offer, costOf: CostOf): Promise<boolean> {
  if (profitWad <= 0n) return false
  const costWad = await costOf(pair, chore)
  return costWad !== null && profitWad > costWad
}

function takeOverChore(one: Unsafe, { amountWad, limitTick }: Offer): Chore {
  const { expiry } = one.pair
  const { size } = one.holder.position
  const taking = liquidateChore(one, size, amountWad)
  const closing = encodeFunctionData({
    abi: instrumentAbi,
    functionName: 'trade',
    args: [tradeWords({ expiry, deadlineSec: 0, tick: limitTick, amount: 0n, size: -size })],
  })
  const args = [[taking.data, closing]] as const
  return {
    ...taking,
    state: `over ${taking.state}`,
    data: encodeFunctionData({ abi: instrumentAbi, functionName: 'multicall', args }),
  }
}

function liquidateChore(one: Unsafe, size: bigint, amountWad: bigint): Chore {
  const { instrument, expiry } = one.pair
  const args = [expiry, one.holder.account, size, amountWad] as const
  return {
    subject: unsafeSubject(one),
    state: `take ${size}:${positionState(one)}`,
    to: instrument.address,
    data: encodeFunctionData({ abi: instrumentAbi, functionName: 'liquidate', args }),
  }
}

/** What the account has free at Gate, by quote; WAD. */
async function reserves({ rpc, deployment }: Venue, { pairs, blockNumber }: Survey, account: Hex) {
  const quotes = new Map(pairs.map(({ instrument: { quote } }) => [quote.address, quote]))
  const reads = [...quotes.keys()].map((token) => {
    const gate = { address: contractAddress(deployment, 'Gate'), abi: gateAbi }
    return contractRead(gate, 'reserveOf', token, account)
  })
  const results = await readContracts(rpc, reads, blockNumber)
  const unit = ({ decimals }: { decimals: number }) => 10n ** BigInt(18 - decimals)
  return new Map([...quotes].map(([token, quote], index) => [token, (results[index] as bigint) * unit(quote)]))
}

/**
 * Parts of a position to try, largest first. Who comes first with a grain of it has the chain refuse whatever names all of it, and could
 * do so in each block: after a refusal a half is begun with, and so on.
 */
export function partsOf(size: bigint, reverts: number): readonly bigint[] {
  const first = Math.min(reverts, MOST_HALVINGS)
  const halvings = Array.from({ length: MOST_HALVINGS + 1 - first }, (_, nth) => first + nth)
  return halvings.map((count) => partOf(size, count)).filter((part) => part !== 0n)
}

/** A part of a position, in the sign of its size: after no halving all of it, after one the half. */
const partOf = (size: bigint, halvings: number): bigint => (size < 0n ? -1n : 1n) * (abs(size) >> BigInt(halvings))
