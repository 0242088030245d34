import { Registry } from 'prom-client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeReport } from '../chain/follow/status.ts'
import { insertCheckpoint } from '../chain/follow/store.ts'
import { saveSigner } from '../chain/send/store.ts'
import { inTransaction } from '../db/pool.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { configuredWith } from '../delegation/testing-values.ts'
import type { Venue } from '../http/product.ts'
import { testVenue } from '../http/testing.ts'
import { ARCHIVE_GAUGE } from './archive-gauge.ts'
import { openHealth } from './health.ts'
import { HEALTH_GAUGES, STOPPED_REASONS } from './health-metrics.ts'
import { readTaskHealth, writeTaskHealth } from './keeper-status.ts'
import { openProducts, products, type RunningProduct } from './products.ts'
import { notIndexed, venueStatus } from './status.ts'

const CHAIN_ID = 31_337
const values = configuredWith(products.map(({ variables }) => variables))
const HASH = `0x${'ab'.repeat(32)}` as const

let db: TestDatabase
let venue: Venue
let opened: readonly RunningProduct[]
beforeEach(async () => {
  db = await testDatabase()
  venue = testVenue({ sql: db.sql, clock: { nowMs: () => Date.now() } })
  opened = openProducts(products, venue, values)
})
afterEach(() => db.drop())

const report = (state: 'catching-up' | 'following' | 'behind' | 'halted', reason: string | null = null) =>
  writeReport(db.sql, CHAIN_ID, { state, reason, headNumber: 12n })

/** The indexer has reported nothing for so long. */
const silent = (sec: number) =>
  db.sql`update follower_status set observed_at = observed_at - ${sec} * interval '1 second'`

async function indexed(): Promise<void> {
  await inTransaction(db.sql, (tx) => insertCheckpoint(tx, CHAIN_ID, HASH, { number: 7n, hash: HASH }))
}

describe('/readyz', () => {
  it('is a no, with the reason, until the head is indexed', async () => {
    expect(await notIndexed(venue)).toEqual(['no indexer has run yet'])
    await report('catching-up')
    expect(await notIndexed(venue)).toEqual(['the indexer is catching-up'])
    await report('following')
    expect(await notIndexed(venue)).toEqual([])
    await report('halted', 'another chain')
    expect(await notIndexed(venue)).toEqual(['the indexer is halted: another chain'])
  })

  it('is a no when the indexer has fallen silent', async () => {
    await report('following')
    await silent(11)
    expect(await notIndexed(venue)).toEqual(['the indexer is silent'])
  })

  it.each([
    ['ahead', 3600],
    ['behind', -3600],
  ])('goes by the database, which a clock that is %s cannot change', async (_how, offSec) => {
    const clock = { nowMs: () => Date.now() + offSec * 1000 }
    await report('following')
    expect(await notIndexed({ ...venue, clock })).toEqual([])
    await silent(11)
    expect(await notIndexed({ ...venue, clock })).toEqual(['the indexer is silent'])
    const gauge = HEALTH_GAUGES.find(({ name }) => name === 'bourse_indexer_report_age_seconds')
    const [[, ageSec] = []] = (await gauge?.read({ ...venue, clock })) ?? []
    expect(ageSec).toBeGreaterThanOrEqual(11)
    expect(ageSec).toBeLessThan(600)
  })
})

describe('/status', () => {
  it('tells the indexed block and its lag, and the health of relayer and keeper', async () => {
    await indexed()
    await report('behind', 'the node lags')
    const task = { task: 'quotes', rounds: 3, failuresInARow: 2, lastError: 'no answer', lastSuccessAt: null }
    await writeTaskHealth(db.sql, CHAIN_ID, [task])
    expect(await venueStatus(venue, opened)).toMatchObject({
      chainId: CHAIN_ID,
      indexer: { state: 'behind', reason: 'the node lags', indexedNumber: '7', headNumber: '12', lagBlocks: '5' },
      relayer: { signers: [], queues: [] },
      keeper: { tasks: [{ task: 'quotes', failuresInARow: 2, lastError: 'no answer' }], hedge: [] },
    })
  })

  it('tells when a task last succeeded, also under an earlier leader', async () => {
    const lastSuccessAt = new Date('2030-06-10T14:03:00Z')
    const health = { task: 'quotes', rounds: 1, failuresInARow: 0, lastError: null }
    const told = async () => (await readTaskHealth(db.sql, CHAIN_ID)).map((task) => task.lastSuccessAt)
    await writeTaskHealth(db.sql, CHAIN_ID, [{ ...health, lastSuccessAt }])
    await writeTaskHealth(db.sql, CHAIN_ID, [{ ...health, lastSuccessAt: null }])
    expect(await told()).toEqual([lastSuccessAt])
    const later = new Date('2030-06-10T14:04:00Z')
    await writeTaskHealth(db.sql, CHAIN_ID, [{ ...health, lastSuccessAt: later }])
    expect(await told()).toEqual([later])
  })

  it('tells a signer that has stopped for its low balance', async () => {
    const seen = { purposes: ['submit'], balanceWei: 1n, chainNonce: 3n, stoppedReason: 'low_balance' }
    await saveSigner(db.sql, { chainId: CHAIN_ID, signer: '0x01' }, seen)
    expect(await venueStatus(venue, opened)).toMatchObject({
      relayer: { signers: [{ address: '0x01', balanceWei: '1', stoppedReason: 'low_balance', silent: false }] },
    })
  })

  it('tells a signer for which no process works', async () => {
    const seen = { purposes: ['submit'], balanceWei: 1n, chainNonce: 3n, stoppedReason: null }
    await saveSigner(db.sql, { chainId: CHAIN_ID, signer: '0x01' }, seen)
    await db.sql`update tx_signers set seen_at = seen_at - interval '31 seconds'`
    expect(await venueStatus(venue, opened)).toMatchObject({ relayer: { signers: [{ silent: true }] } })
  })

  it('tells an indexer that has fallen silent, whatever it reported last', async () => {
    await report('following')
    expect(await venueStatus(venue, opened)).toMatchObject({ indexer: { state: 'following', silent: false } })
    await db.sql`update follower_status set observed_at = observed_at - interval '11 seconds'`
    expect(await venueStatus(venue, opened)).toMatchObject({ indexer: { state: 'following', silent: true } })
  })
})

