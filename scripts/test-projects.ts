// Which project of vitest a test file belongs to, by what it needs. Read from its imports, so that a new file is where
// it belongs without being listed.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const root = join(import.meta.dirname, '..')

const TESTS = ['server/src', 'server/e2e', 'sdk/tests', 'sim', 'scripts', 'bench', 'web', 'deploy', 'docs'].map(
  (folder) => `${folder}/**/*.test.ts`,
)

/** From the cheapest to the dearest; a file belongs to the last one that it needs. */
export const PROJECTS = ['unit', 'db', 'chain', 'venue', 'embedded', 'campaign'] as const
export type Project = (typeof PROJECTS)[number]

/** Kinds that compute more than they wait, run before the others. */
export const COMPUTE: readonly string[] = ['unit', 'db'] satisfies readonly Project[]

/** What makes a file need more than its own process: the modules, from the root, that start it. */
const STARTS: readonly (readonly [Project, RegExp])[] = [
  ['db', /^server\/src\/db\/(testing|embedded)\.ts$/],
  ['chain', /^server\/src\/chain\/embedded\/anvil\.ts$/],
  // A browser is as heavy as a venue, and no server changes what it does.
  ['embedded', /^scripts\/chromium\.ts$/],
  ['campaign', /^sim\/perp-chain\/chain\.ts$/],
]

const IMPORT = /(?:^|[\s;])(?:import|export)\s(?:[^'"]*?\sfrom\s)?\s*'(\.[^']*)'|\bimport\(\s*'(\.[^']*)'\s*\)/g

/**
 * Every test file, from the root, with its project. Those of Redis only where there is a server for them; and without servers by URL
 * `embedded` is `venue` too, since files of one project share processes.
 */
export function testFiles(): Map<string, Project> {
  const { DATABASE_URL, REDIS_URL } = process.env
  const files = TESTS.flatMap((pattern) => globSync(pattern, { cwd: root, exclude: ['**/node_modules/**'] }))
  const usable = files.filter((file) => REDIS_URL || !needsRedis(file)).sort()
  const projects = usable.map((file) => [file, projectOf(file)] as const)
  return new Map(projects.map(([file, one]) => [file, one === 'embedded' && !DATABASE_URL ? 'venue' : one]))
}

const VENUE = 'server/e2e/venue.ts'

/**
 * Whether servers by URL change what a test of whole venues does: `startVenue` then makes separate processes, and the
 * tests' databases are on that server. A venue on a data folder of its own brings everything with it.
 */
function onServers(reached: readonly string[]): boolean {
  return reached.some((file) => {
    if (file === VENUE) return false
    if (file === 'server/src/db/testing.ts') return true
    return file.startsWith('server/e2e/') && /\bstartVenue\b/.test(readFileSync(join(root, file), 'utf8'))
  })
}

const needsRedis = (file: string): boolean => file.endsWith('.redis.test.ts')

function projectOf(file: string): Project {
  const reached = [...reachedBy(file)]
  if (file.startsWith('web/e2e/')) return 'embedded'
  if (reached.includes(VENUE) || file.startsWith('server/e2e/')) return onServers(reached) ? 'venue' : 'embedded'
  const needed = STARTS.filter(([, pattern]) => reached.some((one) => pattern.test(one))).map(([name]) => name)
  return needed.at(-1) ?? (needsRedis(file) ? 'db' : 'unit')
}

/** The files that a test imports, and what its helpers import. A product's module starts nothing when it is imported. */
function reachedBy(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file) || !existsSync(join(root, file))) return seen
  seen.add(file)
  if (seen.size > 1 && isProduct(file)) return seen
  for (const match of readFileSync(join(root, file), 'utf8').matchAll(IMPORT)) {
    reachedBy(relative(root, join(root, dirname(file), match[1] ?? match[2] ?? '')), seen)
  }
  return seen
}

const isProduct = (file: string): boolean =>
  file.startsWith('server/src/') && !/test|-world|-child|-setup/.test(file.slice('server/src/'.length))
