// `npm test`: installs what is missing and runs everything: contract tests, then server and end-to-end tests.
// The last line is `N passed, N failed`; a skipped test counts as a failure.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DIGESTS, solidityIn } from './contract-trees.mjs'
import { runVitest } from './run-vitest.mjs'
import { environment, forgeProgram, install, launch, root, runOrExit } from './setup.mjs'

// `--fast`: what a change is tried with again and again: tests that start no chain, and the contracts that changed.
// `--whole`: with campaigns at full length, as CI runs them.
// `--server-only`: what servers by URL can change, for CI's second pass over PostgreSQL and Redis by URL.
const isFast = process.argv.includes('--fast')
const isWhole = process.argv.includes('--whole')
const serverOnly = process.argv.includes('--server-only')
const projects = isFast ? ['unit', 'db'] : serverOnly ? ['db', 'venue'] : []

/** Folders of contracts/test by the run that tests them. */
const CONTRACT_TESTS = {
  stock: ['stock', 'delegation', 'follow', 'invariant/stock', 'invariant/delegation'],
  perp: ['perp', 'invariant/perp'],
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
  const folders = Object.values(CONTRACT_TESTS).flat()
  const isListed = (file) => folders.some((folder) => file.startsWith(`contracts/test/${folder}/`))
  const unlisted = solidityIn('contracts/test').filter((file) => file.endsWith('.t.sol') && !isListed(file))
  if (unlisted.length > 0) throw new Error(`no run of contract tests has ${unlisted.join(', ')}: see CONTRACT_TESTS`)
  const trees = Object.entries(CONTRACT_TESTS).filter(([name]) => !isFast || passedWith(name) !== contractsDigest())
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

function contractsDigest() {
  const hash = createHash('sha256')
    .update(readFileSync(DIGESTS))
    .update(readFileSync(join(root, 'foundry.toml')))
  for (const file of solidityIn('contracts/test').sort()) hash.update(file).update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

async function testContracts([name, folders]) {
  const files = `contracts/test/{${folders.join(',')}}/**`
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
  if (bad === 0) writeFileSync(passedFile(name), contractsDigest())
  return { passed, failed: bad, problems: bad === 0 ? [] : [lastOf(name, output)] }
}

/** What a run of contract tests said at its end, to be told again where it failed: thousands of lines follow it. */
function lastOf(name, output) {
  return `\nContract tests of ${name} failed:\n…${output.slice(-SHOWN_OF_FAILED)}`
}

async function serverTests() {
  console.log('\nServer and end-to-end tests')
  return await runVitest(projects, { secondTry: isWhole || serverOnly, campaigns: isWhole ? 'whole' : 'short' })
}
