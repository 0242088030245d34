import { readFile } from 'node:fs/promises'
import { CsvError, parse } from 'csv-parse/sync'
import { AppError, type Reason } from '../lib/errors.ts'

const LISTED_PROBLEMS = 20

/** What is wrong with a line of a file. */
export interface Problem {
  readonly line: number
  readonly text: string
}

/** Notes what is wrong with the line that is being read. */
export type Report = (text: string) => void

/** Reads a file row by row and collects what is wrong with it. */
export interface RowReader {
  readonly problems: Problem[]
  /** False when nothing below this line could be understood. */
  take(record: readonly string[], line: number): boolean
  /** After the last row of a file without problems: whether it is complete. */
  end(): void
}

/** Gives a CSV file's rows to a reader. Throws `reason` with every bad line (the first 20) and what is wrong with it. */
export async function readCsv(path: string, reader: RowReader, reason: Reason): Promise<void> {
  const content = await readContent(path, reason)
  try {
    readRows(content, reader)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    reader.problems.push({ line: Number(error.lines), text: error.message })
  }
  if (reader.problems.length === 0) reader.end()
  if (reader.problems.length > 0) throw invalidFile(path, reader.problems, reason)
}

async function readContent(path: string, reason: Reason): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (cause) {
    throw new AppError(reason, `${path} cannot be read`, { cause })
  }
}

/** The rows are handed over as they are read, so that those before one that breaks off the file are looked at too. */
function readRows(content: Buffer, reader: RowReader): void {
  let isOver = false
  parse(content, {
    bom: true,
    relax_column_count: true,
    skip_empty_lines: false,
    on_record: (record: string[], { lines }) => {
      if (!isOver) isOver = !reader.take(record, lines)
      return null
    },
  })
}

function invalidFile(path: string, problems: readonly Problem[], reason: Reason): AppError {
  const listed = problems.slice(0, LISTED_PROBLEMS).map((problem) => `${path}:${problem.line}: ${problem.text}`)
  const more = problems.length - listed.length
  if (more > 0) listed.push(`and ${more} more`)
  return new AppError(reason, listed.join('\n'), { detail: { path, problems } })
}

/** The exact raw integer of a plain decimal, or null after a report. */
export function readDecimal(column: string, text: string, decimals: number, report: Report): bigint | null {
  const match = /^(\d{1,20})(?:\.(\d{1,40}))?$/.exec(text)
  if (!match) {
    report(text === '' ? `${column} is empty` : `${column} is not a plain decimal number: ${JSON.stringify(text)}`)
    return null
  }
  const fraction = (match[2] ?? '').replace(/0+$/, '')
  if (fraction.length > decimals) {
    report(`${column} has ${fraction.length} decimals, at most ${decimals} are kept: ${text}`)
    return null
  }
  return BigInt(`${match[1]}${fraction.padEnd(decimals, '0')}`)
}
