import { isDate } from '../lib/dates.ts'
import { marketReasons } from './reasons.ts'
import { type Problem, type Report, readCsv, readDecimal } from './strict-csv.ts'

export const ACTION_TYPES = ['split', 'dividend', 'spin-off'] as const
export type ActionType = (typeof ACTION_TYPES)[number]

/**
 * What a company did to its shares. Dates are `YYYY-MM-DD`; from the beginning of the trade date `exDate` on a share is
 * traded without it.
 */
export interface CorporateAction {
  readonly symbol: string
  readonly type: ActionType
  readonly exDate: string
  readonly recordDate: string | null
  readonly payableDate: string | null
  /** For a split, a reverse split or a stock dividend: this many shares became `ratioTo8`; 8 decimals. */
  readonly ratioFrom8: bigint | null
  readonly ratioTo8: bigint | null
  /** For a dividend: USD per share. For a spin-off: worth of what one share received, USD. 8 decimals. */
  readonly cashAmount8: bigint | null
}

const COLUMNS = ['symbol', 'type', 'exDate', 'recordDate', 'payableDate', 'ratioFrom', 'ratioTo', 'cashAmount']
const DECIMALS = 8

/**
 * Reads a CSV file of corporate actions: header `symbol,type,exDate,recordDate,payableDate,ratioFrom,ratioTo,cashAmount`,
 * one action a line in any order, empty where a field does not apply. A split needs its ratio and has no cash amount, a
 * dividend needs its cash amount and has no ratio, a spin-off needs its worth as cash amount. Throws
 * `corporate_actions_file_invalid` with every bad line (the first 20); a file is taken whole or not at all.
 */
export async function readCorporateActions(
  path: string,
  symbols: ReadonlySet<string>,
): Promise<readonly CorporateAction[]> {
  const reader = new ActionReader(symbols)
  await readCsv(path, reader, marketReasons.corporate_actions_file_invalid)
  return reader.actions
}

class ActionReader {
  readonly actions: CorporateAction[] = []
  readonly problems: Problem[] = []
  readonly #symbols: ReadonlySet<string>
  readonly #lines = new Map<string, number>()
  #hasHeader = false

  constructor(symbols: ReadonlySet<string>) {
    this.#symbols = symbols
  }

  take(record: readonly string[], line: number): boolean {
    if (!this.#hasHeader) return this.#takeHeader(record, line)
    const found = this.problems.length
    const report = (text: string) => this.problems.push({ line, text })
    if (record.length !== COLUMNS.length) {
      report(`${record.length} columns where the header has ${COLUMNS.length}`)
      return true
    }
    const action = readAction(Object.fromEntries(COLUMNS.map((column, i) => [column, record[i] ?? ''])), report)
    if (!this.#symbols.has(action.symbol)) report(`there is no instrument ${JSON.stringify(action.symbol)}`)
    this.#checkUnique(action, line, report)
    if (this.problems.length === found) this.actions.push(action)
    return true
  }

  /** A company may have done nothing: a file of a header alone is complete. */
  end(): void {
    if (!this.#hasHeader) this.problems.push({ line: 1, text: `the header ${COLUMNS.join()} is missing` })
  }

  #takeHeader(record: readonly string[], line: number): boolean {
    this.#hasHeader = record.join() === COLUMNS.join()
    if (!this.#hasHeader)
      this.problems.push({ line, text: `unknown header ${record.join()}; it must be ${COLUMNS.join()}` })
    return this.#hasHeader
  }

  #checkUnique({ symbol, type, exDate }: CorporateAction, line: number, report: Report): void {
    const key = `${symbol} ${type} ${exDate}`
    const first = this.#lines.get(key)
    if (first === undefined) this.#lines.set(key, line)
    else report(`a second ${type} of ${symbol} on ${exDate}, first on line ${first}: write them as one`)
  }
}

function readAction(fields: Readonly<Record<string, string>>, report: Report): CorporateAction {
  const text = (column: string) => fields[column] ?? ''
  const date = (column: string) => {
    if (!isDate(text(column))) report(`${column} is not a date of the form YYYY-MM-DD: ${JSON.stringify(text(column))}`)
    return text(column)
  }
  const amount = (column: string) => {
    if (text(column) === '') return null
    const raw = readDecimal(column, text(column), DECIMALS, report)
    if (raw === 0n) report(`${column} is zero`)
    return raw
  }
  const type = ACTION_TYPES.find((known) => known === text('type'))
  if (type === undefined) report(`type is not one of ${ACTION_TYPES.join(', ')}: ${JSON.stringify(text('type'))}`)
  checkFields(type, fields, report)
  return {
    symbol: text('symbol'),
    type: type ?? 'split',
    exDate: date('exDate'),
    recordDate: text('recordDate') === '' ? null : date('recordDate'),
    payableDate: text('payableDate') === '' ? null : date('payableDate'),
    ratioFrom8: amount('ratioFrom'),
    ratioTo8: amount('ratioTo'),
    cashAmount8: amount('cashAmount'),
  }
}

/** Which fields each type needs and which it cannot have. */
function checkFields(type: ActionType | undefined, fields: Readonly<Record<string, string>>, report: Report): void {
  const has = (column: string) => fields[column] !== ''
  const hasRatio = has('ratioFrom') || has('ratioTo')
  if (hasRatio && !(has('ratioFrom') && has('ratioTo'))) report('ratioFrom and ratioTo go together')
  if (type === 'split' && !hasRatio) report('a split needs ratioFrom and ratioTo')
  if (type === 'split' && has('cashAmount')) report('a split has no cashAmount')
  if (type === 'dividend' && hasRatio) report('a dividend has no ratio: write a stock dividend as a split')
  if ((type === 'dividend' || type === 'spin-off') && !has('cashAmount')) report(`a ${type} needs a cashAmount`)
}
