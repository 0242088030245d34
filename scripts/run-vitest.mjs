// The tests that vitest runs, with a second try for CI: docs/decisions/second-try.md.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { environment, launch } from './setup.mjs'
import { testFolder } from './test-folder.mjs'

/** More files than these do not fail by the machine's load. */
const MOST_TRIED_AGAIN = 8
const SLOWEST_SHOWN = 15

/** Runs the tests of some projects, or of all, with `campaigns` short or whole; answers how many passed and failed. */
export async function runVitest(projects, { secondTry, campaigns }) {
  const options = projects.map((name) => `--project=${name}`)
  const first = await run(options, campaigns)
  tellSlowest(first)
  const failed = first.files.filter((file) => file.failed > 0)
  if (!secondTry || first.stray.length > 0 || failed.length === 0 || failed.length > MOST_TRIED_AGAIN)
    return count(first)
  const names = failed.map(({ file }) => file)
  console.log(`\nA second try, one file at a time: ${names.join(', ')}`)
  const second = await run([...options, '--maxWorkers=1', ...names], campaigns)
  const result = count(merged(first, second))
  const unsteady = second.files.filter((file) => file.failed === 0).map(({ file }) => file)
  if (unsteady.length > 0) console.log(`\nUnsteady, passed at the second try only: ${unsteady.join(', ')}`)
  return result
}

/** The first results, with those of the files that were run again in their place. */
export function merged(first, second) {
  const again = new Map(second.files.map((file) => [file.file, file]))
  return { files: first.files.map((file) => again.get(file.file) ?? file), stray: [...first.stray, ...second.stray] }
}

export function count({ files, stray }) {
  const sum = (field) => files.reduce((total, file) => total + file[field], 0)
  return { passed: sum('passed'), failed: sum('failed') + stray.length }
}

/** What a run waits for is its longest files: whoever wants it shorter begins there. */
function tellSlowest({ files }) {
  const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST_SHOWN)
  console.log(
    `Slowest files, seconds: ${slowest.map(({ file, seconds }) => `${file} ${Math.round(seconds)}`).join(', ')}`,
  )
}

async function run(args, campaigns) {
  const { folder, remove } = testFolder()
  const file = join(folder, 'report.json')
  const reporters = ['--reporter=default', '--reporter=./scripts/test-report.ts']
  const settings = { TEST_REPORT: file, TEST_CAMPAIGNS: campaigns, TMPDIR: folder }
  const vitest = launch('vitest', ['run', ...reporters, ...args], { env: { ...environment, ...settings } })
  const [code] = await once(vitest, 'exit')
  try {
    const result = JSON.parse(readFileSync(file, 'utf8'))
    const isBad = count(result).failed > 0
    return code !== 0 && !isBad ? { ...result, stray: [`vitest ended with exit code ${code}`] } : result
  } catch (error) {
    return { files: [], stray: [`the tests left no results: ${error.message}`] }
  } finally {
    remove()
  }
}
