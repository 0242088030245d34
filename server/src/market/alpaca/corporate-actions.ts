import { isDate } from '../../lib/dates.ts'
import type { CorporateAction } from '../corporate-actions.ts'
import { decimal, invalid, optionalText, text, type WireObject } from './wire.ts'

/** A ratio keeps this many decimals, as `CorporateAction` has it. */
const RATIO_DECIMALS = 8
/** It is read with more: a stock dividend may have a rate of nine or ten decimals. */
const READ_DECIMALS = 18
const ONE_READ = 10n ** BigInt(READ_DECIMALS)

/** A split or a stock dividend that is announced and cannot be read: nobody knows what a share is from then on. */
export interface UnreadSplit {
  /** Null where that cannot be read either. */
  readonly symbol: string | null
  /** `YYYY-MM-DD`, or null. */
  readonly exDate: string | null
  readonly problem: string
}

export interface ReadActions {
  readonly actions: readonly CorporateAction[]
  /** One line for each other action that has no place in the venue's table. */
  readonly unknown: readonly string[]
  readonly unreadSplits: readonly UnreadSplit[]
}

type Reader = (action: WireObject) => Pick<CorporateAction, 'type' | 'ratioFrom8' | 'ratioTo8' | 'cashAmount8'>

const splitOf = (from: bigint, to: bigint): ReturnType<Reader> => {
  const [ratioFrom8, ratioTo8] = inFewestShares(from, to, READ_DECIMALS)
  return { type: 'split', ratioFrom8, ratioTo8, cashAmount8: null }
}

const split: Reader = (action) =>
  splitOf(positive(action, 'old_rate', READ_DECIMALS), positive(action, 'new_rate', READ_DECIMALS))

/**
 * Action types by the names of the answer's lists (https://docs.alpaca.markets/reference/corporateactions-1).
 * A spin-off is not among them: the answer does not say what it was worth, and an adjustment must not guess it.
 */
const READERS: Readonly<Record<string, Reader>> = {
  forward_splits: split,
  reverse_splits: split,
  stock_dividends: (action) => splitOf(ONE_READ, ONE_READ + positive(action, 'rate', READ_DECIMALS)),
  cash_dividends: (action) => ({
    type: 'dividend',
    ratioFrom8: null,
    ratioTo8: null,
    cashAmount8: positive(action, 'rate', 8),
  }),
}

const CHANGES_SHARES: ReadonlySet<string> = new Set(['forward_splits', 'reverse_splits', 'stock_dividends'])

/** Reads lists of actions by their types. Actions of one type on one date become one, as the venue's table has them. */
export function readActions(
  byType: ReadonlyMap<string, readonly WireObject[]>,
  symbols: ReadonlySet<string>,
): ReadActions {
  const actions = new Map<string, CorporateAction>()
  const unknown: string[] = []
  const unreadSplits: UnreadSplit[] = []
  for (const [type, list] of byType) {
    for (const wire of list) {
      const symbol =
        optionalText(wire, 'symbol') ?? optionalText(wire, 'source_symbol') ?? optionalText(wire, 'old_symbol')
      const exDate = optionalText(wire, 'ex_date')
      const named = `${type} of ${symbol} on ${exDate ?? optionalText(wire, 'process_date')}`
      try {
        const action = READERS[type] ? readAction(READERS[type], wire) : null
        if (action && symbols.has(action.symbol)) add(actions, action)
        else if (!action) unknown.push(named)
      } catch (error) {
        const problem = `${named}: ${error instanceof Error ? error.message : error}`
        if (!CHANGES_SHARES.has(type)) unknown.push(problem)
        else if (symbol === null || symbols.has(symbol))
          unreadSplits.push({ symbol, exDate: dateOrNull(exDate), problem })
      }
    }
  }
  return { actions: [...actions.values()], unknown, unreadSplits }
}

const readAction = (read: Reader, action: WireObject): CorporateAction => ({
  symbol: text(action, 'symbol'),
  exDate: date(text(action, 'ex_date')),
  recordDate: optionalDate(action, 'record_date'),
  payableDate: optionalDate(action, 'payable_date'),
  ...read(action),
})

/** A regular and a special dividend of one date are one; splits of one date come one after the other. */
function add(actions: Map<string, CorporateAction>, action: CorporateAction): void {
  const key = `${action.symbol} ${action.type} ${action.exDate}`
  const other = actions.get(key)
  actions.set(key, other ? joined(other, action) : action)
}

function joined(one: CorporateAction, other: CorporateAction): CorporateAction {
  if (one.cashAmount8 !== null && other.cashAmount8 !== null) {
    return { ...one, cashAmount8: one.cashAmount8 + other.cashAmount8 }
  }
  const product = (a: bigint | null, b: bigint | null) => (a ?? 1n) * (b ?? 1n)
  const [ratioFrom8, ratioTo8] = inFewestShares(
    product(one.ratioFrom8, other.ratioFrom8),
    product(one.ratioTo8, other.ratioTo8),
    2 * RATIO_DECIMALS,
  )
  return { ...one, ratioFrom8, ratioTo8 }
}

/**
 * A ratio of two figures with more decimals, exactly: 1 to 1.030927835 becomes 10 to 10.30927835. Nothing but the quotient is ever used.
 */
function inFewestShares(from: bigint, to: bigint, decimals: number): [bigint, bigint] {
  let [ratioFrom8, ratioTo8] = [from, to]
  for (let excess = decimals - RATIO_DECIMALS; excess > 0; excess--) {
    if (ratioFrom8 % 10n !== 0n || ratioTo8 % 10n !== 0n) break
    ;[ratioFrom8, ratioTo8] = [ratioFrom8 / 10n, ratioTo8 / 10n]
  }
  return [ratioFrom8, ratioTo8]
}

function positive(action: WireObject, field: string, decimals: number): bigint {
  const value = decimal(action, field, decimals)
  if (value <= 0n) throw invalid(`the field ${field} is not positive`)
  return value
}

function date(value: string): string {
  if (isDate(value)) return value
  throw invalid(`${value} is no date`)
}

const dateOrNull = (value: string | null): string | null => (value !== null && isDate(value) ? value : null)

const optionalDate = (action: WireObject, field: string): string | null => {
  const value = optionalText(action, field)
  return value === null ? null : date(value)
}
