// Imports point one way (docs/architecture, README "The map"): a module imports only what stands to its right.
// `node scripts/check-imports.ts` prints every import that does not and exits with 1.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

/** Left to right; modules in one group never import each other. `main` is every file directly in server/src. */
const LAYERS = [
  ['main'],
  ['roles'],
  ['stock', 'perp'],
  ['market'],
  ['delegation'],
  ['auth'],
  ['http'],
  ['chain'],
  ['db'],
  ['lib'],
]

const IMPORT = /(?:^|[\s;])(?:import|export)\s(?:[^'"]*?\sfrom\s)?\s*'(\.[^']*)'|\bimport\(\s*'(\.[^']*)'\s*\)/g

export interface Violation {
  readonly file: string
  readonly imports: string
  readonly why: string
}

/** The imports of one source text that break the direction. `file` is relative to server/src. */
export function violationsOf(file: string, source: string): Violation[] {
  const from = moduleOf(file)
  const targets = [...source.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? '')
  return targets.flatMap((target) => {
    const imports = relative('/', resolve('/', dirname(file), target))
    const why = problem(from, moduleOf(imports))
    return why ? [{ file, imports, why }] : []
  })
}

function problem(from: string, to: string): string | null {
  if (from === to) return null
  const [left, right] = [layerOf(from), layerOf(to)]
  if (left < 0 || right < 0) return `${left < 0 ? from : to} is no known module`
  if (left === right) return `${from} and ${to} never import each other`
  return left > right ? `${from} stands to the right of ${to}` : null
}

const layerOf = (module: string): number => LAYERS.findIndex((layer) => layer.includes(module))
const moduleOf = (file: string): string => (file.includes('/') ? (file.split('/')[0] ?? '') : 'main')

if (import.meta.main) {
  const root = join(import.meta.dirname, '..', 'server', 'src')
  const files = globSync('**/*.ts', { cwd: root })
  const violations = files.flatMap((file) => violationsOf(file, readFileSync(join(root, file), 'utf8')))
  for (const { file, imports, why } of violations) console.log(`${file} imports ${imports}: ${why}`)
  console.log(`${files.length} files, ${violations.length} imports against the direction`)
  process.exitCode = violations.length === 0 ? 0 : 1
}
