import { isDate } from '../lib/dates.ts'
import { marketReasons } from './reasons.ts'
import { type Problem, type Report, readCsv, readDecimal } from './strict-csv.ts'

/** A recorded day. Prices are USD with 8 decimals, the volume is shares with 18; null where none was recorded. */
export interface DailyBar {
  /** `YYYY-MM-DD`, as recorded. */
  readonly date: string
  readonly open8: bigint
  readonly high8: bigint
  readonly low8: bigint
  readonly close8: bigint
  readonly volumeWad: bigint | null
}

const REQUIRED_COLUMNS = ['date', 'open', 'high', 'low', 'close']
/** The adjusted close is read and checked but not kept: adjustments are computed from corporate actions. */
const HEADERS = [[], ['volume'], ['adjclose', 'volume']].map((rest) => [...REQUIRED_COLUMNS, ...rest])
const PRICE_DECIMALS = 8
const VOLUME_DECIMALS = 18

/**
 * Reads a CSV file of daily bars: header `date,open,high,low,close`, then `volume` or `adjclose,volume` if it has them;
 * dates strictly ascending; plain decimal numbers, kept exactly. Throws `recorded_file_invalid` with every bad line (the
 * first 20) and what is wrong with it; a file is taken whole or not at all.
 */
export async function readDailyBars(path: string): Promise<readonly DailyBar[]> {
  const reader = new BarReader()
  await readCsv(path, reader, marketReasons.recorded_file_invalid)
  return reader.bars
}

class BarReader {
  readonly bars: DailyBar[] = []
  readonly problems: Problem[] = []
  #columns: readonly string[] | null = null
  #previous: { readonly date: string; readonly line: number } | null = null

  /** False when nothing below this line could be understood. */
  take(record: readonly string[], line: number): boolean {
    if (this.#columns === null) return this.#takeHeader(record, line)
    this.#takeBar(record, this.#columns, line)
    return true
  }

  end(): void {
    if (this.bars.length === 0) this.problems.push({ line: 1, text: 'the file holds no bars' })
  }

  #takeHeader(record: readonly string[], line: number): boolean {
    this.#columns = HEADERS.find((header) => header.join() === record.join()) ?? null
    if (this.#columns !== null) return true
    const missing = REQUIRED_COLUMNS.filter((column) => !record.includes(column))
    const found = missing.length > 0 ? `missing column ${missing.join(', ')}` : `unknown header ${record.join()}`
    this.problems.push({ line, text: `${found}; it must be ${HEADERS.map((header) => header.join()).join(' or ')}` })
    return false
  }

  #takeBar(record: readonly string[], columns: readonly string[], line: number): void {
    const found = this.problems.length
    const report = (text: string) => this.problems.push({ line, text })
    if (record.length !== columns.length) {
      const missing = columns.slice(record.length)
      report(
        missing.length > 0
          ? `missing ${missing.join(', ')}: ${record.length} of ${columns.length} columns`
          : `${record.length} columns where the header has ${columns.length}`,
      )
      return
    }
    const fields = Object.fromEntries(columns.map((column, i) => [column, record[i] ?? '']))
    const bar = readBar(fields, report)
    this.#checkOrder(bar.date, line, report)
    if (this.problems.length === found) this.bars.push(bar)
  }

  #checkOrder(date: string, line: number, report: Report): void {
    if (!isDate(date)) return
    const previous = this.#previous
    if (previous && date === previous.date) report(`duplicate date ${date}, first on line ${previous.line}`)
    else if (previous && date < previous.date) {
      report(`out of order: ${date} comes after ${previous.date} of line ${previous.line}`)
    } else this.#previous = { date, line }
  }
}

function readBar(fields: Readonly<Record<string, string>>, report: Report): DailyBar {
  const price = (column: string): bigint => {
    const price8 = readDecimal(column, fields[column] ?? '', PRICE_DECIMALS, report)
    if (price8 === 0n) report(`${column} is zero`)
    return price8 ?? 0n
  }
  const date = fields.date ?? ''
  if (!isDate(date)) report(`date is not a date of the form YYYY-MM-DD: ${JSON.stringify(date)}`)
  const bar = { date, open8: price('open'), high8: price('high'), low8: price('low'), close8: price('close') }
  if ('adjclose' in fields) price('adjclose')
  const volumeWad = 'volume' in fields ? readDecimal('volume', fields.volume ?? '', VOLUME_DECIMALS, report) : null
  checkRange(bar, fields, report)
  return { ...bar, volumeWad }
}

function checkRange(bar: Omit<DailyBar, 'volumeWad'>, fields: Readonly<Record<string, string>>, report: Report): void {
  const { open8, high8, low8, close8 } = bar
  // A price that could not be read is 0 here and was reported already.
  if (high8 === 0n || low8 === 0n) return
  if (high8 < low8) {
    report(`high ${fields.high} is below low ${fields.low}`)
    return
  }
  const outside = (price8: bigint) => price8 !== 0n && (price8 < low8 || price8 > high8)
  if (outside(open8)) report(`open ${fields.open} is not between low ${fields.low} and high ${fields.high}`)
  if (outside(close8)) report(`close ${fields.close} is not between low ${fields.low} and high ${fields.high}`)
}
