/**
 * Changes one line of the contracts at a time and looks whether the tests notice:
 *
 *     node scripts/mutate.ts contracts/test/mutants/stock.json [--only=id,id] [--report=file.json] [--limit=seconds]
 *
 * The work is done in a copy; the sources stay as they are. The list says what is built, what is run, and every mutant: the
 * file, a text in it (its first occurrence counts) and what takes its place. A mutant that may survive carries the reason in
 * `survives`. A check that has not ended within the limit (a quarter of an hour) decides nothing: the mutant may have made it
 * endless, or the machine been busy. Exits with 1 when another survives or is undecided, or when a text is not found.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { forgeProgram } from './setup.mjs'

type Mutant = {
  readonly id: string
  readonly file: string
  readonly find: string
  readonly replace: string
  readonly survives?: string
}

type Check = {
  readonly name: string
  /** Run at the root of the repository; `forge` means this repository's, run in the copy. */
  readonly command: readonly string[]
  readonly env?: { readonly [name: string]: string }
  /** Its tests hold what they test, which is not deployed: they are compiled with the mutant. */
  readonly compilesIt?: boolean
}

/** A changed file. */
interface Change {
  readonly path: string
  readonly source: string
  readonly mutant: string
}

/** A check that did not pass. */
type Failing = { readonly name: string; readonly output: string; readonly timedOut: boolean }

type List = {
  readonly sources: string
  readonly build: readonly string[]
  /** Contracts that the checks deploy; the libraries they are linked with come along. */
  readonly contracts: readonly string[]
  readonly checks: readonly Check[]
  readonly mutants: readonly Mutant[]
}

type Verdict = {
  readonly id: string
  readonly killedBy: string | null
  /** The check that did not end in time, which is no kill. */
  readonly undecidedBy: string | null
  readonly seconds: number
  readonly reason?: string
}

const ROOT = resolve(import.meta.dirname, '..')
const FORGE = forgeProgram()
const MUTANT_OUT = 'contracts/out/mutant'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, report: { type: 'string' }, limit: { type: 'string', default: '900' } },
})
const LIMIT_MS = Number(values.limit) * 1000
const BUILD_LIMIT_MS = 15 * 60_000
const list = JSON.parse(readFileSync(positionals[0] ?? 'contracts/test/mutants/perp.json', 'utf8')) as List
const only = values.only?.split(',')
const wanted = list.mutants.filter(({ id }) => !only || only.includes(id))

const copy = mkdtempSync(join(tmpdir(), 'mutants-'))
try {
  cpSync(join(ROOT, 'contracts'), join(copy, 'contracts'), { recursive: true, preserveTimestamps: true })
  cpSync(join(ROOT, 'foundry.toml'), join(copy, 'foundry.toml'))
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  process.exitCode = main() ? 0 : 1
} finally {
  rmSync(copy, { recursive: true, force: true })
}

function main(): boolean {
  deploy()
  const failing = firstFailing()
  if (failing) {
    const how = failing.timedOut ? 'takes too long' : 'fails'
    throw new Error(`${failing.name} ${how} without any mutant:\n${failing.output}`)
  }
  const verdicts: Verdict[] = []
  for (const mutant of wanted) {
    const verdict = judge(mutant)
    verdicts.push(verdict)
    console.log(`${verdict.id}: ${fateOf(verdict)}, ${verdict.seconds} s`)
    if (values.report) writeFileSync(values.report, `${JSON.stringify(verdicts, null, 2)}\n`)
  }
  const killed = verdicts.filter(({ killedBy }) => killedBy !== null)
  const undecided = verdicts.filter(({ undecidedBy }) => undecidedBy !== null)
  const survivors = verdicts.filter(({ killedBy, undecidedBy }) => killedBy === null && undecidedBy === null)
  const unexplained = survivors.filter(({ reason }) => reason === undefined)
  const counts = `${killed.length} killed, ${survivors.length} survive, ${unexplained.length} unexplained`
  console.log(`${verdicts.length} mutants: ${counts}, ${undecided.length} undecided`)
  return unexplained.length + undecided.length === 0
}

function fateOf({ killedBy, undecidedBy }: Verdict): string {
  if (killedBy !== null) return `killed by ${killedBy}`
  return undecidedBy !== null ? `UNDECIDED, ${undecidedBy} took too long` : 'SURVIVES'
}

