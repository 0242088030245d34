// Imports point one way (docs/architecture, README "The map"): a module imports only what stands to its right, a product is
// entered by its index.ts alone, and inside a product a folder imports only what stands to its right, too. What stands outside of
// server/src (tests of whole venues, benches, simulations, clients) enters a product by its index.ts or its room `testing`, or by `DOORS`.
// `node scripts/check-imports.ts` prints every import that does not and exits with 1.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const SERVER = 'server/src'
const SOURCES = join(ROOT, SERVER)

/** A folder with an `index.ts`, by which it is entered, is a product. */
const PRODUCTS = globSync('*/index.ts', { cwd: SOURCES }).map((file) => dirname(file))

/** Left to right; modules in one group never import each other. `main` is every file directly in server/src. */
const LAYERS = [
  ['main'],
  ['roles', 'embedded'],
  PRODUCTS,
  ['market'],
  ['reconciliation'],
  ['delegation'],
  ['push'],
  ['auth'],
  ['http'],
  ['chain'],
  ['db'],
  ['lib'],
]

/**
 * The same inside a product. `wiring` is every file directly in its folder that is not named in `GROUND`: what ties the
 * folders together (context, tasks, events, envelope, …).
 */
const PRODUCT_LAYERS = [
  ['index'],
  ['wiring'],
  ['routes', 'streams', 'deploy', 'reconciliation'],
  ['kept'],
  ['sending', 'keeper'],
  ['preview'],
  ['orders', 'actions'],
  ['portfolio'],
  ['access'],
  ['recording'],
  ['indexing'],
  ['client'],
  ['market-data'],
  ['calldata', 'listing', 'reverts'],
  ['maths'],
  ['ground'],
]

/** What every folder of a product may stand on: its SQL, words, units and forms. */
const GROUND = ['store', 'schemas', 'reasons', 'examples', 'units', 'signing', 'calldata-hash']

/** What of a product is known outside of server/src beyond its `index.ts` and its `testing`, each with the reason. */
const DOORS: Readonly<Record<string, string>> = {
  'perp/actions/trade-terms.ts': 'the size that the app fills in is compared with what the venue asks for it',
  'perp/calldata/calls.ts':
    'traders of a bench send calldata without asking the API for it, and what the app reads of calls is compared with what the venue makes',
  'perp/calldata/words.ts': 'what the app reads of calldata is compared with what the venue packs into it',
  'perp/deploy/core.ts': 'a deployment is judged by where its instruments come to stand',
  'perp/envelope.ts': 'the table of codes in the guide is compared with what the venue answers',
  'perp/kept/kept-order.ts': 'the prices that the app refuses are compared with those that the venue does',
  'perp/listing/catalogue.ts': 'a chain without an API is asked what is listed',
  'perp/market-data/order-book.ts': 'the size that the app fills in is reckoned from a book',
  'perp/maths/funding.ts': 'compared with the reference model',
  'perp/maths/tick.ts': 'traders of a bench choose prices by ticks',
  'perp/maths/tip.ts': 'compared with the reference model',
  'perp/reconciliation/reconcile.ts': 'the random campaign compares books and chain after each of its parts',
  'stock/calldata/calldata.ts':
    'buyers of a bench send calldata without asking the API for it; the app reads what is packed into it',
  'stock/keeper/hedges.ts': 'no operation says what the venue has hedged',
  'stock/listing/price-id.ts': 'the oracle knows a stock by it',
  'stock/orders/rejection-reason.ts': 'a row of the database is compared by the code',
  'stock/reconciliation/supply.ts': 'supplies are compared with the chain after each fault',
  'stock/recording/claim-store.ts': 'a bench of streams records without the cost of a request',
  'stock/reverts/stock-reverts.ts': 'a settlement that a kill let revert is named',
}

