// Every check that runs no test: types, style, import direction, unused code, generated reference, Solidity format.
// Runs all of them and fails when one does.
import { spawnSync } from 'node:child_process'
import { environment, forgeProgram, root } from './setup.mjs'

const checks = [
  ['types', 'tsc', ['-p', '.']],
  ['types of the client library', 'tsc', ['-p', 'sdk']],
  ['types of the app', 'tsc', ['-p', 'web']],
  ['style', 'biome', ['ci', '--error-on-warnings', '.']],
  ['import direction', 'node', ['scripts/check-imports.ts']],
  ['unused code', 'knip', []],
  ['generated reference', 'node', ['scripts/generate-reference.ts', '--check']],
  ['generated client library', 'node', ['scripts/generate-sdk.ts', '--check']],
  ['Solidity format', forgeProgram(), ['fmt', '--check']],
]

const failed = checks.filter(([name, command, args]) => {
  console.log(`\n-- ${name}`)
  return spawnSync(command, args, { cwd: root, env: environment, stdio: 'inherit' }).status !== 0
})
console.log(failed.length === 0 ? '\nAll checks passed.' : `\nFailed: ${failed.map(([name]) => name).join(', ')}`)
process.exitCode = failed.length === 0 ? 0 : 1
