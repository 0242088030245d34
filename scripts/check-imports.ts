// Imports point one way (docs/architecture, README "The map"): a module imports only what stands to its right, a product is
// entered by its index.ts alone, and inside a product a folder imports only what stands to its right, too.
// `node scripts/check-imports.ts` prints every import that does not and exits with 1.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const SOURCES = join(import.meta.dirname, '..', 'server', 'src')

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

/** The imports of one source text that break the direction. `file` is relative to server/src. */
export function violationsOf(file: string, source: string): Violation[] {
  return [...source.matchAll(IMPORT)].flatMap(({ groups = {} }) => {
    const target = groups.from ?? groups.dynamic ?? ''
    const imports = relative('/', resolve('/', dirname(file), target))
    const why = problem({ file, imports, isType: groups.type !== undefined })
    return why ? [{ file, imports, why }] : []
  })
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
  for (const { file, imports, why } of violations) console.log(`${file} imports ${imports}: ${why}`)
  console.log(`${files.length} files, ${violations.length} imports against the direction`)
  process.exitCode = violations.length === 0 ? 0 : 1
}
