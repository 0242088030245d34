/** A trader's position and its algebra. Source: perp-protocol 2.6 and 3.6. */
import type { Amm } from './amm.ts'
import { abs, frac, max, min, ratioToWad, sign, WAD, wmul, wmulInt, wmulUp } from './wad.ts'

/** WAD throughout; `size > 0` is long. `balance` may be negative. */
export type Position = {
  readonly balance: bigint
  readonly size: bigint
  readonly entryNotional: bigint
  readonly entrySocialLossIndex: bigint
  readonly entryFundingIndex: bigint
}

type Indices = Pick<Amm, 'longSocialLossIndex' | 'shortSocialLossIndex' | 'longFundingIndex' | 'shortFundingIndex'>

export const NO_POSITION: Position = {
  balance: 0n,
  size: 0n,
  entryNotional: 0n,
  entrySocialLossIndex: 0n,
  entryFundingIndex: 0n,
}

/** The indices a position of this size's side enters at now; zeros for a flat one. */
export function sideIndices(amm: Indices, size: bigint): Pick<Position, 'entrySocialLossIndex' | 'entryFundingIndex'> {
  if (size === 0n) return { entrySocialLossIndex: 0n, entryFundingIndex: 0n }
  if (size > 0n) return { entrySocialLossIndex: amm.longSocialLossIndex, entryFundingIndex: amm.longFundingIndex }
  return { entrySocialLossIndex: amm.shortSocialLossIndex, entryFundingIndex: amm.shortFundingIndex }
}

/** A position that enters at the current indices of its side. */
export function openPosition(amm: Indices, balance: bigint, size: bigint, entryNotional: bigint): Position {
  return { balance, size, entryNotional, ...sideIndices(amm, size) }
}

/** Funding income (positive) or cost (negative) since entry. */
export function fundingFee(amm: Indices, position: Position): bigint {
  const index = sideIndices(amm, position.size).entryFundingIndex
  return position.size === 0n ? 0n : wmulInt(index - position.entryFundingIndex, abs(position.size))
}

/** Loss of bankrupt counterparties charged since entry; never negative. */
export function socialLoss(amm: Indices, position: Position): bigint {
  const index = sideIndices(amm, position.size).entrySocialLossIndex
  return position.size === 0n ? 0n : wmulUp(index - position.entrySocialLossIndex, abs(position.size))
}

export function pricePnl(position: Position, priceWad: bigint): bigint {
  return sign(position.size) * (wmul(priceWad, abs(position.size)) - position.entryNotional)
}

export function equity(amm: Indices, position: Position, priceWad: bigint): bigint {
  return position.balance + pricePnl(position, priceWad) + fundingFee(amm, position) - socialLoss(amm, position)
}

/** Moves funding and social loss into the balance and enters again at the current indices. */
export function realise(amm: Indices, position: Position): Position {
  const balance = position.balance + fundingFee(amm, position) - socialLoss(amm, position)
  return openPosition(amm, balance, position.size, position.entryNotional)
}

type Combined = {
  readonly position: Position
  readonly closedSize: bigint
  readonly realised: bigint
  /** Funding of both that went into the balance. */
  readonly funding: bigint
}

/** Merges two positions of one account; opposite sides close each other and settle the difference of notionals. */
export function combine(amm: Indices, first: Position, second: Position): Combined {
  const a = realise(amm, first)
  const b = realise(amm, second)
  const balance = a.balance + b.balance
  const funding = fundingFee(amm, first) + fundingFee(amm, second)
  const size = a.size + b.size
  if (sign(a.size) * sign(b.size) >= 0n) {
    const position = openPosition(amm, balance, size, a.entryNotional + b.entryNotional)
    return { position, closedSize: 0n, realised: 0n, funding }
  }
  const closedSize = min(abs(a.size), abs(b.size))
  const closedOfA = frac(a.entryNotional, closedSize, abs(a.size))
  const closedOfB = frac(b.entryNotional, closedSize, abs(b.size))
  const realised = a.size < 0n ? closedOfA - closedOfB : closedOfB - closedOfA
  const entryNotional = a.entryNotional - closedOfA + b.entryNotional - closedOfB
  return { position: openPosition(amm, balance + realised, size, entryNotional), closedSize, realised, funding }
}

/**
 * A part of a position, signed like it, and the rest. Margin and notional go pro rata to nearest; both keep their indices.
 * Source: perp-protocol 3.6.
 */
export function split(position: Position, size: bigint): { readonly part: Position; readonly rest: Position } {
  const ofSize = (amount: bigint) => sign(amount) * frac(abs(amount), abs(size), abs(position.size))
  const balance = ofSize(position.balance)
  const entryNotional = ofSize(position.entryNotional)
  const part = { ...position, balance, size, entryNotional }
  const rest = {
    ...position,
    balance: position.balance - balance,
    size: position.size - size,
    entryNotional: position.entryNotional - entryNotional,
  }
  return { part, rest }
}

/** Whether the margin covers the initial ratio with profit left out. */
export function isImrSafe(amm: Indices, position: Position, initialMarginRatio: number, markWad: bigint): boolean {
  const pnl = equity(amm, position, markWad) - position.balance
  return position.balance + min(0n, pnl) >= marginFor(position, initialMarginRatio, markWad)
}

/** Whether the equity covers the maintenance ratio. */
export function isMmrSafe(amm: Indices, position: Position, maintenanceMarginRatio: number, markWad: bigint): boolean {
  return equity(amm, position, markWad) >= marginFor(position, maintenanceMarginRatio, markWad)
}

function marginFor(position: Position, ratioBps: number, markWad: bigint): bigint {
  return wmulUp(wmul(markWad, abs(position.size)), ratioToWad(ratioBps))
}

/** Margin that may be taken out: unrealised profit stays, the initial ratio stays covered. */
export function maxWithdrawable(amm: Indices, position: Position, initialMarginRatio: number, markWad: bigint): bigint {
  const required = wmulUp(wmulUp(markWad, abs(position.size)), ratioToWad(initialMarginRatio))
  const loss = min(0n, pricePnl(position, markWad)) - socialLoss(amm, position)
  return max(0n, position.balance + loss - required)
}

/** Price at which equity falls to the maintenance margin; 0 where no price does. */
export function liquidationPrice(amm: Indices, position: Position, maintenanceMarginRatio: number): bigint {
  const { size, entryNotional, balance } = position
  const funding = fundingFee(amm, position)
  const loss = socialLoss(amm, position)
  const ratio = ratioToWad(maintenanceMarginRatio)
  if (size > 0n) {
    const debt = entryNotional + loss - balance - funding
    return debt <= 0n ? 0n : (debt * WAD) / wmulUp(size, WAD - ratio)
  }
  const credit = entryNotional - loss + balance + funding
  const divisor = (-size * (WAD + ratio)) / WAD
  return credit <= 0n || divisor === 0n ? 0n : (credit * WAD + divisor - 1n) / divisor
}
