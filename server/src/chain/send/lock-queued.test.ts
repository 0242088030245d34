import { readFileSync } from 'node:fs'
import { join } from 'node:path'
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

test('empty transactions that an older version left in the queue end, and what users asked for is taken alone', async () => {
  const { sql } = database
  const queue = (key: string, data: Hex) => sql`
    insert into tx_intents (chain_id, purpose, dedupe_key, to_address, data, value_wei)
    values (31337, 'submit', ${key}, ${SIGNER}, ${data}, 0)`
  for (const nth of [1, 2]) await queue(`noop:${SIGNER}:7:${nth}`, '0x')
  await insertNoop(sql, lane, 'submit', `noop:${SIGNER}:8:3`)
  await queue('user', '0x00')
  await queue('transfer', '0x')
  await insertNoop(sql, lane, 'submit', `noop:${SIGNER}:9:4`)
  await sql`update tx_intents set state = 'broadcast', nonce = 9 where dedupe_key like 'noop:%:9:%'`
  const folder = join(import.meta.dirname, '..', '..', 'db', 'migrations')
  await sql.unsafe(readFileSync(join(folder, '273.do.left-noops.sql'), 'utf8'))
  const taken = await inTransaction(sql, (tx) => lockQueued(tx, lane, filter))
  const keys = await sql<{ key: string }[]>`
    select dedupe_key as key from tx_intents where id = any(${taken.map(({ id }) => String(id))}::bigint[]) order by id`
  expect(keys.map(({ key }) => key)).toEqual(['user', 'transfer'])
  const states = await sql<{ state: string }[]>`select state from tx_intents where dedupe_key like 'noop:%' order by id`
  expect(states.map(({ state }) => state)).toEqual(['rejected', 'rejected', 'rejected', 'broadcast'])
})
