import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Abi, encodeFunctionData, erc20Abi, toHex } from 'viem'
import { stockRouterAbi } from '../server/src/chain/abi/stock-router.ts'
import { createRpc, type Rpc } from '../server/src/chain/rpc.ts'
import type { Hex } from '../server/src/chain/types.ts'
import { createPool, type Sql } from '../server/src/db/pool.ts'
import { sleep } from '../server/src/lib/clock.ts'
import { WAD } from '../server/src/lib/wad.ts'
import { orderCalldata } from '../server/src/stock/calldata/calldata.ts'
import { describeRun, printTable, readNumbers, writeResults } from './report.ts'
import { startVenue } from './venue.ts'

const MAIN = join(import.meta.dirname, '..', 'server', 'src', 'main.ts')
const GAS = toHex(1_500_000)
const DEADLINE_SEC = 4_000_000_000
const DEPOSIT_RAW = 900_000n * 10n ** 6n
const ORDER_WAD = 20n * WAD
/** Aim: settled within so many seconds, and no later at the end than at the beginning. */
const AIM_P99_SEC = 10
/** What is not settled long after the last order never will be. */
const PATIENCE_MS = 300_000

interface Settings {
  readonly perSecond: number
  readonly seconds: number
}

interface Stage {
  readonly p50Sec: number
  readonly p99Sec: number
}

interface Dev {
  readonly chain: { readonly rpcUrl: string }
  readonly contracts: Readonly<Record<string, Hex>>
  readonly accounts: readonly { readonly address: Hex }[]
}

