// `npm run lock`: writes package-lock.json, and those of the adapter for bots and of Ponder, anew from package.json, then completes it.
//
// A platform's binary that the registry at hand does not carry is left out of the lock file by npm, and `npm ci` then
// refuses the file on every machine. Such a package is named by its parent with an exact version, so its entry can be
// written without asking for it: it is installed only on the platform it is for.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, runOrExit } from './setup.mjs'

/** What the parts of a platform package's name mean for npm's `os`, `cpu` and `libc`. */
const SYSTEMS = { android: 'android', darwin: 'darwin', freebsd: 'freebsd', linux: 'linux', openharmony: 'openharmony' }
const WINDOWS = { win32: 'win32', windows: 'win32' }
const PROCESSORS = { x64: 'x64', amd64: 'x64', arm64: 'arm64', arm: 'arm', ia32: 'ia32', ppc64: 'ppc64' }
const OTHER_PROCESSORS = { riscv64: 'riscv64', s390x: 's390x', wasm32: 'wasm32', loong64: 'loong64' }
const LIBRARIES = { gnu: 'glibc', gnueabihf: 'glibc', musl: 'musl', musleabihf: 'musl' }

export function platformOf(name) {
  const parts = name.split(/[-/]/)
  const pick = (table) => parts.flatMap((part) => (table[part] ? [table[part]] : []))
  const [os] = pick({ ...SYSTEMS, ...WINDOWS })
  const [cpu] = pick({ ...PROCESSORS, ...OTHER_PROCESSORS })
  const [libc] = pick(LIBRARIES)
  return {
    ...(os ? { os: [os] } : {}),
    ...(cpu ? { cpu: [cpu] } : {}),
    ...(os === 'linux' && libc ? { libc: [libc] } : {}),
  }
}

/** Adds the optional packages that are named but missing; answers how many. */
export function complete(lock) {
  let added = 0
  for (const entry of Object.values({ ...lock.packages })) {
    for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
      const path = `node_modules/${name}`
      const platform = platformOf(name)
      if (lock.packages[path] || Object.keys(platform).length === 0) continue
      const version = range.replace(/^[~^]/, '')
      lock.packages[path] = { version, ...platform, ...(entry.dev ? { dev: true } : {}), optional: true }
      added++
    }
  }
  return added
}

/** Writes the lock file of a folder anew from its package.json and those of its workspaces. */
function writeLock(place) {
  const from = join(root, place)
  const folder = mkdtempSync(join(tmpdir(), 'bourse-lock-'))
  const { workspaces = [] } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'))
  for (const part of ['.', ...workspaces]) {
    mkdirSync(join(folder, part), { recursive: true })
    writeFileSync(join(folder, part, 'package.json'), readFileSync(join(from, part, 'package.json')))
  }
  runOrExit(
    'npm',
    ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    { cwd: folder },
  )
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))
  rmSync(folder, { recursive: true })
  const added = complete(lock)
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)))
  for (const entry of Object.values(lock.packages)) if (!entry.link) delete entry.resolved
  const file = join(place, 'package-lock.json')
  writeFileSync(join(root, file), `${JSON.stringify(lock, null, 2)}\n`)
  console.log(`${file}: ${Object.keys(lock.packages).length - 1} packages, ${added} of other platforms completed`)
}

if (import.meta.url === `file://${process.argv[1]}`) for (const place of ['.', 'ccxt', 'bench/ponder']) writeLock(place)
