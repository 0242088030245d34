// Mends faults of postgres.js 3.4.9 in how it treats a lost connection (its issues 1066, 1154 and 1208): a write to
// a connection already closed threw outside of any promise and so ended the process, what was not yet written stayed in
// the buffer of the next connection, and a transaction whose connection was lost went on, outside any transaction, on the
// connection opened in its place; and a connection lost while it was being set up rejected a promise that nobody holds.
// And lets a pool use the connection that became free last, not the one that has been free for longest: what a
// connection of PostgreSQL has planned and looked up is its own (docs/decisions/008-postgres-driver.md). And asks once a pool, not
// once a connection, which types have arrays; a connection that is opened to be reserved and has nothing to ask is handed over all the same.
// Runs after every installation of the packages; does nothing the second time.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const VERSION = '3.4.9'
const MARK = '// mended by scripts/patch-postgres.mjs\n'

const changes = {
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

function patched(text, replacements, file) {
  let result = text
  for (const [from, to] of replacements) {
    if (result.split(from).length !== 2) throw new Error(`postgres/src/${file} is not the text that is known: ${from}`)
    result = result.replace(from, () => to)
  }
  return MARK + result
}

const source = fileURLToPath(new URL('../node_modules/postgres/src', import.meta.url))
const { version } = JSON.parse(readFileSync(join(source, '..', 'package.json'), 'utf8'))
if (version !== VERSION)
  throw new Error(`postgres is ${version}: see whether it still needs mending, then adapt this file`)
for (const [file, replacements] of Object.entries(changes)) {
  const path = join(source, file)
  const text = readFileSync(path, 'utf8')
  if (!text.startsWith(MARK)) writeFileSync(path, patched(text, replacements, file))
}
