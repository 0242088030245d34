import { encodeErrorResult } from 'viem'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import { abs, max, min } from '../../lib/bigints.ts'
import type { Amm } from '../listing/observer.ts'
import type { PairState, Quotation } from '../listing/pair.ts'
import { toWad } from '../listing/quote.ts'
import {
  combine,
  equityOf,
  freeThoughMoved,
  marginAtRatio,
  openPosition,
  type Position,
  safeEquity,
} from '../maths/position.ts'
import { MAX_TICK, priceToTick, sqrtToPrice, tickToPrice } from '../maths/tick.ts'
import { divWad, movedBy, mulWad, RATIO_BASE } from '../maths/wad.ts'
import { wouldRevert } from '../reverts/perp-reverts.ts'
import type { Foretold } from './action.ts'

/** How far the price may move before inclusion where a request does not say; the published client's default. */
export const DEFAULT_SLIPPAGE_BPS = 50

const NOT_TRADEABLE = encodeErrorResult({ abi: instrumentAbi, errorName: 'NotTradeable' })

/** A trade whose margin follows from a leverage. */
export interface TradeWish {
  /** Signed base. */
  readonly size: bigint
  /** Leverage of the position afterwards; WAD. */
  readonly leverage: bigint
  readonly slippageBps: number
  /** Never paid beyond, where the trade has a price of its own. */
  readonly worstTick?: number
}

export interface TradeTerms {
  readonly tick: number
  readonly amount: bigint
  readonly foretold: Foretold
}

/**
 * Limit and margin of a trade as the published client sets them (perp-protocol 3.3, 3.5): the limit is the tick of the quoted
 * average price with the slippage; the margin brings the position to the leverage were the limit what is paid, as far as the
 * contract takes it. Throws `would_revert` for a pair that is not open.
 */
export function tradeTerms(pair: PairState, wish: TradeWish): TradeTerms {
  const { size, leverage, slippageBps, worstTick } = wish
  const { amm, quotation } = opened(pair)
  const price = divWad(quotation.entryNotional, abs(size))
  const bySlippage = limitTick(price, size, slippageBps)
  const tick = worstTick === undefined ? bySlippage : (size > 0n ? Math.min : Math.max)(bySlippage, worstTick)
  const wanted = marginForLeverage(amm, pair.portfolio.position, quotation, size, tick, leverage)
  const amount = allowedAmount(pair, amm, quotation, wish, tick, wanted)
  return { tick, amount, foretold: foretoldTrade(quotation, size, amount) }
}

/** A pair that can be traded, with what the size costs in it. */
export function opened({ amm, quotation }: PairState): { readonly amm: Amm; readonly quotation: Quotation } {
  if (amm === null || quotation === null) throw wouldRevert(NOT_TRADEABLE)
  return { amm, quotation }
}

/** The tick of `price·(1 ± slippage)`; a short's is the next one above. */
export function limitTick(price: bigint, size: bigint, slippageBps: number): number {
  const tick = priceToTick(movedBy(price, size > 0n ? slippageBps : -slippageBps))
  return size > 0n ? tick : Math.min(tick + 1, MAX_TICK)
}

export function foretoldTrade(quotation: Quotation, size: bigint, amount: bigint): Foretold {
  const { entryNotional, fee, sqrtFairPX96, sqrtPostFairPX96 } = quotation
  const [before, after] = [sqrtToPrice(sqrtFairPX96), sqrtToPrice(sqrtPostFairPX96)]
  const move = divWad(abs(after - before), before)
  return {
    size,
    price: divWad(entryNotional, abs(size)),
    notional: entryNotional,
    fee,
    priceImpact: after < before ? -move : move,
    amount,
  }
}

/** Equity that the leverage asks for, less what is there, plus the fee and the loss of entering at the limit. */
function marginForLeverage(
  amm: Amm,
  position: Position,
  { mark, fee }: Quotation,
  size: bigint,
  tick: number,
  leverage: bigint,
): bigint {
  const equity = equityOf(amm, position, mark)
  const [atLimit, atMark] = [mulWad(tickToPrice(tick), abs(size)), mulWad(mark, abs(size))]
  const loss = size > 0n ? atLimit - atMark : atMark - atLimit
  const sizeAfter = position.size + size
  if (sizeAfter === 0n) return max(0n, loss + fee - equity)
  return divWad(mulWad(mark, abs(sizeAfter)), leverage) - equity + loss + fee
}

/**
 * Brings the margin to what the contract takes, and still takes once prices have moved: no more leaves than may were the limit
 * what is paid and the mark off by the slippage; a position that grows gets what its initial margin lacks, with the slippage on
 * top. The published client leaves and adds to the wei, so that the least movement reverts.
 */
function allowedAmount(
  pair: PairState,
  amm: Amm,
  quotation: Quotation,
  { size, slippageBps }: TradeWish,
  tick: number,
  wanted: bigint,
): bigint {
  const { portfolio, instrument } = pair
  const { mark, entryNotional, fee } = quotation
  const { initialMarginRatio } = instrument
  const before = portfolio.position
  const tradedFor = (notional: bigint) => combine(amm, before, openPosition(amm, max(0n, wanted) - fee, size, notional))
  const after = tradedFor(entryNotional)
  if (after.size === 0n) return closingAmount(pair, max(0n, wanted), after.balance)
  const atLimit = tradedFor(mulWad(tickToPrice(tick), abs(size)))
  const free = mayLeave(quotation, initialMarginRatio)
    ? freeThoughMoved(amm, atLimit, mark, initialMarginRatio, slippageBps)
    : 0n
  const amount = max(wanted, -free)
  const isReduced = before.size < 0n !== size < 0n && before.size !== 0n && abs(size) < abs(before.size)
  if (isReduced) return amount
  // Of what may leave nothing is lacking.
  const required = movedBy(marginAtRatio(after, mark, initialMarginRatio), slippageBps)
  return amount + max(0n, required - safeEquity(amm, after, mark))
}

/**
 * What a whole close brings in: what the limit could come to cost, as far as the wallet has it, and what is owed at the quoted
 * price in any case. The contract takes the amount before it looks at what is owed, so one that the wallet does not have would
 * revert a close that owes nothing; what is not owed comes back with the rest of the margin. `balance` is what the position
 * leaves at the quoted price once `wanted` is in it.
 */
function closingAmount(pair: PairState, wanted: bigint, balance: bigint): bigint {
  const owed = max(0n, wanted - balance)
  return max(owed, min(wanted, freeMoney(pair)))
}

/** What Gate would take for the account: its reserve first, then of the wallet what it may. */
function freeMoney({ quoteState: { reserve, balance, allowance }, instrument }: PairState): bigint {
  return toWad(reserve + min(balance, allowance), instrument.quote)
}

/** Whether the contract lets any margin leave after the trade: not while the fair price is further off the mark than the ratio. */
const mayLeave = ({ mark, sqrtPostFairPX96 }: Quotation, initialMarginRatio: number): boolean =>
  abs(sqrtToPrice(sqrtPostFairPX96) - mark) * RATIO_BASE <= mark * BigInt(initialMarginRatio)
