import { afterAll, beforeAll, expect, test } from 'vitest'
import { openHints } from '../../db/hints.ts'
import { inTransaction } from '../../db/pool.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import type { Hex } from '../types.ts'
import { findPendingIntent, getIntentByDedupeKey, INTENTS_CHANNEL, insertIntent, type NewIntent } from './intents.ts'
import { relayerStatus } from './status.ts'
import {
  countBroadcasts,
  recordAnswers,
  releaseNonce,
  type SignedIntent,
  storeReplacement,
  storeSigned,
} from './store.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())

const chainId = 31_337
const to: Hex = `0x${'Ab'.repeat(20)}`
const lane = { chainId, signer: `0x${'01'.repeat(20)}` as Hex }
const intent = (dedupeKey: string, more: Partial<NewIntent> = {}): NewIntent => ({
  chainId,
  purpose: 'settle',
  to,
  data: '0xAB',
  dedupeKey,
  ...more,
})

const signed = (id: bigint, nonce: bigint, hash: string): SignedIntent => ({
  id,
  nonce,
  hash: `0x${hash}`,
  rawTx: `0x${hash}`,
  gasLimit: 21_000n,
  headNumber: 1n,
  maxFeeWei: 5n,
  maxPriorityFeeWei: 1n,
})
const answer = (id: bigint, nonce: bigint, hash: string, kind: 'refused' | 'accepted' | 'unknown') =>
  recordAnswers(database.sql, lane, [{ id, nonce, hash: `0x${hash}`, answer: kind, message: '', againInMs: 1000 }])

test('resting signers are told of new intents', async () => {
  const { signal } = new AbortController()
  const told = await openHints(database.sql, [INTENTS_CHANNEL])
  // That it listens is a hint itself.
  await told.wait(0, signal)
  await insertIntent(database.sql, intent('told'))
  expect(await told.wait(60_000, signal)).toBe(true)
  await told.close()
})

test('a stored intent is what was given, lower-case, and queued', async () => {
  const { sql } = database
  const row = await insertIntent(sql, intent('whole', { valueWei: 2n ** 200n, gasLimit: 90_000n, orderingKey: 'u1' }))
  expect(row).toMatchObject({ to: to.toLowerCase(), data: '0xab', valueWei: 2n ** 200n, gasLimit: 90_000n, chainId })
  expect(row).toMatchObject({ state: 'queued', signer: null, nonce: null, outcome: null, orderingKey: 'u1' })
  expect(await getIntentByDedupeKey(sql, chainId, 'whole')).toEqual(row)
  expect(await findPendingIntent(sql, chainId, 'u1', row)).toEqual(row)
  expect(await getIntentByDedupeKey(sql, 1, 'whole'), 'another chain').toBeNull()
})

test('a second insert with the key yields the first row, also inside a transaction', async () => {
  const first = await insertIntent(database.sql, intent('twice'))
  const second = await inTransaction(database.sql, (tx) => insertIntent(tx, intent('twice', { data: '0xff' })))
  expect(second).toEqual(first)
})

test('an intent of a transaction that rolls back is gone', async () => {
  const rolledBack = inTransaction(database.sql, async (tx) => {
    await insertIntent(tx, intent('rolled back'))
    throw new Error('on purpose')
  })
  await expect(rolledBack).rejects.toThrow('on purpose')
  expect(await getIntentByDedupeKey(database.sql, chainId, 'rolled back')).toBeNull()
})

test('an intent leaves its nonce only when every broadcast was refused', async () => {
  const { sql } = database
  const { id } = await insertIntent(sql, intent('leaves'))
  await storeSigned(sql, lane, [signed(id, 1n, 'a1')])
  expect(await releaseNonce(sql, lane, id, 1n), 'the answer is not in').toBe(false)
  await countBroadcasts(sql, lane, [id], 1000)
  await answer(id, 1n, 'a1', 'refused')
  expect(await releaseNonce(sql, lane, id, 1n), 'one of two answers is in').toBe(false)
  await answer(id, 1n, 'a1', 'refused')
  expect(await releaseNonce(sql, lane, id, 1n)).toBe(true)
  expect(await getIntentByDedupeKey(sql, chainId, 'leaves')).toMatchObject({ state: 'queued', nonce: null })

  // The same fields sign to the same bytes: the old hash comes back.
  await storeSigned(sql, lane, [signed(id, 1n, 'a1')])
  await answer(id, 1n, 'a1', 'unknown')
  expect(await storeReplacement(sql, lane, signed(id, 1n, 'a2'))).toBe(true)
  await answer(id, 1n, 'a2', 'refused')
  expect(await releaseNonce(sql, lane, id, 1n), 'an older attempt may be out').toBe(false)
  expect(await storeReplacement(sql, lane, signed(id, 2n, 'a3')), 'a nonce it does not hold').toBe(false)
})

test('no two intents hold one nonce', async () => {
  const { sql } = database
  const one = await insertIntent(sql, intent('one'))
  const other = await insertIntent(sql, intent('other'))
  await storeSigned(sql, lane, [signed(one.id, 50n, 'b1')])
  const clash = inTransaction(sql, (tx) => storeSigned(tx, lane, [signed(other.id, 50n, 'b2')]))
  await expect(clash).rejects.toMatchObject({ code: '23505' })
})

test('an intent does not leave its nonce when one that must follow it would overtake it', async () => {
  const { sql } = database
  const first = await insertIntent(sql, intent('order 1', { orderingKey: 'u2' }))
  const second = await insertIntent(sql, intent('order 2', { orderingKey: 'u2' }))
  await storeSigned(sql, lane, [signed(first.id, 60n, 'c1'), signed(second.id, 61n, 'c2')])
  await answer(first.id, 60n, 'c1', 'refused')
  await answer(second.id, 61n, 'c2', 'accepted')
  expect(await releaseNonce(sql, lane, first.id, 60n)).toBe(false)
})

test('status names purposes that nobody sends', async () => {
  await insertIntent(database.sql, intent('unbound', { purpose: 'nobody' }))
  const { queues } = await relayerStatus(database.sql, chainId)
  expect(queues).toContainEqual(expect.objectContaining({ purpose: 'nobody', queued: 1, bound: false }))
})