describe('/metrics', () => {
  it('says of a signer that sends nothing why it does not', async () => {
    const seen = (stoppedReason: string | null) => ({
      purposes: ['submit'],
      balanceWei: 1n,
      chainNonce: 3n,
      stoppedReason,
    })
    await saveSigner(db.sql, { chainId: CHAIN_ID, signer: '0x01' }, seen('low_balance'))
    await saveSigner(db.sql, { chainId: CHAIN_ID, signer: '0x02' }, seen(null))
    await db.sql`update tx_signers set seen_at = seen_at - interval '31 seconds' where address = '0x02'`
    const gauge = HEALTH_GAUGES.find(({ name }) => name === 'bourse_relayer_stopped')
    const samples = (await gauge?.read(venue)) ?? []
    expect(samples).toHaveLength(2 * STOPPED_REASONS.length)
    expect(samples.filter(([, value]) => value === 1).map(([labels]) => labels)).toEqual([
      { signer: '0x01', reason: 'low_balance' },
      { signer: '0x02', reason: 'silent' },
    ])
  })

  it('says what each signer holds, and nothing of one whose balance no relayer has seen', async () => {
    const seen = (balanceWei: bigint | null) => ({
      purposes: ['submit'],
      balanceWei,
      chainNonce: 3n,
      stoppedReason: null,
    })
    await saveSigner(db.sql, { chainId: CHAIN_ID, signer: '0x01' }, seen(1_250_000_000_000_000_000n))
    await saveSigner(db.sql, { chainId: CHAIN_ID, signer: '0x02' }, seen(0n))
    await saveSigner(db.sql, { chainId: CHAIN_ID, signer: '0x03' }, seen(null))
    const gauge = HEALTH_GAUGES.find(({ name }) => name === 'bourse_signer_balance')
    expect(await gauge?.read(venue)).toEqual([
      [{ signer: '0x01' }, 1.25],
      [{ signer: '0x02' }, 0],
    ])
  })

  it('says for how long PostgreSQL has archived nothing, where it archives', async () => {
    expect(await ARCHIVE_GAUGE.read(venue)).toEqual([])
    const asked = (row: unknown) => ({ ...venue, sql: (async () => [row]) as unknown as Venue['sql'] })
    expect(await ARCHIVE_GAUGE.read(asked({ mode: 'on', ageSec: 601.5 }))).toEqual([[{}, 601.5]])
    expect(await ARCHIVE_GAUGE.read(asked({ mode: 'on', ageSec: null }))).toEqual([])
  })

  it('has the same as numbers', async () => {
    await indexed()
    await report('following')
    const task = { task: 'quotes', rounds: 3, failuresInARow: 2, lastError: 'no answer', lastSuccessAt: null }
    await writeTaskHealth(db.sql, CHAIN_ID, [task])
    venue = { ...venue, rpc: { call: async () => '0x7a69' } as unknown as Venue['rpc'] }
    const metrics = new Registry()
    const health = openHealth({ venue, metrics }, null, opened)
    const text = await metrics.metrics()
    await health.close()
    expect(text).toContain('\nbourse_ready 1\n')
    expect(text).toContain('\nbourse_indexed_block 7\n')
    expect(text).toContain('\nbourse_indexer_lag_blocks 5\n')
    expect(text).toMatch(/\nbourse_indexer_report_age_seconds [0-9.]+\n/)
    expect(text).toContain('\nbourse_keeper_failures_in_a_row{task="quotes"} 2')
  })

  it('says of a task that has never succeeded since when there is it, under whatever leader, and then when it last did', async () => {
    const gauge = HEALTH_GAUGES.find(({ name }) => name === 'bourse_keeper_last_success_timestamp_seconds')
    const health = { task: 'quotes', rounds: 0, failuresInARow: 0, lastError: null, lastSuccessAt: null }
    const told = async () => (await gauge?.read(venue))?.[0]?.[1]
    await writeTaskHealth(db.sql, CHAIN_ID, [health])
    await db.sql`update keeper_tasks set known_since = '2030-06-10T14:03:00Z'`
    await writeTaskHealth(db.sql, CHAIN_ID, [health])
    expect(await told()).toBe(Date.UTC(2030, 5, 10, 14, 3) / 1000)
    await writeTaskHealth(db.sql, CHAIN_ID, [{ ...health, lastSuccessAt: new Date('2030-06-10T14:04:00Z') }])
    expect(await told()).toBe(Date.UTC(2030, 5, 10, 14, 4) / 1000)
  })
})
