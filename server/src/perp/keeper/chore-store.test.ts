import { afterAll, beforeAll, expect, it } from 'vitest'
import { insertHistory, readingIntents } from '../../chain/send/testing/history.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { earlierAttempts, lastOnChain, revertsInARow } from './chore-store.ts'

const CHAIN_ID = 31_337
const KEY = 'perp.keeper:liquidate:x'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  await insertHistory(database.sql, CHAIN_ID, 3, `'${KEY}'`)
  await insertHistory(database.sql, CHAIN_ID, 20_000, `'perp.keeper:liquidate:' || nth % 5000`)
  await database.sql`
    update tx_intents set outcome = 'reverted' where ordering_key = ${KEY} and dedupe_key not like '%:1'`
})
afterAll(() => database?.drop())

it('what was done of a subject before is found without reading what was done of others', async () => {
  const { result, read } = await readingIntents(database.sql, async (tx) => [
    await lastOnChain(tx, CHAIN_ID, KEY),
    await earlierAttempts(tx, CHAIN_ID, { orderingKey: KEY, state: 'state' }),
    await revertsInARow(tx, CHAIN_ID, KEY),
  ])
  expect(result).toMatchObject([{ isFinal: true }, { attempts: 3, last: { hasFailed: true } }, 2])
  expect(read).toBeLessThan(50)
})

it('and so is that nothing was', async () => {
  const { result, read } = await readingIntents(database.sql, async (tx) => [
    await lastOnChain(tx, CHAIN_ID, `${KEY}y`),
    await earlierAttempts(tx, CHAIN_ID, { orderingKey: `${KEY}y`, state: 'state' }),
    await revertsInARow(tx, CHAIN_ID, `${KEY}y`),
  ])
  expect(result).toEqual([null, { attempts: 0, last: null }, 0])
  expect(read).toBeLessThan(50)
})
