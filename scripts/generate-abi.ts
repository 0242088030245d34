// Writes server/src/chain/abi/<contract>.ts from the compiled contracts, so that the server's types are the contracts'.
// `node scripts/generate-abi.ts` after `forge build`; CI runs it again and compares.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const target = join(root, 'server', 'src', 'chain', 'abi')

const CONTRACTS = [
  'StockRouter',
  'Cashier',
  'Stock',
  'StockToken',
  'StockOracle',
  'Compliance',
  'OneClickRouter',
  'OperatorPool',
  'StockTokenFactory',
]

mkdirSync(target, { recursive: true })
for (const name of CONTRACTS) {
  const artifact = JSON.parse(readFileSync(join(root, 'contracts', 'out', `${name}.sol`, `${name}.json`), 'utf8'))
  const variable = `${name[0]?.toLowerCase()}${name.slice(1)}Abi`
  const file = name.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()
  const text = `// Generated from contracts/src by scripts/generate-abi.ts. Do not edit.\nexport const ${variable} = ${JSON.stringify(artifact.abi, null, 2)} as const\n`
  writeFileSync(join(target, `${file}.ts`), text)
}
