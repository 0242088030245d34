import { createHmac, randomBytes } from 'node:crypto'
import { globSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { erc20Abi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAX_AGE_MS } from '../src/auth/key-directory.ts'
import { enterBlock } from '../src/chain/follow/store.ts'
import { loadConfig } from '../src/config.ts'
import { inTransaction } from '../src/db/pool.ts'
import { type TestDatabase, testDatabase } from '../src/db/testing.ts'
import { testVenue } from '../src/http/testing.ts'
import { StreamClient } from '../src/http/testing-stream.ts'
import { sleep } from '../src/lib/clock.ts'
import { programFile } from '../src/lib/testing-programs.ts'
import { openProducts, products } from '../src/roles/products.ts'
import { type ApiKey, Client, eventually } from './client.ts'
import { TILL, till } from './till/index.ts'
import { refundMessage } from './till/scheme.ts'
import { runCli, spawnVenue } from './venue.ts'
import { Wallet } from './wallet.ts'

// A venue with a second product, whose code stands in one folder and one list: e2e/till and its products.ts.

type Hex = `0x${string}`

const CHAIN_ID = 31_337
const TILL_FOLDER = join(import.meta.dirname, 'till')

let folder: string
let database: TestDatabase
let venue: ReturnType<typeof spawnVenue>
let dev: {
  readonly chain: { readonly rpcUrl: string }
  readonly contracts: { readonly USDC: Hex }
  readonly accounts: readonly { readonly privateKey: Hex }[]
  readonly stock: { readonly baseUrl: string; readonly keys: readonly ApiKey[] }
  readonly till: { readonly baseUrl: string }
}
let cli: ReturnType<typeof runCli>
let key: ApiKey
let wallet: Wallet

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bourse-till-'))
  database = await testDatabase()
  const DATA_DIR = join(folder, 'data')
  const environment = { DATA_DIR, DATABASE_URL: database.url, SECRETS_KEY: randomBytes(32).toString('hex') }
  venue = spawnVenue({ ...environment, PORT: '0' }, programFile(join(TILL_FOLDER, 'main.ts')))
  await venue.ready
  dev = JSON.parse(await readFile(join(DATA_DIR, 'dev.json'), 'utf8'))
  cli = runCli(environment, join(TILL_FOLDER, 'cli.ts'))
  key = issue()
  wallet = new Wallet(dev.chain.rpcUrl, dev.accounts[0]?.privateKey ?? '0x')
})
afterAll(async () => {
  await venue?.stop()
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

function issue(product = 'Till'): ApiKey {
  const text = cli('keys', 'create', '--label', 'till', '--access', 'WRITABLE', '--product', product)
  const field = (name: string) => new RegExp(`${name} *(\\S+)`).exec(text)?.[1] ?? ''
  return { apiKey: field('API key:'), apiSecret: field('API secret:') }
}

const pay = (amount: bigint) => wallet.call(dev.contracts.USDC, erc20Abi, 'transfer', [TILL, amount])
const origin = () => dev.till.baseUrl.replace(/\/till$/, '')

interface NoteOptions {
  readonly by?: ApiKey
  readonly timeMs?: number
  /** What is signed in the place of the body. */
  readonly signed?: string
  readonly sign?: string
}

/** Leaves a note as a client that signs the body's sorted form. */
async function note(body: object, { by = key, timeMs = Date.now(), ...options }: NoteOptions = {}) {
  const signed = options.signed ?? JSON.stringify(Object.fromEntries(Object.entries(body).sort()))
  const text = `${timeMs}POST/till/v1/notes${signed}`
  const headers = {
    'content-type': 'application/json',
    'x-till-key': by.apiKey,
    'x-till-time': String(timeMs),
    'x-till-sign': options.sign ?? createHmac('sha256', by.apiSecret).update(text).digest('base64'),
  }
  const answer = await fetch(`${dev.till.baseUrl}/v1/notes`, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

const notes = async () => (await database.sql`select note from till_notes order by id`).map((row) => row.note)

describe('a second product', () => {
  it('is served beside the first, which goes on as ever', async () => {
    const { baseUrl, keys } = dev.stock
    const client = new Client({ baseUrls: [baseUrl], chainId: CHAIN_ID, productType: 'Bourse', key: keys[0] as ApiKey })
    expect(await client.data(client.get('/api/v1/config'))).toHaveProperty('cashierTokenConfig')
    expect(venue.output()).toMatch(/^ {2}stock API .*\n(?: {2}.*\n)* {2}till .*\/till\/public\/total$/m)
    for (const [path, status] of [
      ['/till/v1/nothing', 401],
      ['/till/public/nothing', 400],
      ['/stock/api/v1/nothing', 400],
      ['/elsewhere', 404],
    ] as const) {
      expect([path, (await fetch(`${origin()}${path}`)).status]).toEqual([path, status])
    }
  })

  it('has its tables by a migration of its folder, and its command among the operator’s', async () => {
    const migrated = await database.sql`select name from schema_version where version = 9000`
    expect([...migrated]).toEqual([{ name: 'till' }])
    expect(cli('till')).toBe('0\n')
    expect(cli('help')).toContain('Usage: npm run bourse -- till\n')
  })

  it('turns events into rows, rows into a total, and tells it to everybody, with its block', async () => {
    const stream = await new StreamClient(`${dev.till.baseUrl.replace('http', 'ws')}/public/stream`, {}).opened()
    expect(await stream.subscribe('total:usdc')).toMatchObject({ type: 'snapshot', data: { amount: '0' } })
    await pay(250n)
    const total = async () => JSON.parse(await (await fetch(`${dev.till.baseUrl}/public/total`)).text())
    const said = await eventually(total, ({ data }) => data.amount !== '0')
    expect(said).toMatchObject({ code: 0, msg: '', data: { amount: '250' } })
    const [receipt] = await database.sql`select block_number, block_time_sec from till_receipts`
    const block = { height: Number(receipt?.block_number), timestamp: Number(receipt?.block_time_sec) }
    expect(said.blockInfo).toEqual(block)
    expect(await stream.message('delta')).toMatchObject({
      channel: 'total:usdc',
      event: 'total.changed',
      data: { amount: '250' },
    })
    expect(cli('till')).toBe('250\n')
    expect(await stream.subscribe('orders')).toMatchObject({ type: 'error', reason: 'channel_unknown' })
    stream.close()
  })

  it('knows its callers by a scheme of its own, and carries a write out once', async () => {
    const timeMs = Date.now()
    const first = await note({ note: 'one', author: 'a' }, { timeMs })
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([200, null])
    const again = await note({ note: 'one', author: 'a' }, { timeMs })
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, first.text, 'true'])
    const raw = '{"note":"two","author":"a"}'
    expect((await note({ note: 'two', author: 'a' }, { signed: raw })).status).toBe(200)
    const refused = await note({ note: 'three', author: 'a' }, { signed: '{"note":"other"}' })
    expect([refused.status, JSON.parse(refused.text)]).toMatchObject([401, { code: 40101, msg: 'Unauthorized' }])
    expect((await note({ note: 'four', author: 'a' }, { timeMs: Date.now() - 31_000 })).status).toBe(401)
    expect((await note({ note: 'five', author: 'a' }, { by: dev.stock.keys[0] as ApiKey })).status).toBe(401)
    expect(await notes()).toEqual(['a: one', 'a: two'])
  })

  it('knows a wallet by what it signs, once the body has its form', async () => {
    const [payer, other] = dev.accounts.map(({ privateKey }) => privateKeyToAccount(privateKey))
    if (!payer || !other) throw new Error('too few accounts')
    const [wallet, amount] = [payer.address, '40']
    const ask = async (body: object) => {
      const headers = { 'content-type': 'application/json' }
      const url = `${dev.till.baseUrl}/public/refunds`
      const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
      return [answer.status, JSON.parse(await answer.text()).code]
    }
    const signature = await payer.signMessage({ message: refundMessage({ wallet, amount }) })
    expect(await ask({ wallet, amount, signature })).toEqual([200, 0])
    expect(await ask({ wallet, amount: '41', signature })).toEqual([401, 40101])
    expect(await ask({ wallet: other.address, amount, signature })).toEqual([401, 40101])
    expect(await ask({ wallet, amount: 'all', signature })).toEqual([400, 40001])
    expect(await ask({ wallet, amount })).toEqual([400, 40001])
    const refunds = await database.sql`select wallet, amount_raw from till_refunds`
    expect([...refunds]).toEqual([{ wallet: wallet.toLowerCase(), amount_raw: 40n }])
  })

  it('limits each of its keys', async () => {
    const by = issue()
    // Another process has made it: it is known everywhere within so long.
    await sleep(MAX_AGE_MS)
    const remaining: (string | null)[] = []
    for (let i = 0; i < 5; i++) {
      const { headers } = await note({ note: `${i}`, author: 'b' }, { by })
      remaining.push(headers.get('x-till-limit-remaining'))
      expect(headers.get('ratelimit-limit')).toBe('1200')
    }
    expect(remaining).toEqual(['4', '3', '2', '1', '0'])
    const refused = await note({ note: '6', author: 'b' }, { by })
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([429, 42901])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await notes()).filter((one) => one.startsWith('b'))).toHaveLength(5)
  })

  it('is in /status, /metrics and the reference', async () => {
    const at = async (path: string) => (await fetch(`${origin()}${path}`)).text()
    const status = await eventually(
      async () => JSON.parse(await at('/status')),
      ({ relayer }) => relayer.signers.some(({ purposes }: { purposes: string[] }) => purposes.includes('till')),
    )
    expect(status.keeper).toMatchObject({ till: { paid: '250' }, hedges: [] })
    expect(status.keeper.tasks.map(({ task }: { task: string }) => task)).toContain('till.count')
    expect(await at('/metrics')).toContain('\nbourse_till_paid_raw 250')
    const { paths } = JSON.parse(await at('/openapi/till.json'))
    expect(paths['/till/public/total'].get.summary).toBe('What the till has been paid.')
    expect(paths['/till/public/total'].get).toMatchObject({ 'x-access': 'PUBLIC', security: [] })
    expect(paths['/till/public/refunds'].post).toMatchObject({ 'x-access': 'WALLET', security: [] })
    expect(paths['/till/v1/notes'].post.responses['200'].headers).toHaveProperty('x-till-limit-remaining')
    const page = await fetch(`${origin()}/docs/till`, { redirect: 'manual' })
    expect([page.status, page.headers.get('location')]).toEqual([302, '/docs#till'])
    expect(Object.keys(JSON.parse(await at('/openapi.json')).paths)).not.toContain('/till/v1/notes')
  })
})

