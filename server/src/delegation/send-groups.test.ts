import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Hex } from '../chain/types.ts'
import { createPool, type Sql, type Tx } from '../db/pool.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { startWire } from '../db/testing-wire.ts'
import type { Idempotency } from '../http/idempotency.ts'
import { AppError } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import { delegationReasons } from './reasons.ts'
import type { Guard, ReadySend } from './send-group.ts'
import { SendGroups } from './send-groups.ts'

// Sends that come at the same moment are stored in one transaction, and none of them is any other's business.

const CHAIN_ID = 31_337
const USER: Hex = `0x${'ab'.repeat(20)}`
const OTHER: Hex = `0x${'cd'.repeat(20)}`
const BUDGET = 100n

interface Note {
  readonly id: string
  /** Two of one name are refused by the database. */
  readonly name: string
}

let database: TestDatabase
let groups: SendGroups<Note>
let beforeCommit: (tx: Tx) => Promise<unknown>
beforeEach(async () => {
  database = await testDatabase()
  await database.sql`
    create table notes (id uuid, name text unique, intent_id bigint, stored_in text default pg_current_xact_id()::text)`
  beforeCommit = async () => {}
  groups = groupsOn(database.sql)
})
afterEach(() => database.drop())

const groupsOn = (sql: Sql) =>
  new SendGroups<Note>(sql, {
    chainId: CHAIN_ID,
    budget: BUDGET,
    async keep(tx, sends) {
      await tx`
        insert into notes (id, name, intent_id)
        select * from unnest(${sends.map(({ kept }) => kept.id)}::uuid[], ${sends.map(({ kept }) => kept.name)}::text[],
          ${sends.map(({ intentId }) => String(intentId))}::bigint[])`
      await beforeCommit(tx)
    },
  })

interface Wanted {
  readonly keyId?: string
  readonly user?: Hex
  readonly gas?: bigint
  readonly guard?: Guard
  readonly idempotency?: Idempotency | undefined
  readonly gone?: AbortSignal
}

const keyed = (key: string, requestHash = 'h'): Idempotency => ({ key, requestHash, replayed: false })

function ready(
  name: string,
  { keyId = 'key', user = USER, gas = 1n, guard, gone, idempotency = keyed(name) }: Wanted = {},
) {
  const checked = { user, to: user, data: '0x' as const, tag: null, gasLimit: null, gasReserved: gas }
  const kept = { id: newId(), name }
  return { caller: { keyId }, idempotency, checked, kept, guard: guard ?? null, gone } satisfies ReadySend<Note>
}

/** All at the same moment; what became of each. */
async function storeAll(sends: readonly ReadySend<Note>[]) {
  const settled = await Promise.allSettled(sends.map((send) => groups.store(send)))
  return settled.map((one) => (one.status === 'fulfilled' ? one.value : reasonOf(one.reason)))
}

const reasonOf = (error: unknown): string => (error instanceof AppError ? error.reason.name : String(error))
const idOf = ({ kept }: ReadySend<Note>) => kept.id

const notes = async () =>
  await database.sql<{ name: string; storedIn: string }[]>`
    select name, stored_in as "storedIn" from notes order by intent_id`
const names = async () => (await notes()).map(({ name }) => name)

/** Each thing that a send leaves is there as often as the others. */
async function rows(): Promise<number> {
  const [row] = await database.sql<Record<string, number>[]>`
    select (select count(*)::int from notes) as notes, (select count(*)::int from tx_intents) as intents,
      (select count(*)::int from submissions) as submissions, (select count(*)::int from idempotency_records) as records`
  const counts = new Set(Object.values(row ?? {}))
  expect(counts.size, JSON.stringify(row)).toBe(1)
  return [...counts][0] ?? 0
}

const refuse: Guard = {
  key: 'refuse',
  check: async () => {
    throw new AppError(delegationReasons.would_revert, 'refused')
  },
}

