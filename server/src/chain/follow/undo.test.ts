import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { inTransaction, type Sql, type Tx } from '../../db/pool.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { createRandom, type Random } from '../../lib/testing-random.ts'
import { enterBlock, pruneUndoLog } from './store.ts'
import { installUndo, type UndoTable, undoAbove } from './undo.ts'

const CHAIN = 1
const TABLES = `
  create table undo_amounts (chain_id bigint, id text, amount_wad numeric(78, 0) not null, seen_at timestamptz, note text,
    details jsonb, tags text[], doubled numeric generated always as (amount_wad * 2) stored, primary key (chain_id, id));
  create table undo_ranks (id bigint generated always as identity primary key, owner text not null unique, rank int not null unique);
  create table undo_parts (at_sec bigint, id text, value numeric, primary key (at_sec, id)) partition by range (at_sec);
  create table undo_parts_low partition of undo_parts for values from (0) to (100);
  create table undo_parts_high partition of undo_parts for values from (100) to (200);
  create table undo_marks (a text, b text, primary key (a, b));
  create table "undo Odd" ("the key" text primary key, "old" text);
  create table no_key (id text);
  create table cascading (a text, b text, id text primary key, foreign key (a, b) references undo_marks on delete cascade);`
const NAMES = ['undo_amounts', 'undo_ranks', 'undo_parts', 'undo_marks', 'undo Odd']

let database: TestDatabase
let sql: Sql
let tables: UndoTable[]
beforeAll(async () => {
  database = await testDatabase()
  sql = database.sql
  await sql.unsafe(TABLES).simple()
  tables = await installUndo(sql, NAMES)
})
afterAll(() => database.drop())

const inBlock = (number: bigint, work: (tx: Tx) => Promise<unknown>, mode: 'record' | 'final' = 'record') =>
  inTransaction(sql, async (tx) => {
    await enterBlock(tx, CHAIN, number, mode)
    await work(tx)
  })
const undoTo = (ancestor: bigint) => inTransaction(sql, (tx) => undoAbove(tx, CHAIN, tables, ancestor))

async function contents(): Promise<unknown[]> {
  const rows: unknown[] = []
  for (const name of NAMES) rows.push([...(await sql.unsafe(`select t::text as row from "${name}" t order by 1`))])
  return rows
}

async function logSize(): Promise<bigint> {
  return (await sql<{ count: bigint }[]>`select count(*) from undo_log`)[0]?.count ?? -1n
}

beforeEach(async () => {
  await undoTo(-1n)
  await inBlock(0n, (tx) => tx.unsafe(NAMES.map((name) => `delete from "${name}";`).join('')).simple(), 'final')
})

