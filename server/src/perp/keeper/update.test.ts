import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestDatabase } from '../../db/testing.ts'
import type { Venue } from '../../http/product.ts'
import { systemClock } from '../../lib/clock.ts'
import { createLogger } from '../../lib/logger.ts'
import { CONDITION, STATUS } from '../listing/states.ts'
import { keeperDatabase, SIGNER } from '../testing/keeper.ts'
import { Chores } from './chores.ts'
import type { Pair } from './survey.ts'
import { updatePairs } from './update.ts'

const CHAIN_ID = 31_337

let database: TestDatabase
beforeAll(async () => {
  database = await keeperDatabase(CHAIN_ID)
})
afterAll(() => database?.drop())

const EXPIRY = 2_000_000_000

/** A keeper that sees a dated pair in this status at this time; whatever it sends would succeed. */
async function keeps(status: number, nowSec: number): Promise<void> {
  const instrument = { address: `0x${'1'.repeat(40)}`, condition: CONDITION.NORMAL }
  const pair = { instrument, expiry: EXPIRY, amm: { status }, markWad: 1n } as unknown as Pair
  const venue = {
    sql: database.sql,
    deployment: { chainId: CHAIN_ID },
    rpc: { outcomes: async (calls: readonly unknown[]) => calls.map(() => ({ ok: true, value: '0x' })) },
    clock: systemClock,
    log: createLogger('silent'),
  } as unknown as Venue
  await updatePairs(venue, async () => ({ blockNumber: 1n, nowSec, instruments: [], pairs: [pair] }), new Chores())
}

/** How many were sent so far; all of them are mined. */
async function sent(): Promise<number> {
  const { sql } = database
  await sql`update tx_intents set state = 'final', signer = ${SIGNER}, nonce = id, outcome = 'succeeded', block_number = 1,
    block_hash = ${`0x${'b'.repeat(64)}`}`
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from tx_intents`
  return row?.count ?? 0
}

it('an end that was mined before the expiry after all, by a reorganisation, is sent again', async () => {
  await keeps(STATUS.SETTLING, EXPIRY)
  expect(await sent()).toBe(1)
  await keeps(STATUS.SETTLING, EXPIRY + 5)
  expect(await sent()).toBe(1)
  await keeps(STATUS.SETTLING, EXPIRY + 125)
  expect(await sent()).toBe(2)
  await keeps(STATUS.SETTLED, EXPIRY + 250)
  expect(await sent()).toBe(2)
})
