// The trees of contracts that are compiled into contracts/artifacts, each by a compiler of its own, and whether their
// artifacts are those of their sources.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { root } from './setup.mjs'

/** `contracts` get an artifact each, and so do the libraries they are linked with. */
export const TREES = {
  stock: {
    sources: ['contracts/src/stock', 'contracts/src/delegation'],
    contracts: [
      'Cashier',
      'Compliance',
      'ERC1967Proxy',
      'OneClickRouter',
      'OperatorPool',
      'Stock',
      'StockOracle',
      'StockRouter',
      'StockSettlement',
      'StockToken',
      'StockTokenFactory',
      'TimelockController',
    ],
  },
  perp: {
    sources: ['contracts/src/perp'],
    contracts: [
      'Beacon',
      'Config',
      'Gate',
      'Instrument',
      'InstrumentProxy',
      'LinkMarket',
      'Observer',
      'RelayRouter',
      'StockFeeder',
      'StockMarket',
    ],
  },
  // What development chains and tests deploy beside it.
  development: {
    sources: [
      'contracts/test/delegation/Probes.sol',
      'contracts/test/follow/EventProbe.sol',
      'contracts/test/perp/mocks/ManyReads.sol',
      'contracts/test/perp/mocks/Mocks.sol',
      'contracts/test/tokens/TestUSDC.sol',
      'contracts/test/tokens/TransferBatch.sol',
      'contracts/test/tokens/WETH.sol',
    ],
    contracts: ['EventProbe', 'GasProbe', 'ManyReads', 'TestFeed', 'TestToken', 'TestUSDC', 'TransferBatch', 'WETH'],
  },
}

export const ARTIFACTS = join(root, 'contracts', 'artifacts')
export const DIGESTS = join(ARTIFACTS, 'sources.json')

/** What the bytecode depends on beside the sources. */
const COMPILER_PACKAGES = ['@openzeppelin/contracts', '@openzeppelin/contracts-upgradeable', 'solady', 'solc']

const IMPORT = /^\s*import\s+(?:[^"';]*\bfrom\s+)?"([^"]+)"/gm

/** Names of the trees whose artifacts were made of other sources than there are now. */
export function staleTrees() {
  const recorded = existsSync(DIGESTS) ? JSON.parse(readFileSync(DIGESTS, 'utf8')) : {}
  return Object.keys(TREES).filter((name) => recorded[name] !== digestOf(name))
}

/** Changes when anything does that the tree's bytecode depends on. */
export function digestOf(name) {
  return digestOfFiles(TREES[name].sources, [TREES[name], compilerSettings()])
}

/** Changes when anything does of what is compiled with the files at or below some paths, or of what is given beside them. */
export function digestOfFiles(paths, beside) {
  const hash = createHash('sha256').update(JSON.stringify(beside))
  for (const [file, text] of [...sourcesOf(paths)].sort(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`\n${file}\n${text}`)
  }
  return hash.digest('hex')
}

function compilerSettings() {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const versions = COMPILER_PACKAGES.map((name) => dependencies[name] ?? devDependencies[name])
  const toml = readFileSync(join(root, 'foundry.toml'), 'utf8')
  const settings = toml.match(
    /^(?:solc|evm_version|optimizer|optimizer_runs|via_ir|bytecode_hash|cbor_metadata) = .*$/gm,
  )
  return [versions, settings]
}

/** The project's own files that are compiled for those at or below some paths, by path. */
function sourcesOf(paths) {
  const found = new Map()
  const open = paths.flatMap(solidityIn)
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file)) continue
    const text = readFileSync(join(root, file), 'utf8')
    found.set(file, text)
    for (const [, target] of text.matchAll(IMPORT)) {
      if (target.startsWith('.')) open.push(posix.join(posix.dirname(file), target))
      else if (/^(src|test)\//.test(target)) open.push(`contracts/${target}`)
    }
  }
  return found
}

/** Every Solidity file at or below a path; from the root, like it. */
export function solidityIn(path) {
  if (statSync(join(root, path)).isFile()) return [path]
  const entries = readdirSync(join(root, path), { recursive: true })
  return entries.filter((entry) => entry.endsWith('.sol')).map((entry) => `${path}/${entry.replaceAll('\\', '/')}`)
}
