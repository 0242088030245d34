import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { readMessages, readSnapshot } from '../db/outbox.ts'
import { dropOldOutboxPartitions, ensureOutboxPartitions } from '../db/outbox-partitions.ts'
import { ownConnection } from '../db/pool.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { testVenue } from '../http/testing.ts'
import { outboxChannel } from './key-channels.ts'
import { type Publication, publishAll, type Rendering, runPublisher } from './publish.ts'

const CHAIN_ID = 31_337

let db: TestDatabase
/** What the product shows now. */
let wares: Map<string, readonly string[]>
beforeEach(async () => {
  db = await testDatabase()
  await db.sql`create table marks (subject text)`
  await ensureOutboxPartitions(db.sql)
  wares = new Map()
})
afterEach(() => db.drop())

const publication = (product: string): Publication => ({
  product,
  hint: 'marks',
  hasChanges: async (sql) => (await sql`select from marks`).length > 0,
  async takeChanges(tx) {
    const rows = await tx<{ subject: string }[]>`delete from marks returning subject`
    const subjects = rows.map(({ subject }) => ({ owner: 'key', channel: 'wares', subject }))
    const render = async () =>
      subjects.map((named): Rendering => {
        const payloads = wares.get(named.subject) ?? []
        return { ...named, event: 'ware', version: 3, sortAt: new Date(0), payloads }
      })
    return { subjects, render }
  },
})

async function publish(product: string, ...subjects: string[]): Promise<void> {
  for (const subject of subjects) await db.sql`insert into marks values (${subject})`
  await publishAll(testVenue({ sql: db.sql }), publication(product))
}

const told = async (product: string) =>
  ((await readMessages(db.sql, outboxChannel(product, CHAIN_ID, 'key', 'wares'), 0n, 100)) ?? []).map(
    ({ type, subject, payload, version }) => `${type} ${subject} ${payload} v${version}`,
  )

it('tells what is news, and of what is no more, once', async () => {
  wares.set('a', ['1', '2'])
  await publish('shop', 'a', 'b')
  await publish('shop', 'a')
  expect(await told('shop')).toEqual(['ware.updated a 1 v3', 'ware.updated a/1 2 v3'])
  wares.set('a', ['3'])
  await publish('shop', 'a')
  expect((await told('shop')).slice(2)).toEqual(['ware.updated a 3 v3', 'ware.removed a/1 null v3'])
  wares.delete('a')
  await publish('shop', 'a')
  expect((await told('shop')).slice(4)).toEqual(['ware.removed a null v3'])
  expect((await readSnapshot(db.sql, outboxChannel('shop', CHAIN_ID, 'key', 'wares'), 10)).total).toBe(0)
})

it('keeps the channels of two products apart', async () => {
  wares.set('a', ['1'])
  await publish('shop', 'a')
  await publish('bank', 'a')
  expect([await told('shop'), await told('bank')]).toEqual([['ware.updated a 1 v3'], ['ware.updated a 1 v3']])
})

it('takes no change whose message could not be added', async () => {
  wares.set('a', ['1'])
  await db.sql`alter table outbox add constraint full_outbox check (sequence < 1)`
  await expect(publish('shop', 'a')).rejects.toThrow('full_outbox')
  await db.sql`alter table outbox drop constraint full_outbox`
  await publish('shop')
  expect(await told('shop')).toEqual(['ware.updated a 1 v3'])
})

it('goes on while another session reads a part of the outbox that is old enough to be dropped', async () => {
  await db.sql`create table outbox_2001_01_01 partition of outbox
    for values from ('2001-01-01 00:00:00+00') to ('2001-01-02 00:00:00+00')`
  const stop = new AbortController()
  const reader = ownConnection(db.sql)
  await reader.begin(async (tx) => {
    await tx`select from outbox`
    const publisher = runPublisher(testVenue({ sql: db.sql }), publication('shop'), 7, stop.signal)
    for (const price of ['1', '2']) {
      wares.set('a', [price])
      await db.sql`insert into marks values ('a')`
      await vi.waitFor(async () => expect((await told('shop')).at(-1)).toBe(`ware.updated a ${price} v3`), 20_000)
    }
    stop.abort()
    await publisher
  })
  await reader.end()
  expect(await dropOldOutboxPartitions(db.sql, 7)).toBe(1)
})
