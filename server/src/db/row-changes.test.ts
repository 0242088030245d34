import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { inTransaction, type Sql, type Tx } from './pool.ts'
import { RowChanges } from './row-changes.ts'
import { type TestDatabase, testDatabase } from './testing.ts'

type Account = { owner: string; token: string; balance: bigint; note: string | null; is_open: boolean }

let database: TestDatabase
let sql: Sql
beforeAll(async () => {
  database = await testDatabase()
  sql = database.sql
  await sql`
    create table row_changes_accounts (
      owner text, token text, balance numeric(78, 0) not null, note text, is_open boolean not null,
      seen bigint not null default 7, primary key (owner, token))`
})
afterAll(() => database.drop())
beforeEach(() => sql`truncate row_changes_accounts`)

const account = (owner: string, balance: bigint): Account => ({
  owner,
  token: 'usd',
  balance,
  note: null,
  is_open: true,
})
const key = (owner: string) => ({ owner, token: 'usd' })

/** Loads these owners' rows, lets `work` change them, and writes. */
const change = (owners: readonly string[], work: (rows: RowChanges<Account>) => void) =>
  inTransaction(sql, async (tx: Tx) => {
    const rows = new RowChanges<Account>('row_changes_accounts', ['owner', 'token'])
    await rows.load(
      tx,
      owners.map((owner) => key(owner)),
    )
    work(rows)
    await rows.write(tx)
  })
const stored = async () =>
  (
    await sql<{ text: string }[]>`
    select owner || ' ' || balance || ' ' || coalesce(note, '-') || ' ' || is_open || ' ' || seen as text
    from row_changes_accounts order by owner`
  ).map(({ text }) => text)

it('adds, changes and deletes, however many steps a row has taken', async () => {
  await change([], (rows) => {
    for (const owner of ['a', 'b', 'c']) rows.add(account(owner, 1n))
    rows.change(key('b'), { balance: 10n ** 70n })
    rows.delete(key('c'))
  })
  expect(await stored()).toEqual(['a 1 - true 7', `b 1${'0'.repeat(70)} - true 7`])
  await change(['a', 'b', 'gone', 'a'], (rows) => {
    rows.change(key('a'), { note: 'first "quoted"' })
    rows.change(key('a'), { is_open: false, balance: -3n })
    rows.change(key('gone'), { balance: 5n })
    rows.delete(key('b'))
    rows.add(account('d', 4n))
  })
  expect(await stored()).toEqual(['a -3 first "quoted" false 7', 'd 4 - true 7'])
})

it('keeps what it was not told of, and knows what it has loaded', async () => {
  await sql`insert into row_changes_accounts values ('a', 'usd', 5, 'kept', true, 9), ('b', 'usd', 6, null, true, 7)`
  await change(['a'], (rows) => {
    expect(rows.get(key('a'))).toEqual({ ...account('a', 5n), note: 'kept', seen: 9n })
    expect([rows.get(key('b')), rows.rows().length]).toEqual([null, 1])
    rows.change(key('a'), { balance: 6n })
  })
  expect(await stored()).toEqual(['a 6 kept true 9', 'b 6 - true 7'])
})

it('takes a row for another that was deleted before it', async () => {
  await sql`insert into row_changes_accounts values ('a', 'usd', 5, 'old', true)`
  await change(['a'], (rows) => {
    rows.delete(key('a'))
    expect(rows.get(key('a'))).toBe(null)
    rows.add(account('a', 1n))
  })
  expect(await stored()).toEqual(['a 1 - true 7'])
})

it('refuses a row that is there, and writes nothing where nothing changed', async () => {
  await sql`insert into row_changes_accounts values ('a', 'usd', 5, null, true)`
  await expect(change(['a'], (rows) => rows.add(account('a', 1n)))).rejects.toThrow('has a row a usd already')
  await expect(change([], (rows) => rows.add(account('a', 1n)))).rejects.toThrow('duplicate key')
  const [before] = await sql`select xmin::text from row_changes_accounts`
  await change(['a'], () => {})
  const [after] = await sql`select xmin::text from row_changes_accounts`
  expect(after).toEqual(before)
})
