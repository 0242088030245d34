// Writes what the contracts compile to: contracts/artifacts/<Contract>.json, which venues and tests deploy, and
// server/src/chain/abi/<contract>.ts, of which the server has its types. Compiles the trees whose sources changed since,
// two at once; `--all` compiles every tree, as CI does before it compares.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ARTIFACTS, DIGESTS, digestOf, staleTrees, TREES } from './contract-trees.mjs'
import { environment, forgeProgram, root } from './setup.mjs'

const ABI_FOLDER = join(root, 'server', 'src', 'chain', 'abi')

/** Contracts that the server's types are made of. */
const TYPED = [
  'StockRouter',
  'Cashier',
  'Stock',
  'StockToken',
  'StockOracle',
  'Compliance',
  'OneClickRouter',
  'OperatorPool',
  'StockTokenFactory',
  'Config',
  'Gate',
  'Instrument',
  'Observer',
  'LinkMarket',
  'RelayRouter',
  'StockFeeder',
  'TestFeed',
]

/** Compiles a tree in a folder of its own: what else lies there would change the bytecode. Returns what it wrote. */
async function compile(tree) {
  const folder = mkdtempSync(join(tmpdir(), 'bourse-contracts-'))
  const places = { FOUNDRY_OUT: join(folder, 'out'), FOUNDRY_CACHE_PATH: join(folder, 'cache') }
  try {
    const forge = spawn(forgeProgram(), ['build', '--quiet', ...TREES[tree].sources], {
      cwd: root,
      env: { ...environment, ...places, FOUNDRY_PROFILE: 'deploy' },
      stdio: 'inherit',
    })
    const [code] = await once(forge, 'exit')
    if (code !== 0) throw new Error(`the contracts of ${tree} do not compile`)
    return writeTree(tree, places.FOUNDRY_OUT)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function writeTree(tree, out) {
  const open = [...TREES[tree].contracts]
  const written = new Set()
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (written.has(name)) continue
    written.add(name)
    const { artifact, libraries } = readCompiled(out, name)
    writeFileSync(join(ARTIFACTS, `${name}.json`), artifact)
    open.push(...libraries)
  }
  return [...written]
}

function readCompiled(out, name) {
  const files = globSync(join(out, '*.sol', `${name}.json`))
  if (files.length !== 1) throw new Error(`${files.length} contracts are named ${name}, expected one`)
  const compiled = JSON.parse(readFileSync(files[0], 'utf8'))
  const { abi, bytecode, deployedBytecode } = compiled
  const [source] = Object.keys(compiled.metadata.settings.compilationTarget)
  const libraries = placeholdersOf(bytecode)
  const artifact = [
    '{',
    `  "source": ${JSON.stringify(source)},`,
    `  "runtimeSize": ${(deployedBytecode.object.length - 2) / 2},`,
    `  "abi": ${linewise(abi, '  ')},`,
    `  "libraries": ${JSON.stringify(libraries)},`,
    `  "bytecode": ${JSON.stringify(bytecode.object)}`,
    '}\n',
  ]
  return { artifact: artifact.join('\n'), libraries: Object.keys(libraries) }
}

/** What stands in the bytecode for the address of each library. */
function placeholdersOf({ object, linkReferences }) {
  const placeholders = {}
  for (const [library, [{ start, length }]] of Object.values(linkReferences).flatMap(Object.entries).sort()) {
    placeholders[library] = object.slice(2 + 2 * start, 2 + 2 * (start + length))
  }
  return placeholders
}

/** A list with one item a line. */
function linewise(items, indent) {
  return `[\n${items.map((item) => `${indent}  ${JSON.stringify(item)}`).join(',\n')}\n${indent}]`
}

const HEADING = '// Generated from contracts/src by scripts/generate-contracts.mjs. Do not edit.'
const variableOf = (name) => `${name[0].toLowerCase()}${name.slice(1)}Abi`
const fileOf = (name) => `${name.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()}.ts`

function writeTypes() {
  mkdirSync(ABI_FOLDER, { recursive: true })
  for (const name of TYPED) {
    const { abi } = JSON.parse(readFileSync(join(ARTIFACTS, `${name}.json`), 'utf8'))
    const text = `${HEADING}\nexport const ${variableOf(name)} = ${linewise(abi, '')} as const\n`
    writeFileSync(join(ABI_FOLDER, fileOf(name)), text)
  }
  const names = TYPED.toSorted((a, b) => (fileOf(a) < fileOf(b) ? -1 : 1))
  const index = [
    HEADING,
    ...names.map((name) => `import type { ${variableOf(name)} } from './${fileOf(name)}'`),
    '',
    '/** The ABIs of contracts by their names; types alone, so that whoever needs one loads no other. */',
    'export interface ContractAbis {',
    ...names.map((name) => `  readonly ${name}: typeof ${variableOf(name)}`),
    '}\n',
  ]
  writeFileSync(join(ABI_FOLDER, 'contract-abis.ts'), index.join('\n'))
}

mkdirSync(ARTIFACTS, { recursive: true })
const isWhole = process.argv.includes('--all')
const trees = isWhole ? Object.keys(TREES) : staleTrees()
if (isWhole) for (const file of globSync(join(ARTIFACTS, '*.json'))) rmSync(file)
if (trees.length > 0) console.log(`Compiling the contracts of ${trees.join(', ')} for deployment (a minute or two) …`)
await Promise.all(trees.map(compile))
const recorded = Object.fromEntries(Object.keys(TREES).map((tree) => [tree, digestOf(tree)]))
writeFileSync(DIGESTS, `${JSON.stringify(recorded, null, 2)}\n`)
writeTypes()
