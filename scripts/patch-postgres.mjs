// Mends faults of postgres.js 3.4.9 in how it treats a lost connection (its issues 1066, 1154 and 1208): a write to
// a connection already closed threw outside of any promise and so ended the process, what was not yet written stayed in
// the buffer of the next connection, and a transaction whose connection was lost went on, outside any transaction, on the
// connection opened in its place; and a connection lost while it was being set up rejected a promise that nobody holds.
// And lets a pool use the connection that became free last, not the one that has been free for longest: what a
// connection of PostgreSQL has planned and looked up is its own (docs/decisions/008-postgres-driver.md). And asks once a pool, not
// once a connection, which types have arrays; a connection that is opened to be reserved and has nothing to ask is handed over all the same.
// Runs after every installation of the packages; does nothing the second time, and refuses what another version of this file has mended.
import { createHash } from 'node:crypto'
import { readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SELF = fileURLToPath(import.meta.url)
const VERSION = '3.4.9'
const MARK = '// mended by scripts/patch-postgres.mjs'

export const changes = {
  'connection.js': [
    [
      `    if (terminated)\n      return queryError(q,`,
      `    if (!socket && !terminated) {\n      queryError(q, Errors.connection('CONNECTION_CLOSED', options))\n      return true\n    }\n\n    if (terminated)\n      return queryError(q,`,
    ],
    [
      `    const x = socket.write(chunk, fn)\n`,
      `    if (!socket) {\n      chunk = nextWriteTimer = null\n      return true\n    }\n\n    const x = socket.write(chunk, fn)\n`,
    ],
    [
      `    clearImmediate(nextWriteTimer)\n    socket.removeListener('data', data)\n`,
      `    clearImmediate(nextWriteTimer)\n    chunk = nextWriteTimer = null\n    socket.removeListener('data', data)\n`,
    ],
    [
      `    \`], [], execute)\n    types.forEach(`,
      `    \`], [], execute).catch(() => [])\n    options.shared.typesKnown = types.length > 0\n    types.forEach(`,
    ],
    [`      if (needsTypes) {\n`, `      if (needsTypes && !options.shared.typesKnown) {\n`],
    [
      `      initial && !initial.reserve && execute(initial)\n      options.shared.retries = retries = 0\n      initial = null\n`,
      `      const reserving = initial.reserve\n      !reserving && execute(initial)\n      options.shared.retries = retries = 0\n      initial = null\n      reserving && onopen(connection)\n`,
    ],
  ],
  'index.js': [
    [
      `      , connection\n      , prepare = null\n`,
      `      , connection\n      , prepare = null\n      , lost = null\n`,
    ],
    [
      `new Promise((_, reject) => connection.onclose = reject)`,
      `new Promise((_, reject) => connection.onclose = error => reject(lost = error))`,
    ],
    [`    const c = open.length\n      ? open.shift()\n`, `    const c = open.length\n      ? open.pop()\n`],
    [
      `    if (open.length)\n      return go(open.shift(), query)\n`,
      `    if (open.length)\n      return go(open.pop(), query)\n`,
    ],
    [
      `        q.catch(e => uncaughtError || (uncaughtError = e))\n`,
      `        q.catch(e => uncaughtError || (uncaughtError = e))\n        if (lost)\n          return q.reject(lost)\n`,
    ],
  ],
  'queue.js': [
    [
      `    push: (x) => (xs.push(x), x),\n`,
      `    push: (x) => (xs.push(x), x),\n    pop: () => {\n      const out = xs.pop()\n\n      if (index === xs.length) {\n        index = 0\n        xs = []\n      }\n\n      return out\n    },\n`,
    ],
  ],
}

const version = createHash('sha256').update(JSON.stringify(changes)).digest('hex').slice(0, 16)
const heading = `${MARK}, version ${version}\n`

/** Mends the sources in a folder, all of them or none. */
export function mend(folder) {
  const mended = Object.entries(changes).flatMap(([file, replacements]) => {
    const path = join(folder, file)
    const text = readFileSync(path, 'utf8')
    if (text.startsWith(heading)) return []
    if (text.startsWith(MARK)) throw new Error(`${path} was mended by another version of ${SELF}: npm ci`)
    return [[path, heading + patched(text, replacements, file)]]
  })
  for (const [path, text] of mended) writeFileSync(path, text)
}

function patched(text, replacements, file) {
  let result = text
  for (const [from, to] of replacements) {
    if (result.split(from).length !== 2) throw new Error(`postgres/src/${file} is not the text that is known: ${from}`)
    result = result.replace(from, () => to)
  }
  return result
}

function mendInstalled() {
  const folder = fileURLToPath(new URL('../node_modules/postgres', import.meta.url))
  const installed = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version
  if (installed !== VERSION)
    throw new Error(`postgres is ${installed}: see whether it still needs mending, then adapt this file`)
  mend(join(folder, 'src'))
}

// Not under a test. A folder may have been called by a link to it.
if (realpathSync(process.argv[1]) === SELF) mendInstalled()
