import { afterEach, expect, it } from 'vitest'
import { createPool, type Db } from './pool.ts'
import { testDatabase } from './testing.ts'
import { startWire } from './testing-wire.ts'

let drop: (() => Promise<void>) | undefined
afterEach(() => drop?.())

const backend = (db: Db) => db<{ pid: number }[]>`select pg_backend_pid() as pid, pg_sleep(0.02)::text`

it('uses the connection again that became free last, which has planned its statements', async () => {
  const database = await testDatabase()
  drop = database.drop
  const { sql } = database
  const opened = await Promise.all(Array.from({ length: 5 }, () => backend(sql)))
  expect(new Set(opened.map(([row]) => row?.pid)).size).toBe(5)
  const used = new Set<number | undefined>()
  for (let turn = 0; turn < 20; turn++) used.add((await backend(sql))[0]?.pid)
  for (let turn = 0; turn < 20; turn++) used.add((await sql.begin((tx) => backend(tx)))[0]?.pid)
  expect(used.size).toBe(1)
})

it('asks once which types have arrays, and reads them on every connection', async () => {
  const database = await testDatabase()
  const wire = await startWire(database.url, { answersAfterMs: 20 })
  const sql = createPool({ url: wire.url, maxConnections: 2, applicationName: 'test' })
  drop = async () => {
    await sql.end()
    await wire.close()
    await database.drop()
  }
  const read = () =>
    sql<
      { pid: number; list: bigint[] }[]
    >`select pg_backend_pid() as pid, array[3::bigint] as list, pg_sleep(0.1)::text`
  await read()
  const withTypes = wire.exchanges()
  // One is busy, so that the other has to be opened.
  const both = await Promise.all([read(), read()])
  expect(new Set(both.map(([row]) => row?.pid)).size).toBe(2)
  expect(both.map(([row]) => row?.list)).toEqual([[3n], [3n]])
  const ofBusy = 1
  expect(wire.exchanges() - withTypes - ofBusy).toBe(withTypes - 1)
})

it('reserves connections beyond those that are open', async () => {
  const database = await testDatabase()
  drop = database.drop
  const reserved = [await database.sql.reserve(), await database.sql.reserve(), await database.sql.reserve()]
  const pids = await Promise.all(reserved.map(backend))
  for (const connection of reserved) connection.release()
  expect(new Set(pids.map(([row]) => row?.pid)).size).toBe(3)
})
