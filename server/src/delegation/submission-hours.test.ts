import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Hex } from '../chain/types.ts'
import { testDatabase } from '../db/testing.ts'
import { gasOfDayAtMost } from './submission-store.ts'

const MIGRATION = join(import.meta.dirname, '../db/migrations/277.do.submission-hours-by-user.sql')
const ALICE: Hex = `0x${'aa'.repeat(20)}`
const BOB: Hex = `0x${'bb'.repeat(20)}`

it('a wallet that has sent by several keys before the update has used up the gas of all of them after it', async () => {
  const { sql, drop } = await testDatabase()
  // As the tables were before.
  await sql`truncate submission_hours`
  await sql`alter table submission_hours rename column user_address to api_key_id`
  await sql`drop index submissions_by_user`
  await sql`create index submissions_by_key on submissions (chain_id, api_key_id, created_at)`
  const sent = [
    { id: 1, key: 'ended', user: ALICE, gas: 3, hoursAgo: 20 },
    { id: 2, key: 'live', user: ALICE, gas: 4, hoursAgo: 20 },
    { id: 3, key: 'live', user: ALICE, gas: 5, hoursAgo: 0 },
    { id: 4, key: 'live', user: ALICE, gas: 100, hoursAgo: 30 },
    { id: 5, key: 'other', user: BOB, gas: 7, hoursAgo: 1 },
  ]
  for (const { id, key, user, gas, hoursAgo } of sent) {
    await sql`
      insert into tx_intents (chain_id, id, purpose, dedupe_key, to_address, data, value_wei)
      overriding system value values (1, ${id}, 'submit', ${String(id)}, ${user}, '0x', 0)`
    await sql`
      insert into submissions (chain_id, intent_id, api_key_id, user_address, gas_reserved, created_at)
      values (1, ${id}, ${key}, ${user}, ${gas}, clock_timestamp() - make_interval(hours => ${hoursAgo}))`
    await sql`
      insert into submission_hours (chain_id, api_key_id, hour, gas_reserved)
      select chain_id, api_key_id, date_trunc('hour', created_at, 'UTC'), gas_reserved from submissions where intent_id = ${id}
      on conflict (chain_id, api_key_id, hour) do update set gas_reserved = submission_hours.gas_reserved + excluded.gas_reserved`
  }
  await sql.file(MIGRATION)
  const used = await gasOfDayAtMost(sql, 1, [ALICE, BOB])
  expect([...used].sort()).toEqual([
    [ALICE, 12n],
    [BOB, 7n],
  ])
  await drop()
})