describe('the reconciliation of a second product', () => {
  const received = async () => {
    const [row] = await database.sql`
      select database_amount as database, chain_amount as chain from reconciliation_lines
      join reconciliation_readings using (chain_id, reading_id) where product = 'till' order by reading_id desc limit 1`
    return { database: row?.database, chain: row?.chain }
  }

  it('compares its books with the chain and is in the operator’s report', async () => {
    await eventually(received, ({ chain }) => chain === 250n)
    const report = cli('reconcile', '--product', 'till')
    expect(report).toMatch(/^The till\n.*\nUSDC +received +USDC +– +0\.00025 +0\.00025 +– +0$/m)
    expect(report).toContain('Broker, database and chain agree.')
  })

  it('finds a receipt of which the chain knows nothing', async () => {
    await inTransaction(database.sql, async (tx) => {
      await enterBlock(tx, CHAIN_ID, 1n, 'final')
      await tx`
        insert into till_receipts
        select chain_id, tx_hash, log_index + 1, payer, 5, block_number, block_time_sec from till_receipts`
    })
    expect(await eventually(received, ({ database }) => database !== 250n)).toEqual({ database: 255n, chain: 250n })
    expect(() => cli('reconcile', '--product', 'till')).toThrow(expect.objectContaining({ status: 2 }))
  })
})

