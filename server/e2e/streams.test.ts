import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeDeployment } from '../src/chain/deployment.ts'
import type { AsyncApiDocument } from '../src/http/asyncapi.ts'
import { refusedUpgrade, type Seen, StreamClient } from '../src/http/testing-stream.ts'
import { programFile } from '../src/lib/testing-programs.ts'
import { createRandom } from '../src/lib/testing-random.ts'
import { type ApiKey, Client, eventually } from './client.ts'
import { MessageValidator } from './openapi-validator.ts'
import { STREAM_URI, streamHeaders, streamUrl } from './stream-client.ts'
import { Trader } from './trader.ts'
import { type EmbeddedProcess, runEmbedded, type Venue } from './venue.ts'

// One venue, and a second api process on its database: what a client sees is the same at both.

const root = join(import.meta.dirname, '..', '..')
const CHAIN_ID = 31_337

let folder: string
let first: EmbeddedProcess
let second: ChildProcess
let baseUrls: readonly [string, string]
let key: ApiKey
let readOnly: ApiKey
let client: Client
let trader: Trader
const clients: StreamClient[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bourse-streams-'))
  const dataDir = join(folder, 'data')
  first = await runEmbedded(dataDir)
  const { dev } = first
  const deploymentFile = join(folder, 'deployment.json')
  await writeDeployment(deploymentFile, { chainId: CHAIN_ID, startBlock: 0n, contracts: dev.contracts })
  const secondUrl = await startSecond(dataDir, dev.chain.rpcUrl, deploymentFile)
  baseUrls = [dev.stock.baseUrl, `${secondUrl}/stock`]
  ;[key, readOnly] = dev.stock.keys
  client = new Client({ baseUrls: [baseUrls[0]], chainId: CHAIN_ID, productType: 'Bourse', key })
  const venue = { client, rpcUrl: dev.chain.rpcUrl, contracts: dev.contracts, accounts: dev.accounts }
  trader = new Trader(venue as unknown as Venue, client, 0)
  await trader.fund(1_000_000n)
})
afterAll(async () => {
  for (const one of clients) one.close()
  if (second?.exitCode === null) {
    second.kill('SIGTERM')
    await once(second, 'exit')
  }
  await first?.stop()
  await rm(folder, { recursive: true, force: true })
})

async function startSecond(dataDir: string, rpcUrl: string, deploymentFile: string): Promise<string> {
  const { DATABASE_URL: _, REDIS_URL: __, ...inherited } = process.env
  second = spawn(process.execPath, [programFile(join(root, 'server', 'src', 'main.ts'))], {
    cwd: root,
    env: {
      ...inherited,
      ROLES: 'api',
      PORT: '0',
      DATABASE_URL: (await readFile(join(dataDir, 'database.url'), 'utf8')).trim(),
      SECRETS_KEY: (await readFile(join(dataDir, 'secrets.key'), 'utf8')).trim(),
      CHAIN_RPC_URL: rpcUrl,
      DEPLOYMENT_FILE: deploymentFile,
    },
  })
  let output = ''
  return new Promise((resolve, reject) => {
    const collect = (chunk: Buffer) => {
      output += chunk
      const url = /Bourse is ready[\s\S]*?(http:\/\/127\.0\.0\.1:\d+)/.exec(output)?.[1]
      if (url) resolve(url)
    }
    second.stdout?.on('data', collect)
    second.stderr?.on('data', collect)
    second.once('exit', () => reject(new Error(`the second api process ended:\n${output}`)))
  })
}

/** Connects to the first or the second api process. */
async function connect(which: 0 | 1, as = key): Promise<StreamClient> {
  const one = new StreamClient(streamUrl(baseUrls[which]), streamHeaders(as))
  clients.push(one)
  return one.opened()
}

