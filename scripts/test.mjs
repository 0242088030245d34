// `npm test`: installs what is missing and runs everything: contract tests, then server and end-to-end tests.
// The last line is `N passed, N failed`; a skipped test counts as a failure.
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildContracts, forgeProgram, install, launch } from './setup.mjs'

// `--server-only`: CI runs the server's tests a second time, against servers by URL.
const serverOnly = process.argv.includes('--server-only')

install()
buildContracts({ tests: true })
const results = [...(serverOnly ? [] : [await contractTests()]), await serverTests()]

const total = (field) => results.reduce((sum, result) => sum + result[field], 0)
console.log(`${total('passed')} passed, ${total('failed')} failed`)
process.exitCode = total('failed') === 0 ? 0 : 1

/** Forge's own closing line carries the counts; a run without it has failed whatever it printed. */
async function contractTests() {
  console.log('\nContract tests')
  const forge = launch(forgeProgram(), ['test', '--color', 'never'], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  forge.stdout.on('data', (chunk) => {
    output += chunk
    process.stdout.write(chunk)
  })
  const [code] = await once(forge, 'exit')
  const counts = /: (\d+) tests passed, (\d+) failed, (\d+) skipped \(\d+ total tests\)\s*$/m.exec(output)
  if (!counts) return { passed: 0, failed: 1 }
  const [passed, failed, skipped] = counts.slice(1).map(Number)
  return { passed, failed: failed + skipped + (code !== 0 && failed === 0 ? 1 : 0) }
}

async function serverTests() {
  console.log('\nServer and end-to-end tests')
  const folder = mkdtempSync(join(tmpdir(), 'bourse-results-'))
  const file = join(folder, 'vitest.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const vitest = launch('vitest', ['run', ...(serverOnly ? ['server/'] : []), ...reporters])
  const [code] = await once(vitest, 'exit')
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(readFileSync(file, 'utf8'))
    const failed = numFailedTests + numPendingTests + numTodoTests
    return { passed: numPassedTests, failed: failed + (code !== 0 && failed === 0 ? 1 : 0) }
  } catch (error) {
    console.error(`the server tests left no results: ${error.message}`)
    return { passed: 0, failed: 1 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
