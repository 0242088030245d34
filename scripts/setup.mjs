// Makes a fresh clone ready: packages installed. Runs on whatever Node is there (20 or later); the rest
// of the project runs on the Node that npm brings.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))
const binaries = join(root, 'node_modules', '.bin')
const stamp = join(root, 'node_modules', '.bourse-installed')

/** The environment in which the project's own tools come first on the PATH, and a process finds what others compiled. */
export const environment = {
  NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled'),
  ...process.env,
  PATH: `${binaries}${delimiter}${process.env.PATH}`,
}

/** Runs a command to its end with its output shown; ends this process when it fails. */
export function runOrExit(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, env: environment, stdio: 'inherit', ...options })
  if (result.status === 0) return
  process.stderr.write(`\n${[command, ...args].join(' ')} failed${result.error ? `: ${result.error.message}` : ''}\n`)
  process.exit(result.status ?? 1)
}

/**
 * `npm ci` when the packages are missing, belong to another lock file or were mended otherwise; without `development`, those alone that running
 * a venue needs.
 */
export function install({ development }) {
  const hash = createHash('sha256')
  for (const file of ['package-lock.json', 'scripts/patch-postgres.mjs']) hash.update(readFileSync(join(root, file)))
  const digest = hash.digest('hex')
  const whole = `${digest} with development packages`
  const installed = existsSync(stamp) ? readFileSync(stamp, 'utf8') : ''
  if (installed === whole || (!development && installed === digest)) return
  console.log(development ? 'Installing packages (about a minute the first time) …' : 'Installing packages …')
  const omitted = development ? [] : ['--omit=dev']
  runOrExit('npm', ['ci', ...omitted, '--no-audit', '--no-fund', '--loglevel=error'])
  writeFileSync(stamp, development ? whole : digest)
}

/** `npm ci` in a folder whose packages are no part of the project's install, then a look at its types. */
export function installApart(folder) {
  runOrExit('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder })
  runOrExit('tsc', ['-p', '.'], { cwd: folder })
}

/** Forge itself: the wrapper that npm puts on the PATH ends with exit code 0 even when forge fails. */
export function forgeProgram() {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const file = process.platform === 'win32' ? 'forge.exe' : 'forge'
  return createRequire(import.meta.url).resolve(`@foundry-rs/forge-${process.platform}-${arch}/bin/${file}`)
}

/** Starts a long-running child with its output shown. */
export function launch(command, args, options = {}) {
  return spawn(command, args, { cwd: root, env: environment, stdio: 'inherit', ...options })
}
