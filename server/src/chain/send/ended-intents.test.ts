import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { blockWithAll, busyOrderingKeys, endedIntents, resolvedUpTo } from './ended-intents.ts'
import { insertHistory, readingIntents } from './testing/history.ts'

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

describe('how far intents have ended for good', () => {
  const resolved = (afterId = 0n) => resolvedUpTo(db.sql, CHAIN_ID, PREFIX, afterId)
  const idOf = async (key: string) =>
    (await db.sql<{ id: bigint }[]>`select id from tx_intents where dedupe_key = ${key}`)[0]?.id as bigint
  const growOld = () => db.sql`update tx_intents set created_at = created_at - interval '2 minutes'`

  it('is up to the newest of all, but for what others may still commit', async () => {
    await insertFinal(PREFIX, 99, 1)
    await growOld()
    await insertFinal('other:', 10, 1)
    expect(await resolved()).toBe(await idOf('kind:99'))
    await growOld()
    expect(await resolved()).toBe(await idOf('other:10'))
    expect(await resolved(1_000_000n)).toBe(1_000_000n)
  })

  it('is up to before the first that is mined, or final in a block that is not indexed', async () => {
    await insertFinal(PREFIX, 98, 4)
    await growOld()
    expect(await resolved()).toBe((await idOf('kind:101')) - 1n)
    await db.sql`update tx_intents set state = 'mined' where dedupe_key = 'kind:99'`
    expect(await resolved()).toBe((await idOf('kind:99')) - 1n)
  })

  it('is nowhere before a block is indexed', async () => {
    await insertFinal(PREFIX, 98, 1)
    await growOld()
    await db.sql`delete from chain_checkpoints`
    expect(await resolved(0n)).toBe(0n)
  })

  it('is found without reading the history, and so are the first that have', async () => {
    await insertHistory(db.sql, CHAIN_ID, 10_000, `'kind:' || nth % 7`)
    await insertHistory(db.sql, CHAIN_ID, 10_000, `'other:' || nth % 7`)
    await insertFinal(PREFIX, 98, 4)
    await growOld()
    const mark = await readingIntents(db.sql, (tx) => resolvedUpTo(tx, CHAIN_ID, PREFIX, 0n))
    expect(mark.result).toBe((await idOf('kind:101')) - 1n)
    expect(mark.read).toBeLessThan(100)
    const ended = await readingIntents(db.sql, (tx) => endedIntents(tx, CHAIN_ID, PREFIX, 0n, 1000))
    expect(ended.result).toHaveLength(1000)
    expect(ended.read).toBeLessThan(2000)
    const after = await readingIntents(db.sql, (tx) => endedIntents(tx, CHAIN_ID, PREFIX, mark.result, 1000))
    expect(after.read).toBeLessThan(100)
  })
})
