import { expect, test } from 'vitest'
import { migrate } from './migrate.ts'
import { testDatabase } from './testing.ts'

test('a migration that came with a number below the newest is made up for, and nothing is run twice', async () => {
  const { sql, url, drop } = await testDatabase()
  const versions = async () =>
    (await sql`select version::int as version from schema_version order by version`).map(({ version }) => version)
  const before = await versions()
  await sql`alter table tx_intents drop column least_gas`
  await sql`delete from schema_version where version = 233`
  await migrate(url)
  expect(await versions()).toEqual(before)
  const columns =
    await sql`select from information_schema.columns where table_name = 'tx_intents' and column_name = 'least_gas'`
  expect(columns.length).toBe(1)
  await migrate(url)
  expect(await versions()).toEqual(before)
  await drop()
})