function judge({ id, file, find, replace, survives }: Mutant): Verdict {
  const path = join(copy, list.sources, file)
  const source = readFileSync(path, 'utf8')
  if (!source.includes(find)) throw new Error(`${id}: ${file} does not hold ${JSON.stringify(find)}`)
  const start = Date.now()
  const mutant = source.replace(find, () => replace)
  writeFileSync(path, mutant)
  deploy()
  writeFileSync(path, source)
  const failing = firstFailing({ path, source, mutant })
  const name = failing?.name ?? null
  const [killedBy, undecidedBy] = failing?.timedOut ? [null, name] : [name, null]
  const seconds = Math.round((Date.now() - start) / 1000)
  return { id, killedBy, undecidedBy, seconds, ...(survives !== undefined && { reason: survives }) }
}

/** The first check that does not pass, and what it said. */
function firstFailing(change?: Change): Failing | undefined {
  // A sequence that failed once is tried again first, and would kill every mutant after it.
  rmSync(join(copy, 'contracts', 'cache', 'invariant'), { recursive: true, force: true })
  for (const { name, command, env = {}, compilesIt = false } of list.checks) {
    const [program = '', ...args] = command
    const isForge = program === 'forge'
    if (compilesIt && change) writeFileSync(change.path, change.mutant)
    const { status, stdout, timedOut } = isForge ? run([FORGE, ...args], copy, env) : run(command, ROOT, env)
    if (change) writeFileSync(change.path, change.source)
    if (status !== 0) return { name, output: stdout, timedOut }
  }
  return undefined
}

/**
 * Puts what the sources compile to now where tests deploy it from. In folders of its own, and the sources are put back before
 * the tests run, so that no test is compiled again. A mutant that does not compile is a mistake in the list.
 */
function deploy(): void {
  const places = { FOUNDRY_OUT: MUTANT_OUT, FOUNDRY_CACHE_PATH: 'contracts/cache/mutant' }
  const build = run([FORGE, 'build', ...list.build], copy, places, BUILD_LIMIT_MS)
  if (build.timedOut) throw new Error('compiling took too long')
  if (build.status !== 0) throw new Error(`does not compile:\n${build.stdout}${build.stderr}`)
  writeArtifacts()
}

type Compiled = {
  readonly abi: unknown
  readonly bytecode: {
    readonly object: string
    readonly linkReferences: { readonly [file: string]: { readonly [library: string]: readonly Place[] } }
  }
}
type Place = { readonly start: number; readonly length: number }

/** What was compiled, in the form of contracts/artifacts. */
function writeArtifacts(): void {
  const open = [...list.contracts]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const [file] = globSync(join(copy, MUTANT_OUT, '*.sol', `${name}.json`))
    if (!file) throw new Error(`${name} was not compiled`)
    const { abi, bytecode } = JSON.parse(readFileSync(file, 'utf8')) as Compiled
    const { object, linkReferences } = bytecode
    const places = Object.values(linkReferences).flatMap((libraries) => Object.entries(libraries))
    const libraries = Object.fromEntries(
      places.map(([library, [place]]) => [
        library,
        place ? object.slice(2 + 2 * place.start, 2 + 2 * (place.start + place.length)) : '',
      ]),
    )
    const artifact = JSON.stringify({ abi, libraries, bytecode: object })
    writeFileSync(join(copy, 'contracts', 'artifacts', `${name}.json`), artifact)
    open.push(...Object.keys(libraries))
  }
}

type Variables = { readonly [name: string]: string }

function run([program = '', ...args]: readonly string[], cwd: string, env: Variables, timeout = LIMIT_MS) {
  const artifacts = { PERP_ARTIFACTS: join(copy, 'contracts', 'artifacts') }
  const limits = { timeout, maxBuffer: Number.POSITIVE_INFINITY }
  const options = { cwd, env: { ...process.env, ...artifacts, ...env }, encoding: 'utf8', ...limits } as const
  const { status, stdout, stderr, error } = spawnSync(program, args, options)
  const timedOut = (error as NodeJS.ErrnoException | undefined)?.code === 'ETIMEDOUT'
  if (error && !timedOut) throw error
  return { status, stdout, stderr, timedOut }
}
