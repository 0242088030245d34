import { once } from 'node:events'
import { Registry } from 'prom-client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { BLOCKS_CHANNEL } from '../chain/follow/store.ts'
import { chainProfile } from '../chain/profiles.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import type { RoundEnd, Task } from '../http/product.ts'
import { testVenue } from '../http/testing.ts'
import { systemClock } from '../lib/clock.ts'
import { runKeeper } from './keeper.ts'
import { readTaskHealth, writeTaskHealth } from './keeper-status.ts'

const CHAIN = 31_337
const NEVER_MS = 3_600_000

let db: TestDatabase
let stop: AbortController
let done: Promise<void>
beforeEach(async () => {
  db = await testDatabase()
  stop = new AbortController()
})
afterEach(async () => {
  stop.abort()
  await done
  await db.drop()
})

/** A task that counts its rounds, and has nothing to do between blocks. */
function counting(name: string, end: (round: number) => RoundEnd | undefined = () => undefined) {
  const counted = { rounds: 0 }
  const task: Task = { name, intervalMs: 1, quietMs: NEVER_MS, run: async () => end(++counted.rounds) }
  return { counted, task }
}

function keep(tasksOf: () => readonly Task[]): void {
  const venue = testVenue({ sql: db.sql, clock: systemClock })
  done = runKeeper({ venue, profile: chainProfile(CHAIN), metrics: new Registry(), signal: stop.signal }, tasksOf)
}

const until = (isSo: () => boolean) => vi.waitUntil(isSo, { timeout: 60_000, interval: 5 })

it('lets tasks rest until a block has been indexed', async () => {
  const resting = counting('resting')
  keep(() => [resting.task])
  // Whoever begins to listen looks once: a block may have come before.
  await until(() => resting.counted.rounds === 2)
  await db.sql`select pg_notify(${BLOCKS_CHANNEL}, ${`${CHAIN}:1`})`
  await until(() => resting.counted.rounds === 3)
  expect(resting.counted.rounds).toBe(3)
})

it('is told of blocks again after the database refused to tell it', async () => {
  const refused = vi.spyOn(db.sql, 'listen').mockRejectedValueOnce(new Error('too many connections'))
  const resting = counting('resting')
  keep(() => [resting.task])
  await until(() => refused.mock.calls.length === 2 && resting.counted.rounds === 2)
  await db.sql`select pg_notify(${BLOCKS_CHANNEL}, ${`${CHAIN}:1`})`
  await until(() => resting.counted.rounds === 3)
  expect(refused).toHaveBeenCalledTimes(2)
})

it('lets one that waits look again at its interval, and wakes the others when it has changed something', async () => {
  let end: RoundEnd | undefined = 'waiting'
  const changing = counting('changing', () => end)
  const resting = counting('resting')
  keep(() => [changing.task, resting.task])
  await until(() => resting.counted.rounds === 2 && changing.counted.rounds > 20)
  end = 'changed'
  await until(() => resting.counted.rounds > 2)
  end = undefined
  expect(resting.counted.rounds).toBeGreaterThan(2)
})

it('tells nothing of a task that it does not have, and all of one that hangs since it leads', async () => {
  const lastSuccessAt = new Date('2030-06-10T14:03:00Z')
  const earlier = (task: string) => ({ task, rounds: 9, failuresInARow: 7, lastError: 'no answer', lastSuccessAt })
  await writeTaskHealth(db.sql, CHAIN, [earlier('renamed'), earlier('hanging')])
  await writeTaskHealth(db.sql, CHAIN + 1, [earlier('of another chain')])
  const hanging: Task = { name: 'hanging', intervalMs: 1, run: () => once(stop.signal, 'abort').then(() => undefined) }
  keep(() => [hanging])
  const told = () => readTaskHealth(db.sql, CHAIN)
  await vi.waitUntil(async () => (await told()).every(({ rounds }) => rounds === 0), { timeout: 60_000, interval: 5 })
  expect(await told()).toMatchObject([{ task: 'hanging', failuresInARow: 0, lastError: null, lastSuccessAt }])
  expect(await readTaskHealth(db.sql, CHAIN + 1)).toHaveLength(1)
})

it('begins with tasks that remember nothing each time that it takes the lead, as ids may be given out again', async () => {
  const terms: { rounds: number }[] = []
  keep(() => {
    const { counted, task } = counting('counting')
    terms.push(counted)
    return [task]
  })
  await until(() => terms.length === 1 && terms[0]?.rounds === 2)
  await db.sql`
    select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`
  await until(() => terms.length === 2 && (terms[1]?.rounds ?? 0) > 0)
  expect(terms).toHaveLength(2)
})