/** What a snapshot and the deltas after it add up to: the newest data of each key. */
function fold(snapshot: Seen, deltas: readonly Seen[]): Map<string, Seen> {
  const records = new Map<string, Seen>(snapshot.data.map(({ key: name, data }: Seen) => [name, data]))
  for (const { key: name, data } of deltas) {
    if (data === null) records.delete(name)
    else records.set(name, data)
  }
  return records
}

describe('authentication', () => {
  it.each<[string, (headers: Record<string, string>) => void]>([
    ['without a key and a signature', (headers) => Object.assign(headers, { 'x-api-key': '', 'x-api-sign': '' })],
    ['with a wrong signature', (headers) => Object.assign(headers, { 'x-api-sign': '0'.repeat(64) })],
    ['for another product', (headers) => Object.assign(headers, { 'x-api-p': 'bourse' })],
    ['for another chain', (headers) => Object.assign(headers, { 'x-api-chain-id': '1' })],
    ['with an old timestamp', (headers) => Object.assign(headers, { 'x-api-ts': String(Date.now() - 60_000) })],
    ['with an unknown key', (headers) => Object.assign(headers, { 'x-api-key': 'nobody' })],
  ])('fails %s: HTTP 400 with code 401, before any upgrade', async (_, change) => {
    const headers = streamHeaders(key)
    change(headers)
    const { status, body, headers: answered } = await refusedUpgrade(streamUrl(baseUrls[0]), headers)
    expect([status, body]).toMatchObject([400, { code: 401, errMsg: 'Unauthorized', data: null }])
    expect(answered['x-error-reason']).toBeUndefined()
  })

  it('takes a nonce once, and a READ_ONLY key', async () => {
    const headers = streamHeaders(readOnly)
    const one = new StreamClient(streamUrl(baseUrls[0]), headers)
    clients.push(await one.opened())
    expect((await refusedUpgrade(streamUrl(baseUrls[0]), headers)).body.code).toBe(401)
    expect(await one.subscribe('orders')).toMatchObject({ type: 'snapshot', sequence: 0, total: 0, data: [] })
    expect((await one.subscribe('trades')).message).toContain('channels are orders, cash, stock')
    expect((await one.subscribe('quotes:NOPE')).reason).toBe('symbol_unknown')
    expect((await one.subscribe('candles:AAPL:2m')).reason).toBe('channel_unknown')
    const plain = await client.get(STREAM_URI)
    expect([plain.status, plain.body.code]).toEqual([400, 10_000])
  })
})

