import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import type Postgrator from 'postgrator'
import type { Sql } from 'postgres'

/** What the database says that was run. */
interface Noted {
  readonly version: number
  readonly md5: string | null
}

type Migration = Postgrator.Migration

/** Of released files in which a comment alone was changed afterwards: what was run is the same. */
const REWORDED: ReadonlyMap<number, string> = new Map([[131, '3ed9caabdaab5e64c0581030c7ba2e58']])

/**
 * Refuses a database whose migrations were edited after they had been run on it: it lacks what was edited, and a new one would have it.
 * The digest is noted with the migration (`schema_version.md5`); where there is none, the file is taken as it is found and its
 * digest noted. Line ends do not count.
 */
export async function requireUnchanged(sql: Sql, noted: readonly Noted[], known: readonly Migration[]): Promise<void> {
  const digests = new Map(noted.map(({ version, md5 }) => [version, md5]))
  const others = known.filter(({ version, md5 }) => digests.has(version) && digests.get(version) !== md5)
  const edited = others.filter((file) => {
    const digest = digests.get(file.version)
    return digest && digest !== digestOfWindows(file) && digest !== REWORDED.get(file.version)
  })
  if (edited.length > 0) {
    const names = edited.map(({ filename }) => basename(filename)).join(', ')
    throw new Error(
      `these migrations are not what they were when they were run on this database: ${names}. Nothing was changed: restore the files as they were released and make the change in a migration of its own, or say that the database is right as it is (docs/operations.md#updating)`,
    )
  }
  for (const { version, md5 } of others) await sql`update schema_version set md5 = ${md5} where version = ${version}`
}

/** The digest that earlier versions noted of a file with the line ends of Windows: they read it as it was. */
function digestOfWindows({ getSql }: Migration): string {
  const text = getSql().replaceAll(/\r?\n/g, '\r\n')
  return createHash('md5').update(text).digest('hex')
}