/** One statement of a kind that handlers use, over few keys so that they meet. */
function change(tx: Tx, random: Random, block: bigint): Promise<unknown> {
  const id = `id ${random.below(6)}`
  const amount = `${random.below(2) ? '' : '-'}${random.below(10 ** 9)}${'7'.repeat(random.below(68))}`
  const at = random.below(200)
  const changes = [
    () => tx`
      insert into undo_amounts (chain_id, id, amount_wad, seen_at, note, details, tags)
      values (${CHAIN}, ${id}, ${amount}, now(), ${`it's "${block}" \\ ✓`}, ${tx.json({ deep: [1, { a: null }] })}, array['a,b', null, '"'])
      on conflict (chain_id, id) do update set amount_wad = excluded.amount_wad, details = null, tags = '{}'`,
    () => tx`update undo_amounts set amount_wad = amount_wad - 1, seen_at = null where amount_wad > 0`,
    () => tx`delete from undo_amounts where id = ${id}`,
    () => tx`
      insert into undo_ranks (owner, rank) select ${id}, coalesce(max(rank), 0) + 1 from undo_ranks
      on conflict (owner) do update set rank = excluded.rank`,
    () => tx`delete from undo_ranks where owner = ${id}`,
    () => tx`
      insert into undo_parts (at_sec, id, value) values (${at}, ${id}, ${amount}), (${199 - at}, 'mirror', 1)
      on conflict (at_sec, id) do update set value = excluded.value`,
    () => tx`delete from undo_parts where at_sec % 3 = ${at % 3}`,
    () => tx`insert into undo_marks values (${id}, 'x'), (${id}, 'y') on conflict do nothing`,
    () => tx`delete from undo_marks where a = ${id}`,
    () =>
      tx`insert into "undo Odd" values (${id}, 'first') on conflict ("the key") do update set "old" = "undo Odd"."old" || '+'`,
  ]
  return random.pick(changes)()
}

describe('the undo log', () => {
  it.each([1, 2, 3, 4, 5, 6])('takes back what any sequence of statements did, seed %i', async (seed) => {
    const random = createRandom(seed)
    const snapshots = [await contents()]
    for (let block = 1n; block <= 12n; block++) {
      await inBlock(block, async (tx) => {
        for (let count = random.below(8); count >= 0; count--) await change(tx, random, block)
      })
      snapshots.push(await contents())
    }
    for (let block = 11n; block >= 0n; block -= 1n + BigInt(random.below(4))) {
      await undoTo(block)
      expect(await contents(), `after undoing to block ${block}`).toEqual(snapshots[Number(block)])
      const [last] = await sql`select coalesce(max(block_number), 0) as block from undo_log`
      expect(last?.block).toBeLessThanOrEqual(block)
    }
  })

  it('takes back all changes of one row in one block, and of one block in several transactions', async () => {
    await inBlock(1n, (tx) => tx`insert into undo_marks values ('a', 'b')`)
    await inBlock(2n, async (tx) => {
      await tx`delete from undo_marks`
      await tx`insert into undo_marks values ('a', 'b')`
      await tx`delete from undo_marks`
    })
    await undoTo(1n)
    expect([...(await sql`select * from undo_marks`)]).toEqual([{ a: 'a', b: 'b' }])
  })

  it('keeps the changes of a chain apart from those of others', async () => {
    await inBlock(1n, (tx) => tx`insert into undo_marks values ('ours', '')`)
    await inTransaction(sql, async (tx) => {
      await enterBlock(tx, 2, 1n, 'record')
      await tx`insert into undo_marks values ('theirs', '')`
    })
    await undoTo(0n)
    expect([...(await sql`select a from undo_marks`)]).toEqual([{ a: 'theirs' }])
    await inTransaction(sql, (tx) => undoAbove(tx, 2, tables, 0n))
    expect(await logSize()).toBe(0n)
  })

  it('keeps the value of a column that a migration added since', async () => {
    await sql`create table undo_grown (id text primary key, value text)`
    const grown = await installUndo(sql, ['undo_grown'])
    await inBlock(1n, (tx) => tx`insert into undo_grown values ('a', 'old')`, 'final')
    await inBlock(2n, (tx) => tx`update undo_grown set value = 'new'`)
    await sql`alter table undo_grown add column extra text not null default 'given'`
    const now = await installUndo(sql, ['undo_grown'])
    expect([grown[0]?.columns, now[0]?.columns]).toEqual([
      ['id', 'value'],
      ['id', 'value', 'extra'],
    ])
    await inTransaction(sql, (tx) => undoAbove(tx, CHAIN, now, 1n))
    expect([...(await sql`select * from undo_grown`)]).toEqual([{ id: 'a', value: 'old', extra: 'given' }])
  })

  it('is not written for final blocks, and is pruned below them', async () => {
    await inBlock(1n, (tx) => tx`insert into undo_marks values ('a', 'b')`, 'final')
    expect(await logSize()).toBe(0n)
    await inBlock(2n, (tx) => tx`delete from undo_marks`)
    await inBlock(3n, (tx) => tx`insert into undo_marks values ('c', 'd')`)
    await inTransaction(sql, (tx) => pruneUndoLog(tx, CHAIN, 2n))
    expect(await logSize()).toBe(1n)
  })
})

describe('a table with an undo log', () => {
  it.each([
    ['insert', `insert into undo_marks values ('a', 'b')`],
    ['update', `update undo_marks set a = a`],
    ['delete', 'delete from undo_marks'],
  ])('refuses an %s outside a block', async (_, statement) => {
    await expect(sql.unsafe(statement)).rejects.toMatchObject({
      code: '55000',
      message: 'chain-derived tables are written only while a block is applied',
    })
  })

  it('refuses it on a connection that has applied a block before', async () => {
    const connection = await sql.reserve()
    try {
      await connection`begin`
      await connection`select set_config('bourse.block', '1/1/record', true)`
      await connection`insert into undo_marks values ('a', 'b')`
      await connection`commit`
      await expect(connection`delete from undo_marks`).rejects.toMatchObject({ code: '55000' })
    } finally {
      connection.release()
    }
  })

  it('refuses what could not be undone: a changed primary key, a truncate', async () => {
    const insert = inBlock(1n, (tx) => tx`insert into undo_marks values ('a', 'b')`)
    await insert
    await expect(inBlock(2n, (tx) => tx`update undo_marks set a = 'z'`)).rejects.toThrow('primary key')
    await expect(inBlock(2n, (tx) => tx`truncate undo_marks`)).rejects.toThrow('truncate')
  })

  it('needs a primary key and no cascade', async () => {
    await expect(installUndo(sql, ['missing'])).rejects.toThrow('there is no table missing')
    await expect(installUndo(sql, ['no_key'])).rejects.toThrow('table no_key has no primary key')
    await expect(installUndo(sql, ['cascading'])).rejects.toThrow('cascading_a_b_fkey of table cascading cascades')
  })
})
