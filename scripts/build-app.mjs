// Builds the app of web/ into web/dist when its sources, or those of the client library that it stands on, have changed since.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { environment, root } from './setup.mjs'

const DIST = join(root, 'web', 'dist')
const STAMP = join(DIST, '.sources')
/** Names the process that is building, for a venue that starts meanwhile. */
const MARKER = join(root, 'web', '.building')
const FOLDERS = ['web', 'sdk/src']
/** Whoever builds: the tests' own NODE_ENV, `test`, brought browsers what libraries have for developers, a tenth more of script. */
const ENVIRONMENT = { ...environment, NODE_ENV: 'production' }
const LEFT_OUT = /^(\.building|dist|node_modules|e2e|screenshots|tests)(\/|$)/

/** Changes when anything does that the app is built of. */
function digest() {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')))
  for (const folder of FOLDERS) {
    const files = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !LEFT_OUT.test(path.slice(join(root, folder).length + 1).replaceAll('\\', '/')))
    for (const path of files.sort()) hash.update(`\n${path.slice(root.length)}\n`).update(readFileSync(path))
  }
  return hash.digest('hex')
}

/** Whether this process serves the app, and the app is not what its sources make of it. */
export function appIsStale(roles = process.env.ROLES) {
  if (!existsSync(join(root, 'web', 'index.html'))) return false
  if (roles && !roles.split(',').includes('api')) return false
  return !existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== digest()
}

/** Builds it; resolves with whether that went well. The marker is there before this returns, until the build has ended. */
export function buildApp() {
  const before = digest()
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  const args = [vite, 'build', join(root, 'web'), '--logLevel', 'error']
  const build = spawn('node', args, { cwd: root, env: ENVIRONMENT, stdio: ['ignore', 'inherit', 'inherit'] })
  writeFileSync(MARKER, String(build.pid ?? 0))
  return new Promise((resolve) => {
    const end = (isBuilt) => {
      if (isBuilt) writeFileSync(STAMP, before)
      rmSync(MARKER, { force: true })
      resolve(isBuilt)
    }
    build.on('error', () => end(false))
    build.on('exit', (code) => end(code === 0))
  })
}

if (import.meta.filename === process.argv[1] && appIsStale()) process.exitCode = (await buildApp()) ? 0 : 1
