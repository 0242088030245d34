import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { appendMessages, loadHeads, readMessages } from '../db/outbox.ts'
import { ensureOutboxPartitions } from '../db/outbox-partitions.ts'
import { inTransaction } from '../db/pool.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { newId } from '../lib/ids.ts'
import { streamCommand } from './stream-commands.ts'

const CHANNEL = 'shop:31337:key:orders'
const OTHER_CHANNEL = 'shop:31337:key:cash'
let database: TestDatabase
beforeEach(async () => {
  database = await testDatabase()
  await ensureOutboxPartitions(database.sql)
})
afterEach(() => database.drop())

const append = (count: number, channel = CHANNEL) =>
  inTransaction(database.sql, (tx) =>
    appendMessages(
      tx,
      Array.from({ length: count }, (_, nth) => ({
        channel,
        type: 'order.updated',
        version: 1,
        subject: `order ${nth}`,
        payload: '{}',
        sortAt: new Date(nth),
      })),
    ),
  )

/** A webhook that was told the channel up to a sequence. */
async function addCursor(channel: string, delivered: bigint): Promise<void> {
  const { sql } = database
  const id = newId()
  await sql`
    insert into api_keys (api_key, label, state, secret_sealed, master_key_version, ip_whitelist, revision)
    values (${id}, 'test', 'active', '', 1, '{}', 1)`
  await sql`
    insert into webhooks (webhook_id, chain_id, api_key_id, url, secret_sealed, master_key_version)
    values (${id}, 31337, ${id}, 'https://example.com', '', 1)`
  await sql`insert into webhook_cursors (webhook_id, channel, delivered_sequence) values (${id}, ${channel}, ${delivered})`
}

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
    await addCursor(CHANNEL, 93n)
    await renumber()
    await append(1)
    expect(await database.sql`select delivered_sequence from webhook_cursors`).toEqual([
      { delivered_sequence: 1_000_000_093n },
    ])
    const left = await readMessages(database.sql, CHANNEL, 1_000_000_093n, 200)
    expect(left?.map(({ sequence }) => sequence)).toEqual([1_000_000_094n, 1_000_000_095n, 1_000_000_096n])
  })

  it('moves what a webhook may be told again, and leaves out what nobody can be told any more', async () => {
    await append(3)
    await append(2, OTHER_CHANNEL)
    await addCursor(CHANNEL, 3n)
    await renumber()
    expect(await readMessages(database.sql, CHANNEL, 1_000_000_000n, 200)).toHaveLength(3)
    expect(await database.sql`select distinct channel from outbox`).toEqual([{ channel: CHANNEL }])
    await append(1, OTHER_CHANNEL)
    const told = await readMessages(database.sql, OTHER_CHANNEL, 1_000_000_002n, 200)
    expect(told?.map(({ sequence }) => sequence)).toEqual([1_000_000_003n])
  })

  it('takes as long as it takes', async () => {
    await append(1)
    await addCursor(CHANNEL, 0n)
    await database.sql.unsafe(`
      create function refuse_limit() returns trigger language plpgsql as $$
      begin
        if current_setting('statement_timeout') <> '0' then raise 'a limit of %', current_setting('statement_timeout'); end if;
        return null;
      end
      $$;
      create trigger refuse_limit before update on outbox for each statement execute function refuse_limit()`)
    expect(await renumber()).toContain('1 channels go on')
    await database.sql`drop function refuse_limit cascade`
    expect((await database.sql`show statement_timeout`)[0]).toEqual({ statement_timeout: '30s' })
  })

  it('is used in one way', async () => {
    for (const args of [[], ['list'], ['renumber', '5']]) {
      await expect(streamCommand(args, { sql: database.sql, actor: 'test' })).rejects.toThrow('Usage:')
    }
  })
})
