import type { CorporateAction } from '../corporate-actions.ts'
import { decimal, invalid, optionalText, text, type WireObject } from './wire.ts'

const ONE8 = 10n ** 8n

export interface ReadActions {
  readonly actions: readonly CorporateAction[]
  /** One line for each action that has no place in the venue's table. */
  readonly unknown: readonly string[]
}

type Reader = (action: WireObject) => Pick<CorporateAction, 'type' | 'ratioFrom8' | 'ratioTo8' | 'cashAmount8'>

const split: Reader = (action) => ({
  type: 'split',
  ratioFrom8: positive(action, 'old_rate'),
  ratioTo8: positive(action, 'new_rate'),
  cashAmount8: null,
})

/**
 * Action types by the names of the answer's lists (https://docs.alpaca.markets/reference/corporateactions-1).
 * A spin-off is not among them: the answer does not say what it was worth, and an adjustment must not guess it.
 */
const READERS: Readonly<Record<string, Reader>> = {
  forward_splits: split,
  reverse_splits: split,
  stock_dividends: (action) => ({
    type: 'split',
    ratioFrom8: ONE8,
    ratioTo8: ONE8 + positive(action, 'rate'),
    cashAmount8: null,
  }),
  cash_dividends: (action) => ({
    type: 'dividend',
    ratioFrom8: null,
    ratioTo8: null,
    cashAmount8: positive(action, 'rate'),
  }),
}

/** Reads lists of actions by their types. Actions of one type on one date become one, as the venue's table has them. */
export function readActions(
  byType: ReadonlyMap<string, readonly WireObject[]>,
  symbols: ReadonlySet<string>,
): ReadActions {
  const actions = new Map<string, CorporateAction>()
  const unknown: string[] = []
  for (const [type, list] of byType) {
    for (const wire of list) {
      const symbol =
        optionalText(wire, 'symbol') ?? optionalText(wire, 'source_symbol') ?? optionalText(wire, 'old_symbol')
      const named = `${type} of ${symbol} on ${optionalText(wire, 'ex_date') ?? optionalText(wire, 'process_date')}`
      try {
        const action = READERS[type] ? readAction(READERS[type], wire) : null
        if (action && symbols.has(action.symbol)) add(actions, action)
        else if (!action) unknown.push(named)
      } catch (error) {
        unknown.push(`${named}: ${error instanceof Error ? error.message : error}`)
      }
    }
  }
  return { actions: [...actions.values()], unknown }
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
  const product = (a: bigint | null, b: bigint | null) => ((a ?? ONE8) * (b ?? ONE8)) / ONE8
  return {
    ...one,
    ratioFrom8: product(one.ratioFrom8, other.ratioFrom8),
    ratioTo8: product(one.ratioTo8, other.ratioTo8),
  }
}

function positive(action: WireObject, field: string): bigint {
  const value = decimal(action, field, 8)
  if (value <= 0n) throw invalid(`the field ${field} is not positive`)
  return value
}

function date(value: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))) return value
  throw invalid(`${value} is no date`)
}

const optionalDate = (action: WireObject, field: string): string | null => {
  const value = optionalText(action, field)
  return value === null ? null : date(value)
}
