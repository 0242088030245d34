import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { run } from './command.ts'
import { aim, describeRun, printTable, round, writeResults } from './report.ts'

const ROOT = join(import.meta.dirname, '..')

/** What is timed, with the minutes that it may take on two quiet cores. */
const COMMANDS = [
  { name: 'npm run test:fast', command: ['npm', 'run', 'test:fast'], aimMin: 3 },
  { name: 'npm test', command: ['npm', 'test'], aimMin: 10 },
  { name: '.ci/run', command: ['.ci/run'], aimMin: 25 },
] as const

interface Timed {
  readonly at: string
  readonly minutes: number
  readonly passed: number
  readonly failed: number
}

/**
 * `npm run bench -- tests`: how long the test commands take in a fresh clone. The first of them also installs the packages
 * and compiles the contracts' tests.
 */
export async function benchTests(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { only: { type: 'string' } } })
  const chosen = COMMANDS.filter(({ name }) => values.only === undefined || name === values.only)
  if (chosen.length === 0)
    throw new Error(`--only must be one of ${COMMANDS.map(({ name }) => `"${name}"`).join(', ')}`)
  const description = describeRun()
  const folder = await mkdtemp(join(tmpdir(), 'bourse-bench-'))
  try {
    const clone = join(folder, 'clone')
    await run('git', ['clone', '--quiet', '--no-hardlinks', ROOT, clone], ROOT)
    const results: Record<string, Timed> = {}
    for (const { name, command } of chosen) {
      console.log(`${name} …`)
      results[name] = await timed(command, clone)
    }
    printTable([
      ['', 'minutes', 'aim', 'passed', 'failed'],
      ...chosen.map(({ name, aimMin }) => {
        const { minutes, passed, failed } = results[name] as Timed
        return [name, String(minutes), aim(minutes, aimMin, 'min'), `${passed}`, `${failed}`]
      }),
    ])
    await writeResults('tests', { ...description, results: { ...earlier(), ...results } })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Of commands that were timed before: all of them together take too long for one sitting. */
function earlier(): Readonly<Record<string, Timed>> {
  const file = join(import.meta.dirname, 'results', 'tests.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).results : {}
}

/** Runs a command that counts its tests in a line `N passed, N failed`; .ci/run has two such lines. What it prints is shown. */
async function timed([program, ...args]: readonly [string, ...string[]], cwd: string): Promise<Timed> {
  const startedMs = Date.now()
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  let [passed, failed, lastLine] = [0, 0, '']
  child.stdout.on('data', (chunk: Buffer) => {
    process.stdout.write(chunk)
    const lines = (lastLine + chunk.toString()).split('\n')
    lastLine = lines.pop() ?? ''
    for (const line of lines) {
      const counts = /^(\d+) passed, (\d+) failed$/.exec(line)
      passed += Number(counts?.[1] ?? 0)
      failed += Number(counts?.[2] ?? 0)
    }
  })
  const [code] = await once(child, 'close')
  if (passed + failed === 0 || (code !== 0 && failed === 0))
    throw new Error(`${program} ${args.join(' ')} ended with exit code ${code}, and counted no test that failed`)
  return { at: new Date(startedMs).toISOString(), minutes: round((Date.now() - startedMs) / 60_000, 1), passed, failed }
}
