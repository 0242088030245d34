// The server's programs that tests start as processes, each with what it imports in few files: of two and a half thousand modules,
// loading them is most of what a process costs that lives for seconds. `node scripts/bundle-programs.ts FOLDER` writes them as
// FOLDER/<path of the source>.js; vitest's global set-up has it done beside the first tests. server/src/lib/testing-programs.ts finds them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { bundleOf } from '../server/src/lib/testing-programs.ts'

const ROOT = join(import.meta.dirname, '..')
const PROGRAMS = [
  'server/src/{main,cli}.ts',
  'server/**/{keeper,relayer}-child.ts',
  'server/e2e/*/{main,cli}.ts',
  'server/e2e/prepare-venue.ts',
]
/** The compiled code of this one is kept for all that follow. */
const LARGEST = 'server/src/main'

/** vitest's global set-up: begins to bundle; whoever starts a program first waits for it. */
export default async function setup(): Promise<() => Promise<void>> {
  // Among the packages: those that are chosen while a program runs, a platform's PostgreSQL, are looked for from there.
  const cache = join(ROOT, 'node_modules', '.cache')
  mkdirSync(cache, { recursive: true })
  const parent = mkdtempSync(join(cache, 'programs-'))
  const folder = join(parent, 'bundled')
  process.env.TEST_PROGRAMS_FOLDER = folder
  const bundling = spawn(process.execPath, [import.meta.filename, folder], { stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = once(bundling, 'exit')
  return async () => {
    bundling.kill()
    await ended
    rmSync(parent, { recursive: true, force: true })
  }
}

async function bundlePrograms(folder: string): Promise<void> {
  const names = globSync(PROGRAMS, { cwd: ROOT }).map((file) => file.replace(/\.ts$/, ''))
  const draft = `${folder}-draft`
  const build = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(names.map((name) => [name, `${name}.ts`])),
    platform: 'node',
    // Nothing is left out, here nor when it is written: a call whose result is not used may be there to throw, as decodeURIComponent is.
    treeshake: false,
    plugins: [{ name: 'places', transform: (code, file) => (isOwn(file) ? withPlaces(code, file, folder) : null) }],
  })
  await build.write({
    dir: draft,
    format: 'esm',
    minify: false,
    entryFileNames: '[name].js',
    chunkFileNames: 'shared/[name]-[hash].js',
  })
  await build.close()
  renameSync(draft, folder)
  await import(join(folder, `${LARGEST}.js`))
  flushCompileCache()
}

const isOwn = (file: string): boolean => file.startsWith(ROOT) && !file.includes('node_modules')

/** What a source finds beside itself stays where it is; and it is the program that runs when its bundle is. */
const withPlaces = (code: string, file: string, folder: string): string =>
  code
    .replaceAll('import.meta.dirname', JSON.stringify(dirname(file)))
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href))
    .replaceAll('import.meta.main', `process.argv[1] === ${JSON.stringify(bundleOf(folder, file))}`)

const [, , folder] = process.argv
if (import.meta.main && folder) await bundlePrograms(folder)