describe('the configuration of a second product', () => {
  const list = [...products, till]

  it('is part of the venue’s: a bad value stops the start and is named', () => {
    expect(loadConfig({}, list).values.TILL_REQUESTS_PER_MINUTE).toBe(5)
    expect(() => loadConfig({ TILL_REQUESTS_PER_MINUTE: 'many' }, list)).toThrow(
      /^TILL_REQUESTS_PER_MINUTE is not valid: it must be requests that/,
    )
    const external = { CHAIN_RPC_URL: 'http://h', DATABASE_URL: 'postgres://h/d', SECRETS_KEY: 'ab'.repeat(32) }
    expect(() => loadConfig(external, list)).toThrow(/SIGNER_TILL_KEY must be set for the role relayer/)
  })

  it('shares no name with another', () => {
    const { values } = loadConfig({}, list)
    const twin = (over: Partial<typeof till>) => () =>
      openProducts([till, { ...till, name: 'twin', commands: [], ...over }], testVenue(), values)
    expect(twin({ name: 'till' })).toThrow('two products are called till')
    expect(twin({ commands: till.commands })).toThrow('two products have the command till')
    expect(twin({})).toThrow('two products give /status the field till')
  })

  it('has no variable of another', () => {
    expect(() => loadConfig({}, [...list, { ...till, name: 'other' }])).toThrow(/belongs to two parts/)
  })
})

/** Its name as a word, or as a part of one: `till_totals`, `tillRoutes`, `SIGNER_TILL_KEY`. */
const NAMES_IT = /(?<![A-Za-z])([Tt]ill(?![a-z])|TILL(?![A-Z]))/

describe('the venue', () => {
  it('has no line about the second product, but where its guide says that there is one', () => {
    const root = join(import.meta.dirname, '..', '..')
    const files = globSync(['{.*,*}', '{.ci/*,*/**/*.{ts,tsx,js,mjs,sql,sol,md,json,yaml,sh}}'], {
      cwd: root,
      exclude: ['**/node_modules', '**/dist', '.git', '.data', 'contracts/{cache,out}', 'server/e2e/till'],
    }).filter((file) => statSync(join(root, file)).isFile())
    expect(files).toEqual(
      expect.arrayContaining(['package.json', '.ci/run', 'scripts/check.mjs', 'server/src/main.ts']),
    )
    const knowing = files.filter((file) => NAMES_IT.test(readFileSync(join(root, file), 'utf8')))
    expect(knowing.sort()).toEqual(['docs/architecture.md', 'server/e2e/second-product.test.ts'])
  })
})
