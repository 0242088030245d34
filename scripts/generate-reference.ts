// Writes docs/reference and docs/errors: the API as its own schemas and tables of reasons describe it.
// `node scripts/generate-reference.ts` writes; with `--check` it compares, prints what differs and exits with 1.

import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Auth } from '../server/src/auth/auth.ts'
import { loadValues } from '../server/src/config.ts'
import { openSendDesk } from '../server/src/delegation/send-desk.ts'
import { asyncApiDocument } from '../server/src/http/asyncapi.ts'
import { errorIndexMarkdown, errorMarkdown } from '../server/src/http/error-reference.ts'
import { openApiDocument } from '../server/src/http/openapi.ts'
import { operationsMarkdown } from '../server/src/http/operations-markdown.ts'
import type { Venue } from '../server/src/http/product.ts'
import { documentUrl } from '../server/src/http/reference-routes.ts'
import { openProducts, products } from '../server/src/roles/products.ts'
import { reasonTables } from '../server/src/roles/reasons.ts'

const root = join(import.meta.dirname, '..')
const FOLDERS = ['docs/reference', 'docs/errors']

/** A venue of which only the shapes of its operations are asked. */
const contracts = new Proxy<Record<string, `0x${string}`>>({}, { get: () => `0x${'00'.repeat(20)}` })
const venue = { deployment: { chainId: 31_337, startBlock: 0n, contracts } } as unknown as Venue

/** Every product as the document shows it: with default settings, and nobody to know callers by. */
export const productsToDocument = () =>
  openProducts(products, venue, loadValues({})).map((product) =>
    product.serve({ auth: {} as Auth, desk: openSendDesk(venue) }),
  )

/** Every generated file by its path. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const documented = productsToDocument()
  const tables = reasonTables(products)
  const files = new Map<string, string>()
  for (const [index, product] of documented.entries()) {
    const document = openApiDocument(product)
    const place = {
      file: index === 0 ? 'openapi.json' : `${product.name}-openapi.json`,
      url: documentUrl(index, product.name),
    }
    files.set(`docs/reference/${place.file}`, `${JSON.stringify(document, null, 2)}\n`)
    const stream = asyncApiDocument(product)
    const streamPlace = {
      file: index === 0 ? 'asyncapi.json' : `${product.name}-asyncapi.json`,
      url: documentUrl(index, product.name, 'asyncapi'),
    }
    if (stream) files.set(`docs/reference/${streamPlace.file}`, `${JSON.stringify(stream, null, 2)}\n`)
    files.set(`docs/reference/${product.name}-api.md`, operationsMarkdown(document, place, stream && streamPlace))
  }
  const references = documented.map(({ reference }) => reference)
  files.set('docs/errors/README.md', errorIndexMarkdown(tables))
  for (const table of tables) files.set(`docs/errors/${table.name}.md`, errorMarkdown(table, references))
  return files
}

/** Paths whose file on disk is not the generated one, or should not be there. */
export function staleFiles(files: ReadonlyMap<string, string>): string[] {
  const present = globSync(
    FOLDERS.map((folder) => `${folder}/*`),
    { cwd: root },
  )
  const read = (path: string) => (present.includes(path) ? readFileSync(join(root, path), 'utf8') : null)
  const stale = [...files].flatMap(([path, text]) => (read(path) === text ? [] : [path]))
  return [...stale, ...present.filter((path) => !files.has(path))]
}

function write(files: ReadonlyMap<string, string>): void {
  for (const path of staleFiles(files)) {
    const text = files.get(path)
    if (text === undefined) {
      rmSync(join(root, path))
      continue
    }
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}

if (import.meta.main) {
  const files = generatedFiles()
  if (process.argv.includes('--check')) {
    const stale = staleFiles(files)
    for (const path of stale)
      console.log(`${path} is not what its sources make of it: run node scripts/generate-reference.ts`)
    console.log(`${files.size} generated files, ${stale.length} stale`)
    process.exitCode = stale.length === 0 ? 0 : 1
  } else {
    write(files)
  }
}
