import { parseArgs } from 'node:util'
import type { Db } from '../db/pool.ts'
import { formatUnits } from '../lib/decimal.ts'
import { isRead, latestReading, type Reading, type StoredLine } from './reading-store.ts'
import { differencesOf, isLasting, MAX_AGE_SEC } from './report.ts'

export const RECONCILE_USAGE = `Usage: npm run bourse -- reconcile [--json] [--product <name>]

  reconcile             shows broker, database and chain side by side, as the keeper last read them; exit code 0 when all
                        that was read agrees, 2 when something differs, 1 when there is no reading or it is too old; a
                        product that is not on the chain is left out unless it is named; --json is one
                        product's, which has to be named where several have readings
`

/** A product that takes readings, and the headings of their sections in order. */
export interface ReconciledProduct {
  readonly product: string
  readonly sections: Readonly<Record<string, string>>
}

export interface ReconcileContext {
  readonly sql: Db
  readonly chainId: number
  readonly products: readonly ReconciledProduct[]
}

/** What `reconcile` prints, and the exit code: 0 when everything agrees, 2 when not. */
export interface Reconciled {
  readonly text: string
  readonly exitCode: 0 | 2
}

/**
 * Runs `reconcile <args>`. Throws an `Error` with a message for the operator when the keeper has taken no reading yet, or none
 * for long: an old reading says nothing about now.
 */
export async function reconcileCommand(
  args: readonly string[],
  { sql, chainId, products }: ReconcileContext,
): Promise<Reconciled> {
  const { isJson, named } = optionsOf(args, products)
  const asked = await withReadings(sql, chainId, named ?? products)
  const read = asked.filter(({ reading, isOnChain }) => reading !== null || isOnChain)
  const shown = read.length === 0 ? asked : read
  if (isJson && shown.length > 1) throw new Error(`--json is one product's: add --product, one of ${namesOf(shown)}`)
  const isOnly = products.length === 1
  const reports: { readonly reading: Reading; readonly text: string }[] = []
  for (const { product, sections, reading: latest } of shown) {
    const reading = fresh(latest, isOnly ? '' : ` of ${product}`)
    const text = isJson ? `${JSON.stringify(toJson(reading), null, 2)}\n` : toTable(reading, sections)
    reports.push({ reading, text: isOnly || isJson ? text : `${product}: ${text}` })
  }
  const agrees = reports.every(({ reading }) => differencesOf(reading).length === 0)
  return { text: reports.map(({ text }) => text).join('\n'), exitCode: agrees ? 0 : 2 }
}

const withReadings = (sql: Db, chainId: number, products: readonly ReconciledProduct[]) =>
  Promise.all(
    products.map(async (one) => {
      const [reading, isOnChain] = await Promise.all([
        latestReading(sql, chainId, one.product),
        isRead(sql, chainId, one.product),
      ])
      return { ...one, reading, isOnChain }
    }),
  )

function optionsOf(args: readonly string[], products: readonly ReconciledProduct[]) {
  const { json: isJson = false, product } = parsed(args)
  const named = product === undefined ? null : products.filter((one) => one.product === product)
  if (named?.length === 0) throw new Error(`--product must be one of ${namesOf(products)}`)
  return { isJson, named }
}

const namesOf = (products: readonly ReconciledProduct[]): string => products.map(({ product }) => product).join(', ')

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: { json: { type: 'boolean' }, product: { type: 'string' } } }).values
  } catch {
    throw new Error(`unknown option ${args.join(' ')}\n\n${RECONCILE_USAGE}`)
  }
}

function fresh(reading: Reading | null, ofProduct: string): Reading {
  if (reading === null) throw new Error(`the keeper has taken no reading${ofProduct} yet: is it running?`)
  if (reading.ageSec <= MAX_AGE_SEC) return reading
  throw new Error(`the newest reading${ofProduct} is ${Math.round(reading.ageSec)} seconds old: is the keeper running?`)
}

const decimal = (amount: bigint | null, decimals: number): string | null =>
  amount === null ? null : formatUnits(amount, decimals)

function toJson(reading: Reading) {
  const { block, readAt, ageSec, durationMs, allReadSince, lines } = reading
  return {
    blockNumber: block.number.toString(),
    blockHash: block.hash,
    readAt: readAt.toISOString(),
    ageSec: Math.round(ageSec),
    durationMs,
    allReadSince: allReadSince?.toISOString() ?? null,
    differences: differencesOf(reading).length,
    lines: lines.map((line) => ({
      section: line.section,
      subject: line.subject,
      comparison: line.comparison,
      unit: line.unit,
      broker: decimal(line.broker, line.decimals),
      database: decimal(line.database, line.decimals),
      chain: decimal(line.chain, line.decimals),
      inFlight: Object.fromEntries(line.inFlight.map(({ name, amount }) => [name, decimal(amount, line.decimals)])),
      difference: decimal(line.difference, line.decimals),
      cause: line.cause,
      details: line.details,
      readingsInARow: line.readingsInARow,
      since: line.since?.toISOString() ?? null,
      lasting: isLasting(line),
    })),
  }
}

const HEAD = ['', 'comparison', 'unit', 'broker', 'database', 'chain', 'in flight', 'difference']

function toTable(reading: Reading, titles: Readonly<Record<string, string>>): string {
  const { block, readAt, ageSec, allReadSince, lines } = reading
  const differences = differencesOf(reading)
  const lasting = differences.filter(isLasting)
  const head = `Read at block ${block.number}, ${readAt.toISOString()}, ${Math.round(ageSec)} seconds ago.\n`
  const extent = allReadSince
    ? `What is read in parts was all read since ${allReadSince.toISOString()}.\n`
    : 'What is read in parts was not all read yet.\n'
  const sections = Object.entries(titles).map(([section, title]) => {
    const rows = lines.filter((line) => line.section === section).map(cells)
    return rows.length === 0 ? '' : `\n${title}\n${aligned([HEAD, ...rows])}`
  })
  const verdict =
    differences.length === 0
      ? `${allReadSince ? 'Broker, database and chain agree.' : 'What was read of broker, database and chain agrees.'}\n`
      : `${differences.length} of ${lines.length} comparisons differ, ${lasting.length} of them lastingly:\n` +
        differences.map(explain).join('')
  return `${head}${extent}${sections.join('')}\n${verdict}`
}

function cells(line: StoredLine): string[] {
  const amount = (value: bigint | null) => decimal(value, line.decimals) ?? '–'
  const inFlight = line.inFlight.map(({ name, amount: part }) => `${amount(part)} ${name}`).join(', ')
  return [
    ...[line.subject, line.comparison, line.unit, amount(line.broker), amount(line.database), amount(line.chain)],
    ...[inFlight || '–', amount(line.difference)],
  ]
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

function explain({
  subject,
  comparison,
  unit,
  decimals,
  difference,
  cause,
  details,
  readingsInARow,
  since,
}: StoredLine) {
  const seen = `${readingsInARow} reading${readingsInARow === 1 ? '' : 's'}, since ${since?.toISOString()}`
  const about = details.map((detail) => `    ${detail}\n`).join('')
  return `  ${subject} ${comparison}: ${formatUnits(difference, decimals)} ${unit}: ${cause} (${seen})\n${about}`
}
