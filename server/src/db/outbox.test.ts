import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  appendMessages,
  findRecords,
  loadHeads,
  type NewMessage,
  type OutboxMessage,
  readMessages,
  readSnapshot,
} from './outbox.ts'
import { dropOldOutboxPartitions, ensureOutboxPartitions } from './outbox-partitions.ts'
import { inTransaction, ownConnection, type Sql } from './pool.ts'
import { type TestDatabase, testDatabase } from './testing.ts'

let database: TestDatabase
let sql: Sql
beforeAll(async () => {
  database = await testDatabase()
  sql = database.sql
  await Promise.all([ensureOutboxPartitions(sql), ensureOutboxPartitions(sql), ensureOutboxPartitions(sql)])
})
afterAll(() => database.drop())

const message = (channel: string, subject: string, payload: string | null): NewMessage => ({
  channel,
  type: payload === null ? 'thing.removed' : 'thing.updated',
  version: 1,
  subject,
  payload,
  sortAt: new Date(1_700_000_000_000 + Number(subject.replace(/\D/g, '') || 0)),
})
const append = (...messages: NewMessage[]) => inTransaction(sql, (tx) => appendMessages(tx, messages))

async function readAll(channel: string): Promise<OutboxMessage[]> {
  const all: OutboxMessage[] = []
  for (;;) {
    const page = await readMessages(sql, channel, all.at(-1)?.sequence ?? 0n, 7)
    if (!page?.length) return all
    all.push(...page)
  }
}

/** The state that messages add up to. */
function fold(messages: readonly OutboxMessage[]): Map<string, string> {
  const records = new Map<string, string>()
  for (const { subject, payload } of messages) {
    if (payload === null) records.delete(subject)
    else records.set(subject, payload)
  }
  return records
}

describe('the outbox', () => {
  it('numbers without a gap in the order of the commits, whoever writes at once and whatever is rolled back', async () => {
    const seen: bigint[][] = []
    const write = async (nth: number) => {
      const work = append(message('a', `s${nth}`, String(nth)), message('b', 's', String(nth)))
      if (nth % 5 !== 0) return work
      const rolledBack = inTransaction(sql, async (tx) => {
        await appendMessages(tx, [message('a', 'x', '0')])
        throw new Error('rolled back')
      })
      await expect(rolledBack).rejects.toThrow('rolled back')
      return work
    }
    // A read among the writes of each round: the pool serves in turn, so that one reader in a loop might only see the end.
    for (let from = 0; from < 60; from += 6) {
      const numbers = [0, 1, 2, 3, 4, 5].map((nth) => from + nth)
      const read = async () => void seen.push((await readAll('a')).map(({ sequence }) => sequence))
      await Promise.all([...numbers.map(write), read(), read()])
    }
    const all = await readAll('a')
    expect(all.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 60 }, (_, nth) => BigInt(nth + 1)))
    expect(new Set(all.map(({ eventId }) => eventId)).size).toBe(60)
    expect(await loadHeads(sql, ['a', 'b', 'none'])).toEqual(
      new Map([
        ['a', 60n],
        ['b', 60n],
        ['none', 0n],
      ]),
    )
    // A reader sees every sequence before a later one, at any moment.
    for (const sequences of seen) expect(sequences).toEqual(sequences.map((_, nth) => BigInt(nth + 1)))
    expect(new Set(seen.map((sequences) => sequences.length)).size).toBeGreaterThan(5)
  })

  it('gives a snapshot that its messages add up to, at every moment', async () => {
    const snapshots: { sequence: bigint; records: [string, string][] }[] = []
    const read = async () => {
      const { sequence, records } = await readSnapshot(sql, 'fold', 1000)
      snapshots.push({ sequence, records: records.map(({ subject, payload }) => [subject, payload]) })
    }
    for (let round = 0; round < 40; round++) {
      const write = append(
        message('fold', `${round % 7}`, JSON.stringify({ round })),
        message('fold', `${(round + 3) % 7}x`, round % 3 === 0 ? null : '1'),
      )
      await Promise.all([write, read(), read()])
    }
    const all = await readAll('fold')
    for (const { sequence, records } of snapshots) {
      expect(new Map(records)).toEqual(fold(all.slice(0, Number(sequence))))
    }
    expect(new Set(snapshots.map(({ sequence }) => sequence)).size).toBeGreaterThan(5)
    const { records, total } = await readSnapshot(sql, 'fold', 3)
    expect([records.length, total]).toEqual([3, fold(all).size])
    expect(records[0]?.subject).toBe('6')
  })

  it('says when it no longer has, or does not yet have, what was asked for', async () => {
    await append(message('gone', '1', '1'), message('gone', '2', '2'))
    await sql`create table outbox_2001_01_01 partition of outbox
      for values from ('2001-01-01 00:00:00+00') to ('2001-01-02 00:00:00+00')`
    await sql`delete from outbox where channel = 'gone' and sequence = 1`
    await sql`insert into outbox (channel, sequence, type, version, subject, payload, created_at)
      values ('gone', 1, 'thing.updated', 1, '1', '1', '2001-01-01 12:00:00+00')`
    expect((await readMessages(sql, 'gone', 0n, 10))?.length).toBe(2)
    expect(await dropOldOutboxPartitions(sql, 7)).toBe(1)
    expect(await dropOldOutboxPartitions(sql, 7)).toBe(0)
    expect(await readMessages(sql, 'gone', 0n, 10)).toBeNull()
    expect((await readMessages(sql, 'gone', 1n, 10))?.map(({ sequence }) => sequence)).toEqual([2n])
    expect(await readMessages(sql, 'gone', 2n, 10)).toEqual([])
    expect(await readMessages(sql, 'gone', 3n, 10)).toBeNull()
    expect((await readSnapshot(sql, 'gone', 10)).records.length).toBe(2)
  })

  it('gets the part of a coming day also while a backup reads all of it', async () => {
    const parts = async () =>
      (
        await sql`select inhrelid::regclass::text as name from pg_inherits where inhparent = 'outbox'::regclass order by 1`
      ).map(({ name }) => name)
    const before = await parts()
    await sql.unsafe(`drop table ${before.at(-1)}`)
    const backup = ownConnection(sql)
    await backup.begin(async (tx) => {
      await tx`lock table outbox in access share mode`
      await ensureOutboxPartitions(sql)
    })
    await backup.end()
    expect(await parts()).toEqual(before)
    const [keys] = await sql`
      select count(*)::int as count from pg_index where indisprimary and indrelid = ${before.at(-1) ?? ''}::regclass`
    expect(keys).toEqual({ count: 1 })
  })

  it('finds the records of a subject and below it, and of no other', async () => {
    const subjects = ['a', 'a/1', 'a/2', 'a0', 'ab', 'a-1', 'b']
    await append(...subjects.map((subject) => message('find', subject, '1')), message('other', 'a', '1'))
    const found = await findRecords(sql, [{ channel: 'find', subject: 'a' }])
    expect(found.map(({ subject }) => subject).sort()).toEqual(['a', 'a/1', 'a/2'])
  })
})
