import { execFileSync } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterEach, describe, expect, it } from 'vitest'
import { startEmbeddedPostgres } from './embedded.ts'

const folders: string[] = []
async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bourse-embedded-'))
  folders.push(folder)
  return folder
}

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
})

async function query<T>(url: string, run: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1 })
  try {
    return await run(sql)
  } finally {
    await sql.end()
  }
}

const options = (folder: string) => ({ folder, durable: true, maxConnections: 20 })

describe('the embedded PostgreSQL', () => {
  it('is version 18 and keeps what was committed across restarts', async () => {
    const folder = await newFolder()
    const first = await startEmbeddedPostgres(options(folder))
    await query(first.url, async (sql) => {
      const [row] = await sql`show server_version`
      expect(row?.server_version).toMatch(/^18/)
      await sql`create table kept (value int)`
      await sql`insert into kept values (42)`
    })
    await first.stop()

    const second = await startEmbeddedPostgres(options(folder))
    expect(await query(second.url, (sql) => sql`select value from kept`)).toEqual([{ value: 42 }])
    await second.stop()
  })

  it('starts below a folder that only its owner may enter, also as root', async () => {
    const folder = await newFolder()
    await chmod(folder, 0o700)
    const server = await startEmbeddedPostgres(options(join(folder, 'data')))
    expect(await query(server.url, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }])
    await server.stop()
  })

  it('takes over from a server that a killed venue left behind', async () => {
    const folder = await newFolder()
    const orphan = await startEmbeddedPostgres(options(folder))
    await query(orphan.url, (sql) => sql`create table kept (value int)`)
    const heir = await startEmbeddedPostgres(options(folder))
    expect(heir.url).not.toBe(orphan.url)
    await expect(query(orphan.url, (sql) => sql`select 1`)).rejects.toThrow()
    expect(await query(heir.url, (sql) => sql`select * from kept`)).toEqual([])
    await heir.stop()
  })

  it('recovers after SIGKILL of the server', async () => {
    const folder = await newFolder()
    const server = await startEmbeddedPostgres(options(folder))
    await query(server.url, (sql) => sql`create table kept as select 7 as value`)
    const pid = (await readFile(join(folder, 'cluster', 'postmaster.pid'), 'utf8')).split('\n')[0] ?? ''
    execFileSync('kill', ['-9', pid])
    const again = await startEmbeddedPostgres(options(folder))
    expect(await query(again.url, (sql) => sql`select value from kept`)).toEqual([{ value: 7 }])
    await again.stop()
  })
})