describe('a key’s own channels', () => {
  it('are what GET shows in the end, the same at both processes, and nobody else’s', async () => {
    const [here, there, stranger] = [await connect(0), await connect(1), await connect(1, readOnly)]
    const channels = ['orders', 'cash', 'stock'] as const
    const begun = new Map<string, Seen>()
    for (const channel of channels) {
      begun.set(`here ${channel}`, await here.subscribe(channel))
      begun.set(`there ${channel}`, await there.subscribe(channel))
      await stranger.subscribe(channel)
    }
    await trader.cash('deposits', '5000')
    const bought = await trader.place({ side: 'Buy', notional: '1000' })
    await eventually(
      () => trader.order(bought),
      ({ orderStatus }) => orderStatus === 'Filled',
    )
    const rests = await trader.placeLimit('Buy', '1', '1')
    await trader.stock('withdrawals', '0.5')
    const last = await eventually(
      () => trader.order(rests),
      ({ orderStatus }) => orderStatus === 'New',
    )

    for (const one of [here, there]) {
      await one.until(() =>
        one.deltas('orders').some(({ data }) => data?.orderId === last.orderId && data.orderStatus === 'New'),
      )
      await one.until(() => one.deltas('orders').some(({ data }) => data?.orderStatus === 'Filled'))
      await one.until(() => one.deltas('stock').some(({ data }) => data?.operationStatus === 'success'))
      await one.until(() => one.deltas('cash').some(({ data }) => data?.operationStatus === 'success'))
      for (const channel of channels) {
        const from = begun.get(`${one === here ? 'here' : 'there'} ${channel}`).sequence
        const numbers = one.deltas(channel).map(({ sequence, previous }) => [previous, sequence])
        expect(numbers).toEqual(numbers.map((_, nth) => [from + nth, from + nth + 1]))
      }
    }
    for (const data of fold(begun.get('here orders'), here.deltas('orders')).values()) {
      expect(data).toEqual(await client.data(client.get(`/api/v1/orders/${data.orderId}`)))
    }
    for (const data of fold(begun.get('there cash'), there.deltas('cash')).values()) {
      expect(data).toEqual(await client.data(client.get(`/api/v1/cash/deposits/${data.operationId}`)))
    }
    for (const data of fold(begun.get('there stock'), there.deltas('stock')).values()) {
      expect(data).toEqual(await client.data(client.get(`/api/v1/stock/withdrawals/${data.operationId}`)))
    }
    // The same events, with the same ids.
    const ids = (one: StreamClient) => one.deltas('orders').map(({ id }) => id)
    expect(ids(there)).toEqual(ids(here))
    expect(stranger.seen.filter(({ type }) => type === 'delta')).toEqual([])
  })

  it('are resumed at any process after a cut at any point, without loss or repetition', async () => {
    const whole = await connect(0)
    await whole.subscribe('orders', 0)
    for (let nth = 0; nth < 3; nth++) await trader.placeLimit('Buy', '1', '1')
    // More come while the connection is cut again and again.
    const placing = (async () => {
      for (let nth = 0; nth < 4; nth++) await trader.placeLimit('Buy', '1', '1')
    })()
    const random = createRandom(1)
    const pieces: Seen[] = []
    for (let cut = 0; cut < 12; cut++) {
      const from = pieces.at(-1)?.sequence ?? 0
      const one = await connect((cut % 2) as 0 | 1)
      expect(await one.subscribe('orders', from)).toMatchObject({ type: 'resumed', sequence: from })
      const wanted = random.below(3)
      const head = whole.deltas('orders').at(-1)?.sequence ?? 0
      await one.until(() => one.deltas('orders').length >= Math.min(wanted, head - from))
      one.close()
      await one.end()
      pieces.push(...one.deltas('orders'))
    }
    await placing
    const from = pieces.at(-1)?.sequence ?? 0
    const rest = await connect(1)
    await rest.subscribe('orders', from)
    const { sequence: end } = await (await connect(0)).subscribe('orders')
    await rest.until(() => from + rest.deltas('orders').length >= end)
    pieces.push(...rest.deltas('orders'))
    await whole.until(() => whole.deltas('orders').length >= pieces.length)
    expect(pieces.length).toBeGreaterThan(7)
    expect(pieces.map(({ sequence }) => sequence)).toEqual(pieces.map((_, nth) => nth + 1))
    expect(pieces).toEqual(whole.deltas('orders').slice(0, pieces.length))
  })
})

