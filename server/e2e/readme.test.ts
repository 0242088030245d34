import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { variables } from '../src/config.ts'
import { runProgram } from '../src/lib/testing-run.ts'
import { products } from '../src/roles/products.ts'
import { Client } from './client.ts'
import { type EmbeddedProcess, runEmbedded } from './venue.ts'
import { Wallet } from './wallet.ts'

const root = join(import.meta.dirname, '..', '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')

/** The text between a heading and the next one of its level. */
function section(title: string): string {
  const [, after] = readme.split(`\n## ${title}\n`)
  if (after === undefined) throw new Error(`README.md has no section "${title}"`)
  return after.split('\n## ')[0] ?? ''
}

const fenced = (text: string, language: string): string[] =>
  [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].filter(([, of]) => of === language).map(([, , code]) => code ?? '')

/** What each block of commands must print, in order: a block that is removed, added or broken is noticed. */
const WALKS: Readonly<Record<string, readonly RegExp[]>> = {
  'A first trade': [
    /^{"code":200,.*"cashierTokenConfig":\[{"tokenAddress":"0x[0-9a-f]{40}","symbol":"USDC"/,
    /^{"code":200,.*"symbol":"AAPL",.*"price":\d/,
    /^$/,
    /^0x[0-9a-f]{64}\n{"code":200,.*"operationType":"deposit","txHash":"0x[0-9a-f]{64}"/,
    /^{"code":200,.*"operationStatus":"success".*"amount":2500,"creditAmount":2500/,
    /^{"code":200,.*"operationType":"trade","txHash":"0x[0-9a-f]{64}"/,
    /^{"code":200,.*"orderStatus":"Filled".*"historyOrder":{/,
    /^{"code":200,.*"mUsdBalance":"1[45]\d\d[.\d]*".*"symbol":"aAAPL".*"exchangeBalance":"[34]\.\d+"/,
    /"operationType":"withdraw",[\s\S]*"operationStatus":"success".*"mUsdAmount":500,"amount":498\.95/,
    /^API key: {4}\S+\nAPI secret: \S+\n/,
  ],
  'A first perpetual trade': [
    /^{"code":0,.*"symbol":"BTC\/USDC",.*"markPrice":"\d{22,}"/,
    /^0x[0-9a-f]{64}\n0x[0-9a-f]{64}\n$/,
    // Pending where it is not mined within the two seconds that the answer waits.
    /^{"code":0,.*"status":"(enable|pending)"/,
    /^{"code":0,.*"liquidationPrice":"\d{22,}".*\n0x[0-9a-f]{64}\n{"code":0,.*"size":"100000000000000000".*"side":2/,
    /^0x[0-9a-f]{64}\n0x[0-9a-f]{64}\n$/,
    /^0x[0-9a-f]{64}\n0x[0-9a-f]{64}\n{"code":0,.*"balance":"2000000000000000000000"/,
    /^0x[0-9a-f]{64}\n0x[0-9a-f]{64}\n{"code":0,.*"totalInBalance":"2\d{22}","totalOutBalance":"1\d{22}"/,
  ],
}

describe('the first trades of the README', () => {
  let folder: string
  let dataDir: string
  let venue: EmbeddedProcess
  const outputs: Record<string, readonly string[]> = {}

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bourse-readme-'))
    dataDir = join(folder, 'data')
    venue = await runEmbedded(dataDir)
    for (const title of Object.keys(WALKS)) outputs[title] = await runBlocks(fenced(section(title), 'bash'))
  })
  afterAll(async () => {
    await venue?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const MARK = '--- end of a block ---'

  /** Runs the blocks in one bash session, as a reader would, and stops at the first command that fails. */
  async function runBlocks(blocks: readonly string[]): Promise<string[]> {
    const { DATABASE_URL: _database, REDIS_URL: _redis, SECRETS_KEY: _secrets, ...inherited } = process.env
    const script = ['set -euo pipefail', ...blocks.map((b) => `${b}echo '${MARK}'`)].join('\n')
    const place = { cwd: root, env: { ...inherited, DATA_DIR: dataDir } }
    const { code, output, problems } = await runProgram(['bash', '-c', script], place)
    if (code !== 0) throw new Error(`the README's commands ended with ${code}:\n${output}\n${problems}`)
    return output.split(`${MARK}\n`).slice(0, -1)
  }

  it.each(Object.entries(WALKS))('%s has a block of commands for each step', (title, expected) => {
    expect(outputs[title]).toHaveLength(expected.length)
  })

  it.each(
    Object.entries(WALKS).flatMap(([title, expected]) =>
      expected.map((pattern, index) => [title, index + 1, pattern] as const),
    ),
  )('%s: block %i does what it says', (title, n, pattern) => {
    expect(outputs[title]?.[n - 1]).toMatch(pattern)
  })

  it('leaves the venue as the text says: deposited, filled, withdrawn', async () => {
    const { stock, chain, accounts, contracts } = venue.dev
    const account = accounts[0] as (typeof accounts)[0]
    const [key] = stock.keys
    const client = new Client({ baseUrls: [stock.baseUrl], chainId: 31_337, productType: 'Bourse', key })
    const list = (path: string) => client.data(client.get(path))
    expect(await list('/api/v1/orders')).toMatchObject({ total: 1, rows: [{ orderStatus: 'Filled' }] })
    for (const kind of ['deposits', 'withdrawals']) {
      expect(await list(`/api/v1/cash/${kind}`)).toMatchObject({ total: 1, rows: [{ operationStatus: 'success' }] })
    }
    const wallet = new Wallet(chain.rpcUrl, account.privateKey)
    expect(await wallet.balanceOf(contracts.USDC as `0x${string}`)).toBe(
      1_000_000_000_000n - 2_500_000_000n + 498_950_000n,
    )
    const { body } = await client.get<{ mUsdBalance: string }>(`/api/v1/users/${account.address}/balance`)
    expect(Number(body.data.mUsdBalance)).toBeGreaterThan(2500 - 1000 * 1.01 - 500)
    expect(Number(body.data.mUsdBalance)).toBeLessThan(2500 - 900 - 500)
  })

  it('shows dev.json as it is', async () => {
    const actual = JSON.parse(await readFile(join(dataDir, 'dev.json'), 'utf8'))
    const shown = JSON.parse(fenced(section('Two commands'), 'json')[0] ?? '')
    const { contracts, ...rest } = fieldsOf(actual)
    const { contracts: shownContracts, ...shownRest } = fieldsOf(shown)
    expect(shownRest).toEqual(rest)
    expect(contracts).toMatchObject(shownContracts as object)
    expect(actual.accounts).toHaveLength(10)
  })
})

/** The names in a JSON value, with the type of each leaf; of a list only its first entry. */
function fieldsOf(value: unknown): Record<string, unknown> {
  const shape = (one: unknown): unknown => {
    if (Array.isArray(one)) return [shape(one[0])]
    if (one === null || typeof one !== 'object') return typeof one
    return Object.fromEntries(Object.entries(one).map(([name, inner]) => [name, shape(inner)]))
  }
  return shape(value) as Record<string, unknown>
}

describe('what the README says of the repository', () => {
  it('names in its map folders that exist, and no folder is missing from it', () => {
    const named = foldersOfMap(fenced(section('The map'), '')[0] ?? '')
    expect(named.filter((folder) => !existsSync(join(root, folder)))).toEqual([])
    const generated = /^(node_modules|cache|coverage)$|^\./
    const present = [
      ...subfolders('.').filter((name) => !generated.test(name)),
      ...['server', 'server/src', 'server/src/chain', 'server/src/stock', 'contracts'].flatMap((parent) =>
        subfolders(parent).map((name) => `${parent}/${name}`),
      ),
    ].filter((folder) => !/^contracts\/(out|cache)$/.test(folder))
    expect(present.filter((folder) => !named.includes(folder))).toEqual([])
  })

  it('names the import direction that is checked', () => {
    const checked = readFileSync(join(root, 'scripts', 'check-imports.ts'), 'utf8')
    const names = products.map(({ name }) => `'${name}'`).join(', ')
    const list = (/^const LAYERS = \[\n([\s\S]*?)^\]/m.exec(checked)?.[1] ?? '').replace('  PRODUCTS,', `  [${names}],`)
    const layers = [...list.matchAll(/^ {2}\[('.*')\],$/gm)].map(([, names]) => names?.replaceAll("'", '').split(', '))
    expect(layers.length).toBeGreaterThan(5)
    expect(readme).toContain(layers.map((names) => names?.join(' | ')).join(' → '))
  })

  it('documents every configuration variable with its default, and no other', () => {
    const table = [...section('Configuration').matchAll(/^\| `([A-Z_]+)` +\| (?:`(.*?)`)? *\| \S.* \|$/gm)]
    const documented = Object.fromEntries(table.map(([, name, fallback]) => [name, fallback ?? '']))
    const actual = Object.entries(variables.properties).map(([name, schema]) => [
      name,
      String((schema as { default?: unknown }).default ?? ''),
    ])
    expect(documented).toEqual(Object.fromEntries(actual))
  })

  it('runs npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const used = [...readme.matchAll(/\bnpm (?:run (?:--silent )?(\w+)|(start|test)\b)/g)].map(
      ([, run, own]) => run ?? own,
    )
    expect(used.length).toBeGreaterThan(5)
    expect(used.filter((name) => !(`${name}` in scripts))).toEqual([])
  })

  it.each(['README.md', ...globSync('{docs,bench}/**/*.md', { cwd: root, exclude: ['**/node_modules/**'] })])(
    '%s has links that lead somewhere',
    (file) => {
      const text = readFileSync(join(root, file), 'utf8')
      const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)].map(([, target]) => target ?? '')
      expect(links.filter((target) => !existsSync(join(root, file, '..', target)))).toEqual([])
    },
  )
})

/** Paths of the map: a line that begins a word names a folder, an indented one a folder below it. */
function foldersOfMap(map: string): string[] {
  let parent = ''
  return map.split('\n').flatMap((line) => {
    const [, indent = '', name = ''] = /^( *)([\w/-]+)\/(?: |$)/.exec(line) ?? []
    if (name === '') return []
    if (indent === '') parent = name
    const path = indent === '' ? name : `${parent}/${name}`
    return path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'))
  })
}

/** Folders that hold at least one file. */
const subfolders = (parent: string): string[] =>
  readdirSync(join(root, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && holdsFiles(join(root, parent, entry.name)))
    .map(({ name }) => name)

const holdsFiles = (folder: string): boolean =>
  readdirSync(folder, { withFileTypes: true }).some(
    (entry) => entry.isFile() || (entry.isDirectory() && holdsFiles(join(folder, entry.name))),
  )
