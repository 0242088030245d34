// `npm test`: installs what is missing and runs everything: contract tests, then server and end-to-end tests.
// The last line is `N passed, N failed`; a skipped test counts as a failure.
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DIGESTS, digestOfFiles, solidityIn } from './contract-trees.mjs'
import { runVitest } from './run-vitest.mjs'
import { environment, forgeProgram, install, launch, root, runOrExit } from './setup.mjs'

// `--fast`: what a change is tried with again and again: tests that start no chain, and the contracts that changed; no campaigns.
// `--whole`: with campaigns at full length, as CI runs them.
// `--server-only`: what servers by URL can change, for CI's second pass over PostgreSQL and Redis by URL.
const isFast = process.argv.includes('--fast')
const isWhole = process.argv.includes('--whole')
const serverOnly = process.argv.includes('--server-only')
const projects = isFast ? ['unit', 'db'] : serverOnly ? ['db', 'venue'] : []

/** Folders of contracts/test by the run that tests them, and the trees whose artifacts these deploy. */
const CONTRACT_TESTS = {
  stock: {
    folders: ['stock', 'delegation', 'follow', 'invariant/stock', 'invariant/delegation'],
    deployed: ['stock', 'development'],
  },
  perp: { folders: ['perp', 'invariant/perp'], deployed: ['stock', 'perp', 'development'] },
}

/**
 * What is tested is deployed from contracts/artifacts. Of contracts/src nothing is compiled then but what tests import, and
 * optimizing the tests takes three times the time of all the rest of compiling, and makes their runs no faster.
 */
const AS_DEPLOYED = { FOUNDRY_SRC: 'contracts/test/tokens', FOUNDRY_OPTIMIZER: 'false' }

const SHOWN_OF_FAILED = 4000

install({ development: true })
runOrExit('node', ['scripts/generate-contracts.mjs'])
// One after the other: side by side they take four times the processor time on two cores.
const results = [...(serverOnly ? [] : [await contractTests()]), await serverTests()]

for (const { problems = [] } of results) for (const problem of problems) console.log(problem)
console.log(`${sum(results, 'passed')} passed, ${sum(results, 'failed')} failed`)
process.exitCode = sum(results, 'failed') === 0 ? 0 : 1

function sum(list, field) {
  return list.reduce((total, result) => total + result[field], 0)
}

/**
 * A compiler takes one core, so the two products are compiled and tested side by side. Forge's own closing line carries
 * the counts; a run without it has failed whatever it printed.
 */
async function contractTests() {
  console.log('\nContract tests')
  const folders = Object.values(CONTRACT_TESTS).flatMap((run) => run.folders)
  const isListed = (file) => folders.some((folder) => file.startsWith(`contracts/test/${folder}/`))
  const unlisted = solidityIn('contracts/test').filter((file) => file.endsWith('.t.sol') && !isListed(file))
  if (unlisted.length > 0) throw new Error(`no run of contract tests has ${unlisted.join(', ')}: see CONTRACT_TESTS`)
  const trees = Object.entries(CONTRACT_TESTS).filter(([name]) => !isFast || passedWith(name) !== testedDigest(name))
  if (trees.length === 0) console.log('No contract changed since they passed.')
  const results = await Promise.all(trees.map(testContracts))
  const problems = results.flatMap((result) => result.problems)
  return { passed: sum(results, 'passed'), failed: sum(results, 'failed'), problems }
}

/** The state of the contracts that a product's tests last passed with. */
function passedWith(name) {
  return existsSync(passedFile(name)) ? readFileSync(passedFile(name), 'utf8') : ''
}

function passedFile(name) {
  return join(root, 'contracts', 'cache', name, 'passed')
}

/** Changes when anything does that a run of contract tests depends on: its files, what they import and what they deploy. */
function testedDigest(name) {
  const { folders, deployed } = CONTRACT_TESTS[name]
  const artifacts = JSON.parse(readFileSync(DIGESTS, 'utf8'))
  const settings = readFileSync(join(root, 'foundry.toml'), 'utf8')
  return digestOfFiles(
    folders.map((folder) => `contracts/test/${folder}`),
    [settings, deployed.map((tree) => artifacts[tree])],
  )
}

async function testContracts([name, { folders }]) {
  // Campaigns take as long as all the rest, and are for `npm test`, like those of sim/.
  const chosen = folders.filter((folder) => !isFast || !folder.startsWith('invariant/'))
  const files = `contracts/test/{${chosen.join(',')}}/**`
  const places = { FOUNDRY_OUT: `contracts/out/${name}`, FOUNDRY_CACHE_PATH: `contracts/cache/${name}` }
  const forge = launch(forgeProgram(), ['test', '--color', 'never', '--match-path', files], {
    env: { ...environment, ...places, ...AS_DEPLOYED, FOUNDRY_PROFILE: isWhole ? 'whole' : 'default' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [forge.stdout, forge.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  const [code] = await once(forge, 'close')
  process.stdout.write(output)
  const counts = /: (\d+) tests passed, (\d+) failed, (\d+) skipped \(\d+ total tests\)\s*$/m.exec(output)
  if (!counts) return { passed: 0, failed: 1, problems: [lastOf(name, output)] }
  const [passed, failed, skipped] = counts.slice(1).map(Number)
  const bad = failed + skipped + (code !== 0 && failed === 0 ? 1 : 0)
  if (bad === 0) writeFileSync(passedFile(name), testedDigest(name))
  return { passed, failed: bad, problems: bad === 0 ? [] : [lastOf(name, output)] }
}

/** What a run of contract tests said at its end, to be told again where it failed: thousands of lines follow it. */
function lastOf(name, output) {
  return `\nContract tests of ${name} failed:\n…${output.slice(-SHOWN_OF_FAILED)}`
}

async function serverTests() {
  console.log('\nServer and end-to-end tests')
  return await runVitest(projects, {
    secondTry: isWhole || serverOnly,
    campaigns: isWhole ? 'whole' : 'short',
  })
}
