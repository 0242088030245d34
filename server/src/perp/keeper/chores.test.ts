import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { Hex } from '../../chain/types.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import type { Venue } from '../../http/product.ts'
import { systemClock } from '../../lib/clock.ts'
import { createLogger } from '../../lib/logger.ts'
import { type Chore, Chores } from './chores.ts'

const CHAIN_ID = 31_337
const [SHOWN, LEFT]: readonly [Hex, Hex] = [`0x${'a'.repeat(64)}`, `0x${'b'.repeat(64)}`]
const chore: Chore = { subject: 'remove:x', state: '1:1', to: `0x${'1'.repeat(40)}`, data: '0x' }

let database: TestDatabase
let venue: Venue
beforeAll(async () => {
  database = await testDatabase()
  const rpc = { call: async () => ({ hash: SHOWN }) }
  const deployment = { chainId: CHAIN_ID }
  venue = { sql: database.sql, deployment, rpc, clock: systemClock, log: createLogger('silent') } as unknown as Venue
})
afterAll(() => database?.drop())
afterEach(() => database.sql`delete from tx_intents`)

/** Everything that was stored has succeeded in the block. */
async function succeeds(state: 'mined' | 'final', blockNumber: number, blockHash: Hex = SHOWN): Promise<void> {
  await database.sql`
    update tx_intents set state = ${state}, outcome = 'succeeded', signer = '0x01', nonce = id, block_number = ${blockNumber},
      block_hash = ${blockHash}`
}

/** How many attempts there are after one more is asked for, decided at this block. */
async function attempts(blockNumber: bigint, asked: Chore = chore): Promise<number> {
  await new Chores().send(venue, asked, blockNumber)
  const [row] = await database.sql<{ count: number }[]>`select count(*)::int as count from tx_intents`
  return row?.count ?? 0
}

it('of a state that comes back it is sent again, and not while the block that was read does not show the one before', async () => {
  expect(await attempts(4n)).toBe(1)
  expect(await attempts(4n)).toBe(1)
  await succeeds('mined', 5)
  expect(await attempts(4n)).toBe(1)
  expect(await attempts(5n)).toBe(2)
  expect(await attempts(6n)).toBe(2)
  await succeeds('final', 6)
  expect(await attempts(5n)).toBe(2)
  expect(await attempts(7n)).toBe(3)
})

it('what was mined in a block that the node has left is not to be seen, and is not sent beside itself', async () => {
  expect(await attempts(4n)).toBe(1)
  await succeeds('mined', 5, LEFT)
  expect(await attempts(9n)).toBe(1)
})

it('another state of a subject waits too for what was mined in a block that the node has left, or is under way', async () => {
  const whole: Chore = { ...chore, state: '2:2' }
  expect(await attempts(4n)).toBe(1)
  expect(await attempts(4n, whole)).toBe(1)
  await succeeds('mined', 5, LEFT)
  expect(await attempts(5n, whole)).toBe(1)
  expect(await attempts(5n, { ...whole, subject: 'remove:y' })).toBe(2)
  await succeeds('mined', 5)
  expect(await attempts(4n, whole)).toBe(2)
  expect(await attempts(5n, whole)).toBe(3)
})

it('what was refused before it was sent is no reason to forget what was mined before in a block that the node has left', async () => {
  expect(await attempts(4n)).toBe(1)
  await succeeds('mined', 5)
  expect(await attempts(5n, { ...chore, state: '2:2' })).toBe(2)
  await database.sql`update tx_intents set state = 'rejected', problem = 'a test' where state = 'queued'`
  await database.sql`update tx_intents set block_hash = ${LEFT} where state = 'mined'`
  expect(await attempts(5n, { ...chore, state: '3:3' })).toBe(2)
})

it('of a state with a time in it one that succeeded is enough', async () => {
  const step: Chore = { ...chore, isOnce: true }
  expect(await attempts(4n, step)).toBe(1)
  await succeeds('final', 5)
  expect(await attempts(9n, step)).toBe(1)
})

it('a subject is busy until the block that was read shows its transaction, whether that is indexed or not', async () => {
  const busy = async (blockNumber: bigint) => [...(await new Chores().busy(venue, blockNumber))]
  expect(await busy(9n)).toEqual([])
  await attempts(4n)
  expect(await busy(9n)).toEqual(['remove:x'])
  await succeeds('mined', 5)
  expect(await busy(4n)).toEqual(['remove:x'])
  expect(await busy(5n)).toEqual([])
  await succeeds('final', 5)
  expect(await busy(4n)).toEqual(['remove:x'])
  expect(await busy(5n)).toEqual([])
})
