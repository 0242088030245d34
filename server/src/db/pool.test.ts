import { afterEach, expect, it } from 'vitest'
import type { Db } from './pool.ts'
import { testDatabase } from './testing.ts'

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
