// Every check that runs no test: types, style, import direction, unused code, generated reference, Solidity format.
// Runs all of them, two at a time, and fails when one does.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { environment, forgeProgram, root } from './setup.mjs'

const AT_ONCE = 2

/** The longest first. */
const checks = [
  ['types', 'tsc', ['-p', '.']],
  ['types of the app', 'tsc', ['-p', 'web']],
  ['types of the client library', 'tsc', ['-p', 'sdk']],
  ['unused code', 'knip', []],
  ['style', 'biome', ['ci', '--error-on-warnings', '.']],
  ['import direction', 'node', ['scripts/check-imports.ts']],
  ['generated reference', 'node', ['scripts/generate-reference.ts', '--check']],
  ['generated client library', 'node', ['scripts/generate-sdk.ts', '--check']],
  ['Solidity format', forgeProgram(), ['fmt', '--check']],
]

const waiting = [...checks]
const failed = (await Promise.all(Array.from({ length: AT_ONCE }, work))).flat()
console.log(failed.length === 0 ? '\nAll checks passed.' : `\nFailed: ${failed.join(', ')}`)
process.exitCode = failed.length === 0 ? 0 : 1

/** Runs one check after the other until none waits; the names of those that failed. */
async function work() {
  const failed = []
  for (let check = waiting.shift(); check; check = waiting.shift()) {
    const [name] = check
    const { code, output } = await run(check)
    console.log(`\n-- ${name}\n${output}`)
    if (code !== 0) failed.push(name)
  }
  return failed
}

async function run([, command, args]) {
  const child = spawn(command, args, { cwd: root, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk))
  const [code] = await once(child, 'close').catch((error) => {
    output.push(Buffer.from(String(error)))
    return [1]
  })
  return { code, output: Buffer.concat(output).toString().trimEnd() }
}