describe('market channels', () => {
  it('quotes: the newest, as GET shows it, at both processes', async () => {
    const [here, there] = [await connect(0), await connect(1)]
    const snapshot = await here.subscribe('quotes:AAPL')
    await there.subscribe('quotes:AAPL')
    expect(snapshot.data.basicInfo.symbol).toBe('AAPL')
    const quotes = await here.until(() => here.deltas('quotes:AAPL').length >= 3 && here.deltas('quotes:AAPL'))
    let { sequence } = snapshot
    for (const delta of quotes) {
      expect(delta.previous).toBe(sequence)
      expect(delta.sequence).toBeGreaterThan(sequence)
      sequence = delta.sequence
    }
    await there.until(() => there.deltas('quotes:AAPL').length >= 3)
    const shared = there
      .deltas('quotes:AAPL')
      .filter((one) => here.deltas('quotes:AAPL').some((other) => other.sequence === one.sequence))
    expect(shared.length).toBeGreaterThan(0)
    const newest = here.deltas('quotes:AAPL').at(-1)
    const again = await connect(1)
    expect(await again.subscribe('quotes:AAPL', newest.sequence)).toMatchObject({ channel: 'quotes:AAPL' })
    // What GET shows is what is told; a quote between two looks may be shown and not told, and the other way round.
    const shown = new Set<string>()
    await eventually(
      async () => shown.add(JSON.stringify(await client.data(client.get('/api/v1/prices/AAPL')))).size,
      () => here.seen.some(({ data }) => shown.has(JSON.stringify(data))),
    )
  })

  it.each([
    ['MSFT', '1m', 1],
    ['SPX', '1d', 20],
  ])('candles: the bars of GET, kept up to date: %s %s', async (symbol, interval, least) => {
    const channel = `candles:${symbol}:${interval}`
    const one = await connect(1)
    const { data } = await one.subscribe(channel)
    await one.until(() => one.deltas(channel).length >= 3)
    const bars = new Map<number, Seen>(data.map((bar: Seen) => [bar.timestamp, bar]))
    const endTime = () => Math.floor(Date.now() / 1000) + 60
    const path = () => `/api/v1/prices/${symbol}/history?interval=${interval}&endTime=${endTime()}&limit=20`
    const told = () => one.seen.filter((message) => message.channel === channel).flatMap((message) => message.data)
    // The newest bar of some moment is both shown and told; of another moment it may be only one of them.
    const newest = new Map<string, Seen[]>()
    const both = () => told().find((bar) => newest.has(JSON.stringify(bar)))
    await eventually(
      async () => {
        const all = await client.data(client.get<Seen[]>(path()))
        newest.set(JSON.stringify(all.at(-1)), all)
      },
      () => both() !== undefined,
    )
    const shown = newest.get(JSON.stringify(both())) ?? []
    expect(shown.length).toBeGreaterThanOrEqual(least)
    for (const bar of told()) bars.set(bar.timestamp, bar)
    // Bars that were finished by then are the same.
    for (const bar of shown.slice(0, -1)) expect(bars.get(bar.timestamp)).toEqual(bar)
  })
})

describe('a process that stops', () => {
  it('tells its clients, who go on at the other without a gap', async () => {
    const one = await connect(1)
    const { sequence } = await one.subscribe('orders')
    second.kill('SIGTERM')
    expect(await one.end()).toEqual({ code: 1001, reason: 'stopping' })
    const [code] = await once(second, 'exit')
    expect(code).toBe(0)
    await trader.placeLimit('Buy', '1', '1')
    const other = await connect(0)
    const from = one.deltas('orders').at(-1)?.sequence ?? sequence
    await other.subscribe('orders', from)
    await other.until(() => other.deltas('orders').length > 0)
    expect(other.deltas('orders')[0].sequence).toBe(from + 1)
  })
})

describe('the messages', () => {
  it('are what /asyncapi.json says of them, field by field', async () => {
    const one = await connect(0)
    one.send({ op: 'ping', id: 7 })
    await one.message('pong')
    one.send({ op: 'nonsense' })
    await one.message('error')
    await one.subscribe('orders')
    one.send({ op: 'unsubscribe', channel: 'orders' })
    await one.message('unsubscribed')
    const document = await fetch(new URL('/asyncapi.json', baseUrls[0]))
    const validator = new MessageValidator((await document.json()) as AsyncApiDocument)
    const told = clients.flatMap(({ seen }) => seen).map((message) => validator.namesOf('tell', message))
    expect(told.flatMap(({ problem }) => problem ?? [])).toEqual([])
    const kept = ['orders', 'cash', 'stock'].flatMap((name) => [`${name}Snapshot`, `${name}Updated`])
    const conflated = ['quotes', 'candles'].flatMap((name) => [`${name}Snapshot`, `${name}Delta`])
    const others = ['resumed', 'unsubscribed', 'pong', 'error', 'closing']
    expect([...new Set(told.flatMap(({ names }) => names))]).toEqual(
      expect.arrayContaining([...kept, ...conflated, ...others]),
    )
  })
})