describe('sends at the same moment', () => {
  it('are stored in one transaction, each whole, in the order in which they came', async () => {
    const sends = ['a', 'b', 'c', 'd'].map((name, nth) =>
      ready(name, { keyId: `key-${nth}`, user: nth % 2 === 0 ? USER : OTHER }),
    )
    expect(await storeAll(sends)).toEqual(sends.map(idOf))
    expect(await names()).toEqual(['a', 'b', 'c', 'd'])
    expect(new Set((await notes()).map(({ storedIn }) => storedIn)).size).toBe(1)
    expect(await rows()).toBe(4)
    const hours = await database.sql<{ user: Hex; gas: bigint }[]>`
      select user_address as "user", gas_reserved as gas from submission_hours order by 1`
    expect(hours.map(({ user, gas }) => [user, gas])).toEqual([
      [USER, 2n],
      [OTHER, 2n],
    ])
  })

  it('hand the relayer the gas that each was seen to need, or the limit of the request', async () => {
    const [estimated, limited] = [ready('estimated', { gas: 3n }), ready('limited', { gas: 2n })]
    await storeAll([estimated, { ...limited, checked: { ...limited.checked, gasLimit: 2n } }])
    const gas = await database.sql`select gas_limit, least_gas from tx_intents order by id`
    expect(gas).toEqual([
      { gas_limit: null, least_gas: 3n },
      { gas_limit: 2n, least_gas: null },
    ])
  })

  it('go on without one that its own check refuses, which leaves nothing', async () => {
    const sends = [ready('a'), ready('bad', { guard: refuse }), ready('c')]
    expect(await storeAll(sends)).toEqual([sends[0]?.kept.id, 'would_revert', sends[2]?.kept.id])
    expect(await names()).toEqual(['a', 'c'])
    expect(await rows()).toBe(2)
    const again = ready('bad')
    expect(await storeAll([again])).toEqual([again.kept.id])
  })

  it('go on without one that the database refuses, which leaves nothing', async () => {
    await groups.store(ready('taken'))
    const sends = [ready('a'), ready('taken', { idempotency: keyed('other') }), ready('c')]
    const [a, bad, c] = await storeAll(sends)
    expect([a, c]).toEqual([sends[0]?.kept.id, sends[2]?.kept.id])
    expect(bad).toContain('duplicate key value')
    expect(await names()).toEqual(['taken', 'a', 'c'])
    expect(await rows()).toBe(3)
  })

  it('with one Idempotency-Key are one send; another request under the key is refused', async () => {
    const [first, repeat] = [ready('a'), ready('b', { idempotency: keyed('a') })]
    const [other, otherKey] = [ready('c', { idempotency: keyed('a', 'other') }), ready('d', { keyId: 'another' })]
    const answers = await storeAll([first, repeat, other, otherKey])
    expect(answers).toEqual([first.kept.id, first.kept.id, 'idempotency_key_reused', otherKey.kept.id])
    expect([first, repeat].map(({ idempotency }) => idempotency.replayed)).toEqual([false, true])
    expect((await names()).toSorted()).toEqual(['a', 'd'])
    expect(await rows()).toBe(2)
  })

  it('use up the budget of their wallet in their order, by whichever key: what does not fit is refused, what comes after and fits is not', async () => {
    const gas = { a: 40n, b: 50n, c: 20n, d: 10n, e: 1n }
    const sends = Object.entries(gas).map(([name, used], nth) => ready(name, { keyId: `key-${nth}`, gas: used }))
    const other = ready('other', { keyId: 'another', user: OTHER, gas: 100n })
    const answers = await storeAll([...sends, other])
    const refused = 'gas_budget_exhausted'
    const [a, b, , d] = sends.map(idOf)
    expect(answers).toEqual([a, b, refused, d, refused, other.kept.id])
    expect((await names()).toSorted()).toEqual(['a', 'b', 'd', 'other'])
    expect(await rows()).toBe(4)
  })

  it('that must see one another are stored one after the other', async () => {
    const once: Guard = {
      key: 'once',
      async check(tx) {
        const [row] = await tx<{ notes: number }[]>`select count(*)::int as notes from notes`
        if (row?.notes) throw new AppError(delegationReasons.would_revert, 'there is one')
      },
    }
    const [first, second] = [ready('a', { guard: once }), ready('b', { guard: once })]
    expect(await storeAll([first, second])).toEqual([first.kept.id, 'would_revert'])
    expect(await rows()).toBe(1)
  })

  it('of one wallet stay in their order, whatever becomes of the ones before', async () => {
    await groups.store(ready('taken'))
    const first = storeAll([ready('a'), ready('taken', { idempotency: keyed('other') }), ready('b')])
    await new Promise((resolve) => setTimeout(resolve, 1))
    const sends = ['c', 'd'].map((name) => ready(name, { keyId: `key-${name}` }))
    const answers = storeAll([...sends, ready('elsewhere', { keyId: 'another', user: OTHER })])
    await first
    expect((await answers).slice(0, 2)).toEqual(sends.map(idOf))
    expect((await names()).filter((name) => name !== 'elsewhere')).toEqual(['taken', 'a', 'b', 'c', 'd'])
    expect(await rows()).toBe(6)
  })

  it('are stored in two round trips between the first and the last of the transaction', async () => {
    const wire = await startWire(database.url, { answersAfterMs: 20 })
    // A connection asks once what each of its statements is like.
    const sql = createPool({ url: wire.url, maxConnections: 1, applicationName: 'test' })
    try {
      groups = groupsOn(sql)
      await storeAll(['a', 'b'].map((name) => ready(name)))
      const before = wire.exchanges()
      const sends = ['c', 'd', 'e'].map((name, nth) => ready(name, { user: `0x${String(nth).repeat(40)}` }))
      expect(await storeAll(sends)).toEqual(sends.map(idOf))
      expect(wire.exchanges() - before).toBe(4)
    } finally {
      await sql.end()
      await wire.close()
    }
    expect(await names()).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('leave out a caller who has gone away', async () => {
    const sends = [ready('a', { gone: AbortSignal.abort() }), ready('b')]
    expect(await storeAll(sends)).toEqual(['send_abandoned', sends[1]?.kept.id])
    expect(await names()).toEqual(['b'])
  })
})

describe('a connection that is killed', () => {
  const kill = (tx: Tx) => tx`select pg_terminate_backend(pg_backend_pid())`

  it('before the commit costs nobody anything: each is stored by itself, once', async () => {
    let kills = 1
    beforeCommit = async (tx) => {
      if (kills-- > 0) await kill(tx)
    }
    const sends = ['a', 'b', 'c'].map((name) => ready(name))
    expect(await storeAll(sends)).toEqual(sends.map(idOf))
    expect(await rows()).toBe(3)
  })

  it('during the commit leaves it open what is stored: nothing is tried again, and a repeat finds out', async () => {
    // Only the first commit dies, so that a second try would show.
    await database.sql`create sequence commits`
    await database.sql`create function die() returns trigger language plpgsql as $$ begin
      if nextval('commits') = 1 then perform pg_terminate_backend(pg_backend_pid()), pg_sleep(1); end if;
      return null; end $$`
    await database.sql`create constraint trigger dies after insert on notes deferrable initially deferred
      for each row execute function die()`
    const names = ['a', 'b', 'c']
    const answers = await storeAll(names.map((name) => ready(name)))
    for (const answer of answers) expect(answer).toMatch(/terminat|CONNECTION/)
    expect(await rows()).toBe(0)
    const repeats = names.map((name) => ready(name))
    expect(await storeAll(repeats)).toEqual(repeats.map(idOf))
    expect(await rows()).toBe(3)
  })
})
