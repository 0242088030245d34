import type { ActionType, CorporateAction } from './corporate-actions.ts'

export const ADJUSTMENTS = ['raw', 'split', 'dividend', 'spin-off', 'all'] as const
export type Adjustment = (typeof ADJUSTMENTS)[number]

/** A positive fraction. */
export interface Ratio {
  readonly numerator: bigint
  readonly denominator: bigint
}

/** An action with the last close before its ex-date, as traded, USD with 8 decimals; null when none is known. */
export interface PricedAction extends CorporateAction {
  readonly closeBefore8: bigint | null
  /** When the shares became others, where that is not the beginning of the ex-date; Unix ms. */
  readonly playedMs: number | null
}

/** What turns bars of before an instant (and after the one before it) into today's terms. */
export interface Factors {
  /** Bars that end by this instant, Unix ms; infinite for all bars. */
  readonly beforeMs: number
  readonly price: Ratio
  readonly volume: Ratio
}

const ONE: Ratio = { numerator: 1n, denominator: 1n }

/** Which actions an adjustment takes into account. */
export const adjustsFor = (adjustment: Adjustment, type: ActionType): boolean =>
  adjustment === 'all' || adjustment === type

/**
 * The factors of an adjustment, newest first: each takes in all actions of its instant and of later ones, exactly. An action
 * happens at the beginning of its ex-date, as `startOf` has it, or when the market played it.
 * A split makes prices `from / to` of what they were and volumes `to / from`; a dividend or a spin-off makes prices
 * `(close − amount) / close` by the close before. Where that close is not known there is nothing to adjust; where the
 * amount is not below it no factor can express it, and the action is left out. So the split-adjusted price keeps its
 * proportion to the price of a token, whose shares a split multiplies.
 */
export function adjustmentFactors(
  actions: readonly PricedAction[],
  adjustment: Adjustment,
  startOf: (exDate: string) => number,
): readonly Factors[] {
  const newestFirst = actions
    .filter(({ type }) => adjustsFor(adjustment, type))
    .map((action) => ({ action, atMs: action.playedMs ?? startOf(action.exDate) }))
    .toSorted((a, b) => b.atMs - a.atMs)
  const factors: Factors[] = []
  let [price, volume] = [ONE, ONE]
  for (const { action, atMs } of newestFirst) {
    const own = priceFactor(action)
    if (own === null) continue
    price = times(price, own)
    if (action.type === 'split') volume = times(volume, { numerator: own.denominator, denominator: own.numerator })
    if (factors.at(-1)?.beforeMs === atMs) factors.pop()
    factors.push({ beforeMs: atMs, price, volume })
  }
  return factors
}

/** From an instant on (Unix ms) a unit, a token say, holds so many shares. */
export interface UnitStep {
  readonly fromMs: number
  readonly shares: Ratio
}

const inverse = ({ numerator, denominator }: Ratio): Ratio => ({ numerator: denominator, denominator: numerator })

/**
 * The factors that give bars of a unit instead of those of a share. Adjusted for splits, all bars are of the shares that the
 * unit holds now; otherwise each is of what it held then. `steps` come newest first and have all begun.
 */
export function factorsOfUnit(
  factors: readonly Factors[],
  steps: readonly UnitStep[],
  adjustment: Adjustment,
): readonly Factors[] {
  if (steps.length === 0) return factors
  const stepTimes = adjustsFor(adjustment, 'split') ? [] : steps.map(({ fromMs }) => fromMs)
  const instants = [...new Set([Number.POSITIVE_INFINITY, ...factors.map(({ beforeMs }) => beforeMs), ...stepTimes])]
  return instants
    .toSorted((a, b) => b - a)
    .map((beforeMs) => {
      const own = factors.findLast((one) => one.beforeMs >= beforeMs)
      const held = stepTimes.length === 0 ? steps[0] : steps.find(({ fromMs }) => fromMs < beforeMs)
      const shares = held?.shares ?? ONE
      return {
        beforeMs,
        price: times(own?.price ?? ONE, shares),
        volume: times(own?.volume ?? ONE, inverse(shares)),
      }
    })
}

function priceFactor({ type, ratioFrom8, ratioTo8, cashAmount8, closeBefore8 }: PricedAction): Ratio | null {
  if (type === 'split') {
    return ratioFrom8 === null || ratioTo8 === null ? null : { numerator: ratioFrom8, denominator: ratioTo8 }
  }
  if (cashAmount8 === null || closeBefore8 === null || cashAmount8 >= closeBefore8) return null
  return { numerator: closeBefore8 - cashAmount8, denominator: closeBefore8 }
}

function times(a: Ratio, b: Ratio): Ratio {
  const [numerator, denominator] = [a.numerator * b.numerator, a.denominator * b.denominator]
  const divisor = greatestCommonDivisor(numerator, denominator)
  return { numerator: numerator / divisor, denominator: denominator / divisor }
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  while (b !== 0n) [a, b] = [b, a % b]
  return a
}

/** Binary digits of the reciprocal: far more than a price needs. */
const SHIFT = 192n
const HALF = 1n << (SHIFT - 1n)

/**
 * Multiplies by a ratio and rounds half up, once. Long products of ratios are divided only where a 192-bit approximation
 * of theirs, which is at most `raw / 2^192` too small, could round to another integer.
 */
export function scaler({ numerator, denominator }: Ratio): (raw: bigint) => bigint {
  const approximate = (numerator << SHIFT) / denominator
  return (raw) => {
    const least = raw * approximate + HALF
    const rounded = least >> SHIFT
    return rounded === (least + raw) >> SHIFT ? rounded : (2n * raw * numerator + denominator) / (2n * denominator)
  }
}
