import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inTransaction } from '../db/pool.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { testVenue } from '../http/testing.ts'
import { WAD } from '../lib/wad.ts'
import { reconciliationGauges } from './gauges.ts'
import { line } from './lines.ts'
import { insertReading, latestReading, type StoredLine } from './reading-store.ts'
import { type ReconciledProduct, reconcileCommand } from './reconcile-command.ts'
import { summaryOf } from './report.ts'
import { saveRound } from './round-store.ts'

const CHAIN_ID = 31_337
const SINCE = new Date('2026-08-03T15:00:00Z')

let db: TestDatabase
beforeEach(async () => {
  db = await testDatabase()
})
afterEach(() => db.drop())

const SHOP = { product: 'shop', sections: { wares: 'Wares' } }
const BANK = { product: 'bank', sections: { loans: 'Loans' } }
const run = (...args: string[]) => runOf([SHOP], ...args)
const runOf = (products: readonly ReconciledProduct[], ...args: string[]) =>
  reconcileCommand(args, { sql: db.sql, chainId: CHAIN_ID, products })

const supply = (chain: bigint, readingsInARow: number): StoredLine => ({
  ...line({
    section: 'wares',
    subject: 'AAPL',
    comparison: 'supply',
    unit: 'tokens',
    decimals: 18,
    database: 5n * WAD,
    chain,
    inFlight: [{ name: 'settler', amount: WAD / 2n, isAtRest: false }],
    difference: chain - WAD / 2n - 5n * WAD,
    cause: 'foreign_mint',
    details: ['somebody minted'],
  }),
  readingsInARow,
  since: readingsInARow > 0 ? SINCE : null,
})

const read = (...lines: StoredLine[]) => readOf('shop', ...lines)
const readOf = (product: string, ...lines: StoredLine[]) =>
  inTransaction(db.sql, (tx) =>
    insertReading(tx, CHAIN_ID, product, { block: { number: 7n, hash: '0xab' }, durationMs: 12, lines }),
  )

it('without a reading, or with an old one, says so and fails', async () => {
  await expect(run()).rejects.toThrow('the keeper has taken no reading yet')
  await read(supply((11n * WAD) / 2n, 0))
  await db.sql`update reconciliation_readings set read_at = now() - interval '181 seconds'`
  await expect(run()).rejects.toThrow(/^the newest reading is 18\d seconds old/)
  await expect(run('--yaml')).rejects.toThrow('unknown option --yaml')
})

it('shows the three side by side, and that they agree', async () => {
  await read(supply((11n * WAD) / 2n, 0))
  const early = await run()
  expect(early.exitCode).toBe(0)
  expect(early.text).toMatch(/seconds ago\.\nWhat is read in parts was not all read yet\.\n/)
  expect(early.text).toMatch(/\nWhat was read of broker, database and chain agrees\.\n$/)
  const round = { next: 1, beganAt: null, allReadSince: SINCE }
  await inTransaction(db.sql, (tx) => saveRound(tx, CHAIN_ID, 'shop', round))
  const { text, exitCode } = await run()
  expect(exitCode).toBe(0)
  expect(text).toMatch(/^Read at block 7, .* seconds ago\.\n/)
  expect(text).toContain('\nWhat is read in parts was all read since 2026-08-03T15:00:00.000Z.\n')
  expect(text).toMatch(/\n +comparison +unit +broker +database +chain +in flight +difference\n/)
  expect(text).toMatch(/\nAAPL +supply +tokens +– +5 +5\.5 +0\.5 settler +0\n/)
  expect(text).toMatch(/\nBroker, database and chain agree\.\n$/)
})

it('names each difference, and how long it has been there', async () => {
  await read(supply((17n * WAD) / 2n, 4))
  const { text, exitCode } = await run()
  expect(exitCode).toBe(2)
  expect(text).toContain('1 of 1 comparisons differ, 1 of them lastingly:\n')
  expect(text).toContain(
    '  AAPL supply: 3 tokens: foreign_mint (4 readings, since 2026-08-03T15:00:00.000Z)\n    somebody minted\n',
  )
  expect(summaryOf(await latestReading(db.sql, CHAIN_ID, 'shop'))).toMatchObject({
    blockNumber: 7n,
    differences: 1,
    lasting: 1,
    inFlight: 1,
    causes: [{ subject: 'AAPL', comparison: 'supply', cause: 'foreign_mint' }],
  })
})

it('says the same to programs, amounts as exact decimals', async () => {
  await read(supply((17n * WAD) / 2n, 1))
  const { text, exitCode } = await run('--json')
  expect(exitCode).toBe(2)
  expect(JSON.parse(text)).toMatchObject({
    blockNumber: '7',
    differences: 1,
    lines: [
      {
        subject: 'AAPL',
        comparison: 'supply',
        unit: 'tokens',
        broker: null,
        database: '5',
        chain: '8.5',
        inFlight: { settler: '0.5' },
        difference: '3',
        cause: 'foreign_mint',
        details: ['somebody minted'],
        readingsInARow: 1,
        lasting: false,
      },
    ],
  })
})

