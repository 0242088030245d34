import { afterEach, beforeEach, expect, test } from 'vitest'
import { inTransaction } from '../../db/pool.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import type { Hex } from '../types.ts'
import { insertNoop, lockQueued } from './store.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await testDatabase()
})
afterEach(() => database.drop())

const SIGNER: Hex = `0x${'aa'.repeat(20)}`
const lane = { chainId: 31_337, signer: SIGNER }
const filter = { purposes: ['submit'], headNumber: 1n, limit: 4, onlyGaps: false, parkedIds: [], parkedKeys: [] }

test('what closes gaps comes first, and of a long queue no more is looked at than is taken', async () => {
  const { sql } = database
  await sql`insert into tx_signers (chain_id, address, purposes, accounted_nonce) values (31337, ${SIGNER}, '{submit}', 0)`
  await sql`
    insert into tx_intents (chain_id, purpose, dedupe_key, ordering_key, to_address, data, value_wei)
    select 31337, 'submit', g, 'user:' || g % 300, ${SIGNER}, '0x00', 0 from generate_series(1, 3000) g`
  await insertNoop(sql, lane, 'submit', 'noop:1')
  await sql`analyze tx_intents`
  const { taken, homes } = await inTransaction(sql, async (tx) => {
    const taken = await lockQueued(tx, lane, filter)
    // The home of an ordering key is looked for once for each row that is looked at.
    const [row] = await tx<{ homes: number }[]>`
      select (seq_scan + coalesce(idx_scan, 0))::int as homes from pg_stat_xact_user_tables where relname = 'tx_signers'`
    return { taken, homes: row?.homes ?? 0 }
  })
  const ids = await sql<{ id: bigint }[]>`select id from tx_intents order by signer is null, id limit 4`
  expect(taken.map(({ id }) => id)).toEqual(ids.map(({ id }) => id))
  expect(taken.map(({ closesGap }) => closesGap)).toEqual([true, false, false, false])
  expect(homes).toBeGreaterThan(0)
  expect(homes).toBeLessThanOrEqual(4)
})

test('only what closes gaps is taken where nothing else may be', async () => {
  const { sql } = database
  await sql`
    insert into tx_intents (chain_id, purpose, dedupe_key, to_address, data, value_wei)
    values (31337, 'submit', 'user', ${SIGNER}, '0x00', 0)`
  for (const nth of [1, 2]) await insertNoop(sql, lane, 'submit', `noop:${nth}`)
  const take = (limit: number, onlyGaps: boolean) =>
    inTransaction(sql, async (tx) => {
      const taken = await lockQueued(tx, lane, { ...filter, limit, onlyGaps })
      return taken.map(({ closesGap }) => closesGap)
    })
  expect(await take(4, true)).toEqual([true, true])
  expect(await take(2, false)).toEqual([true, true])
  expect(await take(4, false)).toEqual([true, true, false])
})
