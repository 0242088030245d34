import { afterAll, beforeAll, expect, it } from 'vitest'
import { insertHistory, readingIntents } from '../../chain/send/testing/history.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { WAD } from '../../lib/wad.ts'
import { splitsUnderWay } from '../reconciliation/stock-books-store.ts'
import { AAPL, CHAIN_ID, MSFT } from '../testing/chain.ts'
import { dueSplits, insertTokenSplit, listTokenSplits } from './split-store.ts'

const EFFECTIVE_MS = Date.UTC(2026, 7, 4)

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  const { sql } = database
  const split = { ticker: 'X', effectiveMs: EFFECTIVE_MS, sharesPerTokenWad: 4n * WAD }
  for (const token of [AAPL, MSFT]) {
    for (const exDate of ['2026-08-03', '2026-08-04']) {
      await sql.begin((tx) => insertTokenSplit(tx, CHAIN_ID, { ...split, token, exDate }, 'test'))
    }
  }
  await insertHistory(sql, CHAIN_ID, 20_000, `'stock.settle:' || nth % 500`)
  for (const [token, exDate, state] of [
    [AAPL, '2026-08-03', 'final'],
    [AAPL, '2026-08-04', 'queued'],
  ] as const) {
    await insertHistory(sql, CHAIN_ID, 1, `'stock.split:${token}'`)
    await sql`update tx_intents set dedupe_key = ${`stock.split:${token}:${exDate}:0`} where dedupe_key like 'stock.split:%:state:%'`
    if (state === 'queued') {
      await sql`
        update tx_intents set state = 'queued', signer = null, nonce = null, outcome = null, block_number = null, block_hash = null
        where dedupe_key like 'stock.split:%:2026-08-04:0'`
    }
    await sql`update tx_intents set signer = signer || 'a' where signer is not null and dedupe_key like 'stock.split:%'`
  }
})
afterAll(() => database?.drop())

it('the transactions of splits are found without reading those of anything else', async () => {
  const now = new Date(EFFECTIVE_MS)
  const { result, read } = await readingIntents(database.sql, async (tx) => [
    (await dueSplits(tx, CHAIN_ID, now)).map(({ token, exDate, attempts }) => [token, exDate, attempts]),
    (await listTokenSplits(tx, CHAIN_ID))
      .filter(({ token }) => token === AAPL)
      .map(({ exDate, status }) => [exDate, status])
      .sort(),
    [...(await splitsUnderWay(tx, CHAIN_ID))],
  ])
  expect(result).toEqual([
    [[MSFT, '2026-08-04', 0]],
    [
      ['2026-08-03', 'applied'],
      ['2026-08-04', 'sent'],
    ],
    [AAPL],
  ])
  expect(read).toBeLessThan(50)
})