/** `npm run bench -- settle`: market orders at a steady rate on the embedded venue, and how long each takes to settlement. */
export async function benchSettle(args: readonly string[]): Promise<void> {
  const settings: Settings = readNumbers(args, { perSecond: 50, seconds: 600 })
  const run = describeRun()
  const dataDir = await mkdtemp(join(tmpdir(), 'bourse-bench-'))
  const venue = await startVenue(process.execPath, [MAIN], { cwd: process.cwd(), dataDir })
  try {
    const dev = JSON.parse(await readFile(join(dataDir, 'dev.json'), 'utf8')) as Dev
    const url = (await readFile(join(dataDir, 'database.url'), 'utf8')).trim()
    const sql = createPool({ url, maxConnections: 2, applicationName: 'bench' })
    const results = await measure(createRpc({ url: dev.chain.rpcUrl }), dev, sql, settings).finally(() => sql.end())
    print(results, settings)
    await writeResults('settle', { ...run, settings, results })
  } finally {
    await venue.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function measure(rpc: Rpc, dev: Dev, sql: Sql, { perSecond, seconds }: Settings) {
  const tokens = await quotedTokens(sql)
  const senders = dev.accounts.map(({ address }) => new Sender(rpc, address))
  for (const sender of senders) await sender.fund(dev.contracts)
  // An order in the block of the deposit it spends may come before it, and revert.
  for (const sender of senders) await sender.mined()
  const orders = perSecond * seconds
  const startedMs = performance.now()
  for (let n = 0; n < orders; n++) {
    await sleep(Math.max(0, startedMs + (n * 1000) / perSecond - performance.now()))
    const terms = { type: 'Market', side: 'Buy', notionalWad: ORDER_WAD } as const
    const { to, data } = orderCalldata(
      dev.contracts.StockRouter as Hex,
      tokens[n % tokens.length] as Hex,
      terms,
      DEADLINE_SEC,
    )
    void senders[n % senders.length]?.send(to, data)
  }
  const sentPerSec = orders / ((performance.now() - startedMs) / 1000)
  for (const sender of senders) await sender.sent()
  await untilSettled(sql, orders)
  return {
    orders,
    sentPerSec: Math.round(sentPerSec),
    all: await stage(sql, 0, 1),
    first: await stage(sql, 0, 1 / 3),
    last: await stage(sql, 2 / 3, 1),
  }
}

/** Sends as an account of the development chain, which the node signs for, its nonces in order. */
class Sender {
  readonly #rpc: Rpc
  readonly #from: Hex
  #nonce: Promise<number>
  #last: Promise<unknown> = Promise.resolve()

  constructor(rpc: Rpc, from: Hex) {
    this.#rpc = rpc
    this.#from = from
    this.#nonce = rpc.call<Hex>('eth_getTransactionCount', [from, 'latest']).then(Number)
  }

  send(to: Hex, data: Hex): Promise<unknown> {
    const nonce = this.#nonce
    this.#nonce = nonce.then((used) => used + 1)
    const transaction = async () => ({ from: this.#from, to, data, gas: GAS, nonce: toHex(await nonce) })
    this.#last = Promise.all([this.#last, transaction().then((one) => this.#rpc.call('eth_sendTransaction', [one]))])
    return this.#last
  }

  sent(): Promise<unknown> {
    return this.#last
  }

  async mined(): Promise<void> {
    await this.#last
    const nonce = await this.#nonce
    while (Number(await this.#rpc.call<Hex>('eth_getTransactionCount', [this.#from, 'latest'])) < nonce)
      await sleep(100)
  }

  async fund({ USDC: usdc, StockRouter: router }: Dev['contracts']): Promise<void> {
    const call = (to: Hex | undefined, abi: Abi | typeof erc20Abi, functionName: string, args: readonly unknown[]) =>
      this.send(to as Hex, encodeFunctionData({ abi: abi as Abi, functionName, args }))
    await call(usdc, erc20Abi, 'approve', [router, 2n ** 255n])
    await call(router, stockRouterAbi as Abi, 'deposit', [usdc, DEPOSIT_RAW])
  }
}

async function quotedTokens(sql: Sql): Promise<readonly Hex[]> {
  for (;;) {
    const rows = await sql<{ token: Hex }[]>`
      select t.token from stock_tokens t join market_quotes q on q.symbol = t.ticker
      where (select count(*) from oracle_prices) >= (select count(*) from stock_tokens) order by t.ticker`
    if (rows.length > 3) return rows.map(({ token }) => token)
    await sleep(200)
  }
}

async function untilSettled(sql: Sql, orders: number): Promise<void> {
  const deadlineMs = Date.now() + PATIENCE_MS
  for (;;) {
    const [row] = await sql<{ settled: number; placed: number }[]>`
      select count(*) filter (where status = 'filled')::int as settled, count(*)::int as placed from stock_orders`
    if (row?.settled === orders) return
    if (Date.now() > deadlineMs)
      throw new Error(`of ${orders} orders ${row?.placed} were placed and ${row?.settled} settled`)
    await sleep(500)
  }
}

/** How long the orders from one share of the run to another took, by the chain's clock. */
async function stage(sql: Sql, from: number, to: number): Promise<Stage> {
  const [row] = await sql<Stage[]>`
    with timed as (
      select closed_at_sec - created_at_sec as sec, percent_rank() over (order by created_at_sec, order_id) as place
      from stock_orders)
    select percentile_cont(0.5) within group (order by sec)::float8 as "p50Sec",
      percentile_cont(0.99) within group (order by sec)::float8 as "p99Sec"
    from timed where place between ${from} and ${to}`
  if (!row) throw new Error('no order was settled')
  return row
}

function print(results: Awaited<ReturnType<typeof measure>>, { perSecond, seconds }: Settings): void {
  const { orders, sentPerSec, all, first, last } = results
  console.log(`\n${orders} market orders in ${seconds} s, ${sentPerSec} a second where ${perSecond} were wanted\n`)
  const row = (name: string, { p50Sec, p99Sec }: Stage) => [name, `${p50Sec.toFixed(1)} s`, `${p99Sec.toFixed(1)} s`]
  const rows = [row('order to settlement', all), row('  first third', first), row('  last third', last)]
  printTable([['', 'p50', 'p99'], ...rows])
  console.log(`\nAim: p99 within ${AIM_P99_SEC} s, ${all.p99Sec <= AIM_P99_SEC ? 'met' : 'missed'}`)
}
