import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { arch, availableParallelism, cpus, platform, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

/** Median, minimum and maximum of some measurements. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle]
  if (upper === undefined) throw new Error('nothing was measured')
  const median = sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
  return { median, min: sorted[0] ?? upper, max: sorted.at(-1) ?? upper }
}

/** The machine, described without naming its owner. */
function machine(): Record<string, string | number> {
  const load = /^(\S+)/.exec(readIfThere('/proc/loadavg'))?.[1]
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${arch()}`,
    node: process.version,
    ...(load === undefined ? {} : { loadAverageAtStart: Number(load) }),
  }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Describes the run before it loads the machine itself. */
export const describeRun = () => ({ at: new Date().toISOString(), machine: machine() })

/** Writes bench/results/<name>.json and says so. */
export async function writeResults(name: string, results: object): Promise<void> {
  await writeFile(join(import.meta.dirname, 'results', `${name}.json`), `${JSON.stringify(results, null, 2)}\n`)
  console.log(`\nWritten to bench/results/${name}.json`)
}

/** Columns as wide as their longest cell; the first to the left, the others to the right. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const row of rows) {
    const cells = row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
    console.log(cells.join('  ').trimEnd())
  }
}

/** An aim, and whether the value is within it. */
export const aim = (value: number, limit: number, unit: string): string =>
  `${limit} ${unit} ${value <= limit ? 'met' : 'missed'}`

export const count = (value: number): string => Math.round(value).toLocaleString('en-US')
export const round = (value: number, digits: number): number => Number(value.toFixed(digits))

/** A spread with its numbers rounded to some digits. */
export const roundSpread = ({ median, min, max }: Spread, digits: number): Spread => ({
  median: round(median, digits),
  min: round(min, digits),
  max: round(max, digits),
})

/** The settings of a bench that are numbers alone, from arguments such as `--rounds 3`; throws naming one that is not right. */
export function readNumbers<const Name extends string>(
  args: readonly string[],
  defaults: Readonly<Record<Name, number>>,
): Record<Name, number> {
  const names = Object.keys(defaults) as Name[]
  const options = Object.fromEntries(
    names.map((name) => [name, { type: 'string' as const, default: String(defaults[name]) }]),
  )
  const values = parseArgs({ args: [...args], options }).values as Record<Name, string>
  return Object.fromEntries(names.map((name) => [name, positive(name, values[name])])) as Record<Name, number>
}

/** An option that must be a positive whole number. */
export function positive(name: string, text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${name} must be a positive whole number, got ${text}`)
  return Number(text)
}