it('keeps the newest 500 readings with their lines', async () => {
  await read(supply((11n * WAD) / 2n, 0))
  await db.sql`
    insert into reconciliation_readings (chain_id, product, block_number, block_hash, duration_ms)
    select ${CHAIN_ID}, 'shop', n, '0xab', 1 from generate_series(1, 499) n`
  expect(await count()).toEqual({ readings: 500, lines: 1 })
  await read()
  expect(await count()).toEqual({ readings: 500, lines: 0 })
})

describe('where several products take readings', () => {
  beforeEach(async () => {
    await read(supply((11n * WAD) / 2n, 0))
    await readOf('bank', { ...supply((17n * WAD) / 2n, 1), section: 'loans' })
  })

  it('shows all of them, or the one that is named', async () => {
    const both = await runOf([SHOP, BANK])
    expect(both.exitCode).toBe(2)
    expect(both.text).toMatch(/^shop: Read at block 7[\s\S]*\nWares\n[\s\S]*agrees\.\n\nbank: Read at[\s\S]*\nLoans\n/)
    const shop = await runOf([SHOP, BANK], '--product', 'shop')
    expect([shop.exitCode, shop.text.includes('Loans')]).toEqual([0, false])
    expect(JSON.parse((await runOf([SHOP, BANK], '--json', '--product', 'bank')).text)).toMatchObject({
      differences: 1,
    })
  })

  it('says what is missing of which', async () => {
    await expect(runOf([SHOP, BANK], '--json')).rejects.toThrow('add --product, one of shop, bank')
    await expect(runOf([SHOP, BANK], '--product', 'zoo')).rejects.toThrow('--product must be one of shop, bank')
    await db.sql`delete from reconciliation_readings where product = 'bank'`
    await expect(runOf([SHOP, BANK], '--product', 'bank')).rejects.toThrow(
      'the keeper has taken no reading of bank yet',
    )
  })

  it('leaves out what is not on the chain, but not everything', async () => {
    await db.sql`delete from reconciliation_readings where product = 'bank'`
    const { exitCode, text } = await runOf([SHOP, BANK])
    expect([exitCode, text.includes('bank')]).toEqual([0, false])
    expect(JSON.parse((await runOf([SHOP, BANK], '--json')).text)).toMatchObject({ differences: 0 })
    await db.sql`delete from reconciliation_readings`
    await expect(runOf([SHOP, BANK])).rejects.toThrow('the keeper has taken no reading of shop yet')
  })

  it('fails where the keeper is to read one and has not', async () => {
    await db.sql`delete from reconciliation_readings where product = 'bank'`
    await db.sql`
      insert into keeper_tasks (chain_id, task, rounds, failures_in_a_row, last_error, reported_at)
      values (${CHAIN_ID}, 'bank.reconcile', 9, 9, 'the node does not answer', now())`
    await expect(runOf([SHOP, BANK])).rejects.toThrow('the keeper has taken no reading of bank yet')
    expect((await runOf([SHOP, BANK], '--product', 'shop')).exitCode).toBe(0)
  })

  it('gives alarms the worst of them', async () => {
    await db.sql`update reconciliation_readings set read_at = now() - interval '50 seconds' where product = 'shop'`
    await readOf('bank', { ...supply((17n * WAD) / 2n, 3), section: 'loans' })
    const venue = testVenue({ sql: db.sql })
    const scrape = async (...products: string[]) =>
      Promise.all(reconciliationGauges(products).map(async (gauge) => (await gauge.read(venue))[0]?.[1]))
    expect(await scrape('shop', 'bank')).toEqual([1, 50])
    expect(await scrape('bank', 'zoo')).toEqual([1, 0])
    expect(await scrape('zoo')).toEqual([undefined, undefined])
  })

  it('keeps 500 of each', async () => {
    await db.sql`
      insert into reconciliation_readings (chain_id, product, block_number, block_hash, duration_ms)
      select ${CHAIN_ID}, 'bank', n, '0xab', 1 from generate_series(1, 600) n`
    await readOf('bank')
    const counts = await db.sql`
      select product, count(*)::int as readings from reconciliation_readings group by 1 order by 1`
    expect([...counts]).toEqual([
      { product: 'bank', readings: 500 },
      { product: 'shop', readings: 1 },
    ])
  })
})

async function count() {
  const [row] = await db.sql<{ readings: number; lines: number }[]>`
    select (select count(*)::int from reconciliation_readings) as readings,
      (select count(*)::int from reconciliation_lines) as lines`
  return row
}