const IMPORT =
  /(?:^|[\s;])(?:import|export)\s(?<type>type\s)?(?:[^'"]*?\sfrom\s)?\s*'(?<from>\.[^']*)'|\bimport\(\s*'(?<dynamic>\.[^']*)'\s*\)/g

export interface Violation {
  readonly file: string
  readonly imports: string
  readonly why: string
}

interface Import {
  readonly file: string
  readonly imports: string
  /** Type-only import: nothing of it is left when the code runs. */
  readonly isType: boolean
}

function importsOf(file: string, source: string): Import[] {
  return [...source.matchAll(IMPORT)].map(({ groups = {} }) => {
    const target = groups.from ?? groups.dynamic ?? ''
    return { file, imports: relative('/', resolve('/', dirname(file), target)), isType: groups.type !== undefined }
  })
}

/** The imports of one source text that break the direction. `file` is relative to server/src. */
export function violationsOf(file: string, source: string): Violation[] {
  return importsOf(file, source).flatMap((one) => {
    const why = problem(one)
    return why ? [{ file, imports: one.imports, why }] : []
  })
}

/** What a source text that stands outside of server/src imports of products. `file` is relative to the repository. */
export function enteredBy(file: string, source: string): readonly string[] {
  return importsOf(file, source)
    .filter(({ imports }) => imports.startsWith(`${SERVER}/`))
    .map(({ imports }) => relative(SERVER, imports))
    .filter((imports) => PRODUCTS.includes(moduleOf(imports)))
}

/** Why nothing outside of server/src may enter a product there; null where it may. */
export function closedDoor(imports: string): string | null {
  const product = moduleOf(imports)
  if (imports === `${product}/index.ts` || imports.startsWith(`${product}/testing/`) || imports in DOORS) return null
  return `${product} is entered by its index.ts, its testing or a door of the list in scripts/check-imports.ts`
}

function problem(one: Import): string | null {
  const [from, to] = [moduleOf(one.file), moduleOf(one.imports)]
  if (from === to) return PRODUCTS.includes(from) ? insideProblem(from, one) : null
  const wrong = directionProblem(LAYERS, from, to)
  if (wrong) return wrong
  const entersAside = PRODUCTS.includes(to) && one.imports !== `${to}/index.ts`
  return entersAside ? `${to} is entered by ${to}/index.ts alone` : null
}

function directionProblem(layers: readonly (readonly string[])[], from: string, to: string): string | null {
  const layerOf = (name: string): number => layers.findIndex((layer) => layer.includes(name))
  const [left, right] = [layerOf(from), layerOf(to)]
  if (left < 0 || right < 0) return `${left < 0 ? from : to} is no known module`
  if (left === right) return `${from} and ${to} never import each other`
  return left > right ? `${from} stands to the right of ${to}` : null
}

/** Tests look at whatever they judge; what they share in `testing` does, too. */
const isTest = (file: string): boolean => /\.test\.ts$|\/testing/.test(file)

function insideProblem(product: string, { file, imports, isType }: Import): string | null {
  if (isTest(file)) return null
  const [from, to] = [roomOf(product, file), roomOf(product, imports)]
  // What the folders work with is known to all of them by its type; only the product itself makes one.
  const isContext = isType && imports === `${product}/context.ts`
  return from === to || isContext ? null : directionProblem(PRODUCT_LAYERS, from, to)
}

/** The folder of a product that a file is in; `index`, `ground` or `wiring` when it is in none. */
function roomOf(product: string, file: string): string {
  const inside = file.slice(product.length + 1)
  if (inside.includes('/')) return inside.split('/')[0] ?? ''
  const name = inside.replace(/\.ts$/, '')
  if (name === 'index') return name
  return GROUND.includes(name) ? 'ground' : 'wiring'
}

const moduleOf = (file: string): string => (file.includes('/') ? (file.split('/')[0] ?? '') : 'main')

if (import.meta.main) {
  const files = globSync('**/*.ts', { cwd: SOURCES })
  const violations = files.flatMap((file) => violationsOf(file, readFileSync(join(SOURCES, file), 'utf8')))
  const outside = globSync('**/*.{ts,tsx}', {
    cwd: ROOT,
    exclude: (name) => name.endsWith('node_modules') || name === SERVER,
  })
  const entered = outside.flatMap((file) =>
    enteredBy(file, readFileSync(join(ROOT, file), 'utf8')).map((imports) => ({ file, imports })),
  )
  for (const { file, imports } of entered) {
    const why = closedDoor(imports)
    if (why) violations.push({ file, imports, why })
  }
  const unused = Object.keys(DOORS).filter((door) => !entered.some(({ imports }) => imports === door))
  for (const { file, imports, why } of violations) console.log(`${file} imports ${imports}: ${why}`)
  for (const door of unused) console.log(`${door} is a door that nobody uses`)
  console.log(`${files.length + outside.length} files, ${violations.length} imports against the direction`)
  process.exitCode = violations.length + unused.length === 0 ? 0 : 1
}
