import { afterEach, beforeEach, expect, it } from 'vitest'
import { createKey } from '../../auth/keys.ts'
import type { Hex } from '../../chain/types.ts'
import { inTransaction } from '../../db/pool.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { CHAIN_ID, testMasterKeys } from '../testing/key-api.ts'
import { PERP_PRODUCT } from '../variables.ts'
import { hasMarks, oldestMarkSec, putBack, takeMarks } from './mark-store.ts'
import type { RecordKind } from './private-channels.ts'

const [ALICE, NOBODY] = ['1', '2'].map((digit): Hex => `0x${digit.repeat(40)}`) as [Hex, Hex]

let db: TestDatabase
beforeEach(async () => {
  db = await testDatabase()
})
afterEach(() => db.drop())

/** Alice's first key, which marks her wallet whole. */
const issueKey = () =>
  createKey(
    db.sql,
    testMasterKeys(),
    {
      label: 'a',
      access: 'READ_ONLY',
      chainId: CHAIN_ID,
      productType: PERP_PRODUCT,
      userAddress: ALICE,
      ipWhitelist: ['127.0.0.1'],
      expiresAt: null,
    },
    'test',
  )

async function mark(trader: Hex, kind: RecordKind, subject: string): Promise<void> {
  await db.sql`
    insert into perp_stream_marks (chain_id, trader, kind, subject) values (${CHAIN_ID}, ${trader}, ${kind}, ${subject})`
}

/** What is taken, by kind and subject. */
const take = (first: RecordKind | null, limit = 100) =>
  inTransaction(db.sql, async (tx) => {
    const marks = await takeMarks(tx, CHAIN_ID, PERP_PRODUCT, { limit, first })
    return marks.map((one) => (one.kind === null ? 'all' : `${one.kind} ${one.subject}`))
  })

it('are taken of one kind first, each kind in its order, and then all others', async () => {
  await issueKey()
  await take(null)
  for (const subject of ['1', '2', '3']) {
    await mark(ALICE, 'order', subject)
    await mark(ALICE, 'execution', subject)
  }
  expect(await take('execution', 2)).toEqual(['execution 1', 'execution 2'])
  expect(await take('execution')).toEqual(['execution 3'])
  expect(await take('execution')).toEqual(['order 1', 'order 2', 'order 3'])
  expect(await hasMarks(db.sql, CHAIN_ID)).toBe(false)
})

it('are taken in the order in which they were made where no kind is to come first', async () => {
  await issueKey()
  await take(null)
  await mark(ALICE, 'order', '1')
  await mark(ALICE, 'execution', '1')
  await mark(ALICE, 'order', '2')
  expect(await take(null)).toEqual(['order 1', 'execution 1', 'order 2'])
})

it('are taken in their order while all of a wallet is to be told, so that what is older is told first', async () => {
  await mark(ALICE, 'order', '1')
  await issueKey()
  await mark(ALICE, 'execution', '1')
  expect(await take('execution')).toEqual(['order 1', 'all', 'execution 1'])
})

it('of a wallet without a key are taken and told to nobody', async () => {
  await mark(NOBODY, 'execution', '1')
  expect(await take('execution')).toEqual([])
  expect(await hasMarks(db.sql, CHAIN_ID)).toBe(false)
})

it('tell for how long the oldest of them has waited', async () => {
  expect(await oldestMarkSec(db.sql, CHAIN_ID)).toBe(0)
  await mark(ALICE, 'order', '1')
  await db.sql`update perp_stream_marks set marked_at = marked_at - interval '1 hour'`
  await mark(ALICE, 'order', '2')
  expect(await oldestMarkSec(db.sql, CHAIN_ID)).toBeGreaterThanOrEqual(3600)
})

it('that were put back count for no delay of the venue, beside those that were not', async () => {
  const movement = {
    trader: ALICE,
    kind: 'movement',
    subject: '1',
    waitedSec: 7200,
  } as const
  await inTransaction(db.sql, (tx) => putBack(tx, CHAIN_ID, [movement]))
  expect(await oldestMarkSec(db.sql, CHAIN_ID)).toBe(0)
  await mark(ALICE, 'order', '1')
  await db.sql`update perp_stream_marks set marked_at = now() - interval '1 hour' where kind = 'order'`
  const sec = await oldestMarkSec(db.sql, CHAIN_ID)
  expect(Math.floor(sec / 3600)).toBe(1)
})
