import { afterEach, beforeEach, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { blockWithAll, busyOrderingKeys } from './ended-intents.ts'

const CHAIN_ID = 31_337
const PREFIX = 'kind:'

let db: TestDatabase
beforeEach(async () => {
  db = await testDatabase()
  await db.sql`
    insert into chain_checkpoints (chain_id, genesis_hash, base_number, block_number, block_hash, final_number)
    values (${CHAIN_ID}, '0x00', 0, 100, '0x64', 90)`
})
afterEach(() => db.drop())

/** Intents that are final, one a block from the given one on, each with a key of its own. */
const insertFinal = (prefix: string, fromBlock: number, count: number) => db.sql`
  insert into tx_intents (chain_id, purpose, dedupe_key, ordering_key, to_address, data, value_wei, state, signer, nonce,
    outcome, block_number, block_hash)
  select ${CHAIN_ID}, 'settle', ${prefix} || b, ${prefix} || b, '0x' || repeat('0', 40), '0x', 0, 'final', '0xsigner', b, 'succeeded', b,
    '0x' || b
  from generate_series(${fromBlock}::bigint, ${fromBlock + count - 1}::bigint) b`

it('holds what is final for busy until the indexer has its block', async () => {
  await insertFinal(PREFIX, 99, 4)
  await insertFinal('other:', 110, 1)
  const busy = () => busyOrderingKeys(db.sql, CHAIN_ID, PREFIX)
  expect([...(await busy())].sort()).toEqual(['kind:101', 'kind:102'])
  expect(await blockWithAll(db.sql, CHAIN_ID, PREFIX)).toBeNull()
  await db.sql`update chain_checkpoints set block_number = 102`
  expect(await busy()).toEqual(new Set())
  expect(await blockWithAll(db.sql, CHAIN_ID, PREFIX)).toBe(102n)
})
