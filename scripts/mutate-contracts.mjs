// Changes one line of a contract at a time and runs the tests against it: a mutant that no test notices shows what is not
// tested. `node scripts/mutate-contracts.mjs contracts/src/stock [--tests <glob>] [--only <text>] [--sample <n>] [--seed <n>]`.
//
// The sources stay as they are. Each mutant is compiled apart and put in the place of the compiled contract that tests
// deploy (TestBase.deployCode), so that nothing else is compiled again. Needs `forge build` before.
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { environment, forgeProgram, root } from './setup.mjs'

const OUT = join(root, 'contracts', 'out')
const REMAPPINGS = [
  '@openzeppelin/contracts/=node_modules/@openzeppelin/contracts/',
  '@openzeppelin/contracts-upgradeable/=node_modules/@openzeppelin/contracts-upgradeable/',
  'solady/=node_modules/solady/src/',
  'test/=contracts/test/',
  'src/=contracts/src/',
]
/** Few fuzz runs and no campaigns: what needs many runs to be noticed is noticed too late. */
const QUICK = { FOUNDRY_VIA_IR: 'false', FOUNDRY_FUZZ_RUNS: '24', CONTRACTS: 'source' }

/** What one line may become: the first match of a pattern, replaced. */
const OPERATORS = [
  [/ < /, ' <= '],
  [/ <= /, ' < '],
  [/ > /, ' >= '],
  [/ >= /, ' > '],
  [/ == /, ' != '],
  [/ != /, ' == '],
  [/ && /, ' || '],
  [/ \|\| /, ' && '],
  [/ \+ /, ' - '],
  [/ - /, ' + '],
  [/ \* /, ' / '],
  [/ \+= /, ' -= '],
  [/ -= /, ' += '],
  [/Up\(/, 'Down('],
  [/Down\(/, 'Up('],
  [/\btrue\b/, 'false'],
  [/\bfalse\b/, 'true'],
  [/\b(nonReentrant|whenNotPaused|onlyRouter|onlyInStock|onlyRole\([A-Z_]+\))(?=\s|$)/, ''],
]

/** Lines that say nothing a test could notice, or that no contract consists of. */
const IGNORED = /^\s*(\/\/|\/\*|\*|import|pragma|error |event |emit |using |struct |enum |@)|constant STORAGE_SLOT/

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    tests: { type: 'string', default: 'contracts/test/{stock,delegation}/**' },
    only: { type: 'string' },
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
})
if (positionals.length === 0) throw new Error('name at least one folder or file of contracts/src')
const solc = createRequire(join(root, 'contracts', 'tools', 'solc'))('solc')

const files = positionals.flatMap((place) =>
  place.endsWith('.sol') ? [place] : globSync(`${place}/**/*.sol`, { cwd: root }),
)
const sources = files.filter((file) => !file.includes('/interfaces/')).sort()
const mutants = sample(sources.flatMap(mutantsOf))
console.log(`${mutants.length} mutants of ${sources.length} files`)
if (!passes(values.tests)) throw new Error('the tests do not pass as they are')
const survivors = []
const counts = { killed: 0, survived: 0, invalid: 0 }
for (const mutant of mutants) {
  const fate = await fateOf(mutant)
  ++counts[fate]
  if (fate !== 'survived') continue
  survivors.push(mutant)
  console.log(`survived  ${mutant.file}:${mutant.line}\n  - ${mutant.before}\n  + ${mutant.after || '(removed)'}`)
}
console.log(`killed ${counts.killed}, survived ${counts.survived}, not compiled ${counts.invalid}`)
process.exitCode = survivors.length === 0 ? 0 : 1

/** Every one-line change of a file. */
function mutantsOf(file) {
  const lines = readFileSync(join(root, file), 'utf8').split('\n')
  return lines.flatMap((before, index) => {
    if (IGNORED.test(before) || (values.only && !before.includes(values.only))) return []
    const changed = OPERATORS.filter(([pattern]) => pattern.test(before)).map(([pattern, by]) =>
      before.replace(pattern, by),
    )
    // A whole statement that only checks or writes can be left out.
    if (
      /^\s+(if \(.*\) (revert|return)|require\(|[\w.$[\]]+ (=|\+=|-=) |_\w+\(.*\);)/.test(before) &&
      before.endsWith(';')
    ) {
      changed.push('')
    }
    return changed.map((after) => ({ file, line: index + 1, before: before.trim(), after: after.trim(), lines }))
  })
}

function sample(all) {
  if (values.sample === undefined) return all
  let state = Number(values.seed)
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
  const left = [...all]
  const taken = []
  while (taken.length < Number(values.sample) && left.length > 0) {
    taken.push(...left.splice(Math.floor(random() * left.length), 1))
  }
  return taken
}

async function fateOf({ file, line, after, lines }) {
  const content = lines.with(line - 1, after).join('\n')
  const compiled = compile(file, content)
  if (compiled === null) return 'invalid'
  const saved = compiled.map(({ path }) => [path, readFileSync(path, 'utf8')])
  try {
    for (const { path, object } of compiled) {
      const artifact = JSON.parse(readFileSync(path, 'utf8'))
      artifact.bytecode.object = object
      writeFileSync(path, JSON.stringify(artifact))
    }
    return passes(values.tests) ? 'survived' : 'killed'
  } finally {
    for (const [path, text] of saved) writeFileSync(path, text)
  }
}

/** Every contract that is made with the changed file and that tests deploy; null when it does not compile. */
function compile(file, content) {
  const read = (path) => {
    try {
      return { contents: path === file ? content : readFileSync(join(root, path), 'utf8') }
    } catch (error) {
      return { error: String(error) }
    }
  }
  const deployed = globSync('contracts/src/**/*.sol', { cwd: root }).filter((path) => dependsOn(path, file))
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(deployed.map((path) => [path, { content: read(path).contents }])),
    settings: {
      remappings: REMAPPINGS,
      optimizer: { enabled: true, runs: 800 },
      evmVersion: 'cancun',
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: Object.fromEntries(deployed.map((path) => [path, { '*': ['evm.bytecode'] }])),
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: read }))
  if (output.errors?.some(({ severity }) => severity === 'error')) return null
  return Object.entries(output.contracts).flatMap(([path, contracts]) =>
    Object.entries(contracts).flatMap(([name, { evm }]) => {
      const artifact = join(OUT, basename(path), `${name}.json`)
      const isDeployed = evm.bytecode.object !== '' && globSync(artifact).length === 1
      return isDeployed ? [{ path: artifact, object: `0x${evm.bytecode.object}` }] : []
    }),
  )
}

/** Whether a source is the file or imports it, over any number of steps. */
function dependsOn(path, file, seen = new Set()) {
  if (path === file) return true
  if (seen.has(path)) return false
  seen.add(path)
  const text = readFileSync(join(root, path), 'utf8')
  return [...text.matchAll(/from "((?:src|\.)[^"]+)";/g)].some(([, imported]) => {
    const target = imported.startsWith('src/')
      ? `contracts/${imported}`
      : relative(root, join(root, path, '..', imported))
    return target.startsWith('contracts/src/') && dependsOn(target, file, seen)
  })
}

function passes(tests) {
  // Bounds of gas are those of what is deployed, not of what is compiled fast.
  const args = ['test', '--match-path', tests, '--no-match-contract', 'Gas', '--fail-fast', '--quiet']
  return spawnSync(forgeProgram(), args, { cwd: root, env: { ...environment, ...QUICK }, stdio: 'ignore' }).status === 0
}
