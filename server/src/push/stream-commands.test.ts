import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { appendMessages, loadHeads, readMessages } from '../db/outbox.ts'
import { ensureOutboxPartitions } from '../db/outbox-partitions.ts'
import { inTransaction } from '../db/pool.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { streamCommand } from './stream-commands.ts'

const CHANNEL = 'shop:31337:key:orders'
let database: TestDatabase
beforeEach(async () => {
  database = await testDatabase()
  await ensureOutboxPartitions(database.sql)
})
afterEach(() => database.drop())

const append = (count: number) =>
  inTransaction(database.sql, (tx) =>
    appendMessages(
      tx,
      Array.from({ length: count }, (_, nth) => ({
        channel: CHANNEL,
        type: 'order.updated',
        version: 1,
        subject: `order ${nth}`,
        payload: '{}',
        sortAt: new Date(nth),
      })),
    ),
  )
const renumber = () => streamCommand(['renumber'], { sql: database.sql, actor: 'test' })

describe('streams renumber', () => {
  it('leaves no sequence from before to resume from', async () => {
    // Where the restored database stands; a client had come to 105.
    await append(95)
    expect(await renumber()).toContain('1 channels go on 1000000000 higher')
    await append(15)
    for (const from of [0n, 90n, 95n, 105n, 110n]) {
      expect([from, await readMessages(database.sql, CHANNEL, from, 200)]).toEqual([from, null])
    }
    expect(await loadHeads(database.sql, [CHANNEL])).toEqual(new Map([[CHANNEL, 1_000_000_110n]]))
    const [audit] = await database.sql`select actor, action from operator_audit_log where action = 'streams.renumber'`
    expect(audit).toEqual({ actor: 'test', action: 'streams.renumber' })
  })

  it('lets webhooks go on with what they were to be told next', async () => {
    await append(95)
    await renumber()
    await append(1)
    // A webhook that had got to 93.
    const left = await readMessages(database.sql, CHANNEL, 1_000_000_093n, 200)
    expect(left?.map(({ sequence }) => sequence)).toEqual([1_000_000_094n, 1_000_000_095n, 1_000_000_096n])
  })

  it('is used in one way', async () => {
    for (const args of [[], ['list'], ['renumber', '5']]) {
      await expect(streamCommand(args, { sql: database.sql, actor: 'test' })).rejects.toThrow('Usage:')
    }
  })
})
