import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ApiKey, Client, eventually } from './client.ts'
import { createKeyIn } from './keys.ts'
import { OneClickUser, type Sent } from './one-click-user.ts'
import { Trader } from './trader.ts'
import { type EmbeddedProcess, keyStoreOf, runCli, runEmbedded, untilSaved, type Venue } from './venue.ts'

// docs/runbooks/restore.md, carried out: the database is copied while sends arrive, the venue goes on, the copy is put in its
// place, and an operator heals it. Nothing is doubled, and what the copy does not know is listed.

const FAR_FUTURE = 4_000_000_000
/** Sends under way at the same time. */
const AT_ONCE = 3

/** A send, by the key under which it may be repeated. */
interface Order {
  readonly key: string
  readonly body: string
}

let folder: string
let dataDir: string
let running: EmbeddedProcess | null = null
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bourse-drill-'))
  dataDir = join(folder, 'data')
})
afterAll(async () => {
  await stop()
  await rm(folder, { recursive: true, force: true })
})

const cli = (...args: string[]) => runCli({ DATA_DIR: dataDir })(...args)

/** The venue as it runs now; its ports change with every start. */
async function start(): Promise<Venue> {
  running = await runEmbedded(dataDir)
  const { dev } = running
  const baseUrls = [dev.stock.baseUrl]
  const keyStore = await keyStoreOf(dataDir)
  return {
    client: new Client({ baseUrls, chainId: 31_337, productType: 'Bourse', key: dev.stock.keys[0] }),
    rpcUrl: dev.chain.rpcUrl,
    contracts: dev.contracts,
    accounts: dev.accounts,
    baseUrls,
    databaseUrl: keyStore.databaseUrl,
    cli,
    createKey: createKeyIn(keyStore),
    stop,
  }
}

async function stop(): Promise<void> {
  await running?.stop()
  running = null
}

function kill(): void {
  running?.killEverything()
  running = null
}

/** No two orders are the same call, so that each can be told from the others on chain. */
let made = 0
const newOrder = (venue: Venue): Order => {
  const order = {
    stockAddress: venue.contracts.aAAPL,
    side: 'Buy',
    type: 'Market',
    notional: String(10 + made++),
    deadline: FAR_FUTURE,
  }
  return { key: randomUUID(), body: JSON.stringify(order) }
}

/** Sends an order, or asks again for what became of it. */
async function send(venue: Venue, apiKey: ApiKey, { key, body }: Order): Promise<Sent> {
  const client = venue.client.as(apiKey)
  const path = '/api/v1/orders/send'
  return client.data(
    client.send<Sent>('POST', path, body, (headers) => {
      headers['idempotency-key'] = key
    }),
  )
}

const untilConfirmed = (venue: Venue, apiKey: ApiKey, order: Order): Promise<Sent> =>
  eventually(
    () => send(venue, apiKey, order),
    ({ status }) => status === 'Confirmed',
  )

async function ordersOnChain(venue: Venue): Promise<readonly string[]> {
  const sql = postgres(venue.databaseUrl, { max: 1, onnotice: () => {} })
  const rows = await sql<{ hash: string }[]>`select create_tx_hash as hash from stock_orders order by 1`
  await sql.end()
  return rows.map(({ hash }) => hash)
}

it('a restored copy doubles nothing, lists what it lost, and goes on once an operator has judged', async () => {
  const first = await start()
  const apiKey = await first.createKey({ access: 'WRITABLE', user: first.accounts[0]?.address ?? '' })
  const user = new OneClickUser(new Trader(first, first.client.as(apiKey), 0))
  await user.trader.fund(10_000n)
  await user.enable()
  const deposit = { tokenAddress: first.contracts.USDC, tokenAmount: '5000' }
  await user.untilCash('deposits', await user.send('cash/deposits/send', deposit))
  // From here on a kill loses the newest blocks at most, which hold none of that.
  await untilSaved(dataDir, await user.trader.wallet.chain.getBlockNumber())

  // The copy is of the moment in which everything dies, with sends at every stage.
  const orders: Order[] = []
  let killed = false
  const load = Array.from({ length: AT_ONCE }, async () => {
    while (!killed) {
      const order = newOrder(first)
      orders.push(order)
      await send(first, apiKey, order).catch(() => {})
    }
  })
  await eventually(
    async () => orders.length,
    (sent) => sent > 4 * AT_ONCE,
  )
  kill()
  killed = true
  await Promise.all(load)
  const copy = join(folder, 'copy')
  await cp(join(dataDir, 'postgres'), copy, { recursive: true })

  // The venue goes on: what was not answered is asked for again, and more comes.
  const second = await start()
  for (let more = 0; more < 5; more++) orders.push(newOrder(second))
  const hashes = new Map<string, string>()
  for (const order of orders) hashes.set(order.key, (await untilConfirmed(second, apiKey, order)).txHash ?? '')
  expect(new Set(hashes.values()).size).toBe(orders.length)
  expect(await ordersOnChain(second)).toEqual([...hashes.values()].sort())
  await stop()

  await rm(join(dataDir, 'postgres'), { recursive: true })
  await cp(copy, join(dataDir, 'postgres'), { recursive: true })
  const restored = await start()
  await eventually(
    async () => (await (await fetch(new URL('/status', restored.baseUrls[0]))).json()) as StoppedSigners,
    ({ relayer }) => relayer.signers.some(({ stoppedReason }) => stoppedReason === 'database_behind_chain'),
  )
  await eventually(
    () => ordersOnChain(restored),
    (found) => found.length >= orders.length,
  )

  // Every order that the copy does not know is in the list, by its transaction.
  const list = await eventually(
    async () => cli('intents', 'list'),
    (text) => !text.includes('Nothing can be judged yet'),
  )
  const lost = orders.slice(-5).map(({ key }) => hashes.get(key) ?? '')
  for (const hash of lost) expect(list).toContain(hash)
  const judged = [...list.matchAll(/^ {2}(\d+) .*: to be judged$/gm)].map(([, id = '']) => id)
  if (judged.length > 0) cli('intents', 'discard', ...judged)
  expect(cli('intents', 'resume')).toContain('Sending goes on.')

  // A client that never heard of it repeats its lost send, and gets the transaction of then.
  const repeated = orders.at(-1) as Order
  expect((await untilConfirmed(restored, apiKey, repeated)).txHash).toBe(hashes.get(repeated.key))
  const fresh = await untilConfirmed(restored, apiKey, newOrder(restored))
  expect(await ordersOnChain(restored)).toEqual([...hashes.values(), fresh.txHash].sort())
})

interface StoppedSigners {
  readonly relayer: { readonly signers: readonly { readonly stoppedReason: string | null }[] }
}
