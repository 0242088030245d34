import { abs, max, min } from '../../lib/bigints.ts'
import { divideUp, mulWadDown, mulWadUp, WAD } from '../../lib/wad.ts'
import { divWad, divWadUp, frac, movedBy, mulWad, mulWadSigned, RATIO_BASE, ratioToWad } from './wad.ts'

// A position and its algebra (perp-protocol 2.6, 3.6), with 18 decimals.

export interface Position {
  /** May be negative. */
  readonly balance: bigint
  /** Positive for a long. */
  readonly size: bigint
  readonly entryNotional: bigint
  readonly entrySocialLossIndex: bigint
  readonly entryFundingIndex: bigint
}

/** What a unit of each side has received and lost so far. */
export interface SideIndices {
  readonly longSocialLossIndex: bigint
  readonly shortSocialLossIndex: bigint
  readonly longFundingIndex: bigint
  readonly shortFundingIndex: bigint
}

/** A position that begins at the indices of now. */
export function openPosition(indices: SideIndices, balance: bigint, size: bigint, entryNotional: bigint): Position {
  return { balance, size, entryNotional, ...entryIndices(indices, size) }
}

function entryIndices(indices: SideIndices, size: bigint) {
  if (size === 0n) return { entrySocialLossIndex: 0n, entryFundingIndex: 0n }
  return size > 0n
    ? { entrySocialLossIndex: indices.longSocialLossIndex, entryFundingIndex: indices.longFundingIndex }
    : { entrySocialLossIndex: indices.shortSocialLossIndex, entryFundingIndex: indices.shortFundingIndex }
}

/** Funding received since the entry; negative where it was paid. */
export function fundingOf(indices: SideIndices, { size, entryFundingIndex }: Position): bigint {
  if (size === 0n) return 0n
  return mulWadSigned(entryIndices(indices, size).entryFundingIndex - entryFundingIndex, abs(size))
}

/** What bankrupt accounts have cost the position since its entry. */
export function socialLossOf(indices: SideIndices, { size, entrySocialLossIndex }: Position): bigint {
  if (size === 0n) return 0n
  return mulWadUp(entryIndices(indices, size).entrySocialLossIndex - entrySocialLossIndex, abs(size))
}

/** Profit of the price alone. */
export function pricePnl({ size, entryNotional }: Position, price: bigint): bigint {
  const value = mulWad(price, abs(size))
  return size < 0n ? entryNotional - value : size > 0n ? value - entryNotional : 0n
}

/** What the position would be worth, closed at this price. */
export const equityOf = (indices: SideIndices, position: Position, price: bigint): bigint =>
  position.balance + pricePnl(position, price) + fundingOf(indices, position) - socialLossOf(indices, position)

/** Moves funding and social loss into the balance. */
export function realised(indices: SideIndices, position: Position): Position {
  const balance = position.balance + fundingOf(indices, position) - socialLossOf(indices, position)
  return openPosition(indices, balance, position.size, position.entryNotional)
}

/** Two positions of an account as one: opposite sides close each other and settle the difference of their notionals. */
export function combine(indices: SideIndices, one: Position, other: Position): Position {
  const [a, b] = [realised(indices, one), realised(indices, other)]
  const [balance, size] = [a.balance + b.balance, a.size + b.size]
  if (a.size === 0n || b.size === 0n || a.size < 0n === b.size < 0n) {
    return openPosition(indices, balance, size, a.entryNotional + b.entryNotional)
  }
  const closed = min(abs(a.size), abs(b.size))
  const closedOfA = frac(a.entryNotional, closed, abs(a.size))
  const closedOfB = frac(b.entryNotional, closed, abs(b.size))
  const profit = a.size < 0n ? closedOfA - closedOfB : closedOfB - closedOfA
  const entryNotional = a.entryNotional - closedOfA + b.entryNotional - closedOfB
  return openPosition(indices, balance + profit, size, entryNotional)
}

/** Value over equity; 0 for what is flat or has no equity. */
export function leverageOf(indices: SideIndices, position: Position, price: bigint): bigint {
  const equity = equityOf(indices, position, price)
  return position.size === 0n || equity <= 0n ? 0n : divWad(mulWad(price, abs(position.size)), equity)
}

/** Where equity meets the maintenance margin; 0 where no price does. */
export function liquidationPrice(indices: SideIndices, position: Position, maintenanceMarginRatio: number): bigint {
  const { size, balance, entryNotional } = position
  if (size === 0n) return 0n
  const [funding, loss] = [fundingOf(indices, position), socialLossOf(indices, position)]
  const ratio = ratioToWad(maintenanceMarginRatio)
  if (size > 0n) {
    const owed = entryNotional + loss - balance - funding
    return owed <= 0n ? 0n : (owed * WAD) / mulWadUp(size, WAD - ratio)
  }
  const held = entryNotional - loss + balance + funding
  const divisor = mulWadDown(-size, WAD + ratio)
  return held <= 0n || divisor === 0n ? 0n : divWadUp(held, divisor)
}

/** Margin that this ratio asks for. */
export const marginAtRatio = ({ size }: Position, price: bigint, ratio: number): bigint =>
  mulWadUp(mulWad(price, abs(size)), ratioToWad(ratio))

/** Equity that counts towards the initial margin: without unrealised profit. */
export function safeEquity(indices: SideIndices, position: Position, price: bigint): bigint {
  return position.balance + min(0n, equityOf(indices, position, price) - position.balance)
}

/** Margin that may leave: unrealised profit and the initial margin stay. */
export function maxWithdrawable(indices: SideIndices, position: Position, price: bigint, ratio: number): bigint {
  const required = mulWadUp(mulWadUp(price, abs(position.size)), ratioToWad(ratio))
  const loss = min(0n, pricePnl(position, price)) - socialLossOf(indices, position)
  return max(0n, position.balance + loss - required)
}

/** Margin that may leave though the price moves by so many basis points, either way, before it does. */
export function freeThoughMoved(
  indices: SideIndices,
  position: Position,
  price: bigint,
  ratio: number,
  moveBps: number,
): bigint {
  const freeAt = (bps: number) => maxWithdrawable(indices, position, movedBy(price, bps), ratio)
  return min(freeAt(-moveBps), freeAt(moveBps))
}

/** Margin of a resting order at a leverage: on its own price or the mark, whichever is higher (perp-protocol 3.5). */
export function orderMargin(price: bigint, mark: bigint, size: bigint, leverage: bigint, bufferBps: number): bigint {
  const margin = divWadUp(mulWadUp(max(price, mark), abs(size)), leverage)
  return divideUp(margin * (RATIO_BASE + BigInt(bufferBps)), RATIO_BASE)
}

const ORDER_MULTIPLIER = 2n
const RANGE_MULTIPLIER = 10n

/** What a position is worth at the least when it is opened, an order, and a range (perp-protocol 2.1). */
export const minTradeValue = (instrument: { readonly minMarginAmount: bigint; readonly initialMarginRatio: number }) =>
  (instrument.minMarginAmount * RATIO_BASE) / BigInt(instrument.initialMarginRatio)

export const minOrderValue = (instrument: Parameters<typeof minTradeValue>[0]): bigint =>
  ORDER_MULTIPLIER * minTradeValue(instrument)

export const minRangeValue = (instrument: Parameters<typeof minTradeValue>[0]): bigint =>
  RANGE_MULTIPLIER * minTradeValue(instrument)
