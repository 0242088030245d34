import { afterAll, beforeAll, expect, it } from 'vitest'
import { insertIntent } from '../../chain/send/intents.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import type { Venue } from '../../http/product.ts'
import { Chores, KEEPER_PURPOSE } from './chores.ts'
import { partsOf } from './liquidate.ts'

const CHAIN_ID = 31_337

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())

it('all of a position is tried first, and after refusals of the chain a smaller part: a grain taken away does not hold it off', () => {
  expect(partsOf(-100n, 0)).toEqual([-100n, -50n, -25n, -12n, -6n, -3n, -1n])
  expect(partsOf(100n, 2)).toEqual([25n, 12n, 6n, 3n, 1n])
  expect(partsOf(100n, 50)).toEqual([1n])
  expect(partsOf(3n, 0)).toEqual([3n, 1n])
})

it('refusals count for a subject whatever state they were of, until one succeeds', async () => {
  const { sql } = database
  const venue = { sql, deployment: { chainId: CHAIN_ID } } as Venue
  const chores = new Chores()
  let nonce = 0
  const end = async (state: string, outcome: 'succeeded' | 'reverted' | null) => {
    const orderingKey = 'perp.keeper:position:x'
    const data = { to: `0x${'ab'.repeat(20)}`, data: '0x' } as const
    const dedupeKey = `${orderingKey}:${state}:0`
    const { id } = await insertIntent(sql, {
      chainId: CHAIN_ID,
      purpose: KEEPER_PURPOSE,
      orderingKey,
      dedupeKey,
      ...data,
    })
    if (outcome !== null) {
      await sql`
        update tx_intents set state = 'mined', outcome = ${outcome}, signer = '0x01', nonce = ${nonce++}, block_number = 1, block_hash = '0x'
        where id = ${id.toString()}::bigint`
    }
    return chores.reverts(venue, 'position:x')
  }
  expect(await chores.reverts(venue, 'position:x')).toBe(0)
  expect(await end('a', 'reverted')).toBe(1)
  expect(await end('b', 'reverted')).toBe(2)
  expect(await end('c', null)).toBe(2)
  expect(await chores.reverts(venue, 'position:y')).toBe(0)
  expect(await end('d', 'succeeded')).toBe(0)
  expect(await end('e', 'reverted')).toBe(1)
})
