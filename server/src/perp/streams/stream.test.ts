import { once } from 'node:events'
import { PublicWebsocketClient } from '@synfutures/perpv3-ts/apis'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { gateAbi } from '../../chain/abi/gate.ts'
import type { DevelopmentAccount } from '../../chain/embedded/accounts.ts'
import type { Hex } from '../../chain/types.ts'
import { MessageJudge } from '../../http/testing-messages.ts'
import { WAD } from '../../lib/wad.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { CHAIN_ID } from '../testing/chain.ts'
import { MarketWorld } from '../testing/market-world.ts'
import { approveGate, cancel, place, setFeed, trade } from '../testing/trader.ts'
import { perpProtocol } from './protocol.ts'
import { perpStreamReference } from './reference.ts'

const WAIT = { timeout: 60_000, interval: 20 }

let world: MarketWorld
let url: string
let btc: Hex
let user: DevelopmentAccount
const open: { close(): void }[] = []
beforeAll(async () => {
  world = await MarketWorld.start()
  url = `${world.url.replace('http', 'ws')}/v4/public/ws`
  btc = await world.chain.instrument('BTC/USDC')
  user = world.chain.accounts.users[0] as DevelopmentAccount
  await setFeed(world.chain, 'BTC', 60_000n * 10n ** 8n)
  await setFeed(world.chain, 'ETH', 3_000n * 10n ** 8n)
  expect(await approveGate(world.chain, user, btc)).toBe('success')
  expect(await trade(world.chain, user, btc, WAD, 20_000n * WAD)).toBe('success')
  await world.indexed()
})
afterEach(() => {
  for (const client of open.splice(0)) client.close()
})
afterAll(() => world?.close())

// biome-ignore lint/suspicious/noExplicitAny: what is in it is what the test looks at
type Seen = any

const reference = perpStreamReference(CHAIN_ID)
const judge = new MessageJudge(reference)

/** A socket whose messages are judged. */
function socketTo(address: string, options = {}): WebSocket {
  const socket = new WebSocket(address, options)
  socket.on('message', (data) => judge.take(data.toString()))
  return socket
}
const wsFactory = (address: string, options: unknown) => socketTo(address, options as never) as never

/** A client that notes every text it is sent. */
async function connect() {
  const socket = socketTo(url)
  open.push(socket)
  const texts: string[] = []
  socket.on('message', (data) => texts.push(data.toString()))
  await once(socket, 'open')
  let lastId = 0
  const seen = (): Seen[] => texts.filter((text) => text !== 'pong').map((text) => JSON.parse(text))
  const ask = async (params: Record<string, unknown>, method = 'SUBSCRIBE'): Promise<string> => {
    const id = ++lastId
    const text = JSON.stringify({ id, method, params })
    socket.send(text)
    const { result } = (await vi.waitFor(() => {
      const found = seen().find((message) => message.id === id)
      expect(found).toBeDefined()
      return found
    }, WAIT)) as Seen
    if (result === 'success') expect(judge.requests(text)).toEqual([method.toLowerCase()])
    return result
  }
  const of = (stream: string) => seen().filter((message) => message.stream === stream)
  const until = (stream: string, count: number) =>
    vi.waitFor(() => {
      expect(of(stream).length).toBeGreaterThanOrEqual(count)
      return of(stream)
    }, WAIT)
  return { socket, texts, seen, ask, of, until }
}

const pair = () => ({ chainId: CHAIN_ID, instrument: btc, expiry: PERPETUAL_EXPIRY })
const buy = () => trade(world.chain, user, btc, WAD / 10n, 1_000n * WAD)

describe('the public stream', () => {
  it('answers the text ping with the text pong', async () => {
    const { socket, texts } = await connect()
    socket.send('ping')
    await vi.waitFor(() => expect(texts).toEqual(['pong']), WAIT)
  })

  it('sends the book first, then each change of it, until it is unsubscribed', async () => {
    const client = await connect()
    expect(await client.ask({ ...pair(), type: 'orderBook', depth: 10 })).toBe('success')
    const [first] = await client.until('orderBook', 1)
    expect(first).toMatchObject({ stream: 'orderBook', ...pair() })
    expect(client.seen()[0]).toEqual({ id: 1, result: 'success' })
    expect(Object.keys(first.data)).toEqual(['1', '10', '100', '200'])
    const tick = first.data['1'].asks[0].tick - 1
    const order = { tick: tick - 5, size: WAD / 10n, margin: 2_000n * WAD }
    expect(await place(world.chain, user, btc, order)).toBe('success')
    const levelOf = (message: Seen) => message.data['1'].bids.find((level: Seen) => level.tick === order.tick)
    await vi.waitFor(() => {
      const grown = BigInt(levelOf(client.of('orderBook').at(-1)).baseSize) - BigInt(levelOf(first).baseSize)
      // The curve's part of a level with an order in it is rounded down.
      expect([order.size, order.size - 1n]).toContain(grown)
    }, WAIT)
    const last = client.of('orderBook').at(-1)
    expect(last.data['1'].blockInfo.height).toBeGreaterThan(first.data['1'].blockInfo.height)
    const read = await world.get('/v4/public/trader/market/orderBook', { symbol: 'BTC/USDC' })
    expect(last.data['10'].asks).toEqual(read.data['10'].asks)

    expect(await client.ask({ ...pair(), type: 'orderBook' }, 'UNSUBSCRIBE')).toBe('success')
    const count = client.of('orderBook').length
    expect(await cancel(world.chain, user, btc, order.tick)).toBe('success')
    expect(await client.ask({ chainId: CHAIN_ID, type: 'common' })).toBe('success')
    await client.until('blockNumChanged', 3)
    expect(client.of('orderBook')).toHaveLength(count)
  })

  it('sends the candle of the moment and how it changes', async () => {
    const client = await connect()
    expect(await client.ask({ ...pair(), interval: '1d', type: 'kline' })).toBe('success')
    const [first] = await client.until('kline', 1)
    expect(first).toMatchObject({ ...pair(), data: { ...pair(), interval: '1d' } })
    expect(first.data.endTime - first.data.startTime).toBe(86_399)
    expect(await buy()).toBe('success')
    const all = await client.until('kline', 2)
    expect(all.at(-1).data.baseVolume).toBeCloseTo(first.data.baseVolume + 0.1, 12)
    expect(all.at(-1).data.volumeUSD).toBe(all.at(-1).data.quoteVolume)
  })

  it('sends the newest trades of its pairs, then each new one', async () => {
    const client = await connect()
    const pairs = [`${btc.toUpperCase().replace('0X', '0x')}_${PERPETUAL_EXPIRY}`]
    expect(await client.ask({ chainId: CHAIN_ID, type: 'trades', pairs, tradesLimit: 1 })).toBe('success')
    const [first] = await client.until('trades', 1)
    expect(first).toMatchObject(pair())
    expect(first.data).toHaveLength(1)
    expect(await buy()).toBe('success')
    const [, second] = await client.until('trades', 2)
    expect(second.data).toHaveLength(1)
    expect(second.data[0]).toMatchObject({
      size: String(WAD / 10n),
      side: 'long',
      type: 'Market',
      typeString: 'market',
      symbol: 'BTC/USDC',
      event: 'Trade',
      markPrice: String(60_000n * WAD),
      instrumentAddress: btc,
      quoteToken: { symbol: 'USDC', decimals: 6, price: 1 },
    })
    expect(second.data[0].id).not.toBe(first.data[0].id)
  })

  it('signals what changes of an account, and in an order which', async () => {
    const client = await connect()
    const { asks } = (await world.get('/v4/public/trader/market/orderBook', { symbol: 'BTC/USDC' })).data['1']
    const tick = asks[0].tick + 30
    const userAddress = user.address.toUpperCase().replace('0X', '0x')
    expect(await client.ask({ chainId: CHAIN_ID, type: 'portfolio', userAddress })).toBe('success')
    expect(await place(world.chain, user, btc, { tick, size: -WAD / 10n, margin: 2_000n * WAD })).toBe('success')
    const placed = (await vi.waitFor(() => {
      const found = client.of('portfolio').find(({ data }) => data.type === 'order')
      expect(found).toBeDefined()
      return found
    }, WAIT)) as Seen
    expect(placed.data).toMatchObject({
      userAddress: user.address,
      instrument: btc,
      expiry: String(PERPETUAL_EXPIRY),
      orderInfo: { type: 'placed' },
    })
    expect(await cancel(world.chain, user, btc, tick)).toBe('success')
    const canceled = () => client.of('portfolio').find(({ data }) => data.orderInfo?.type === 'canceled')
    await vi.waitFor(() => expect(canceled()).toBeDefined(), WAIT)
    expect(canceled().data.orderInfo).toEqual({ ...placed.data.orderInfo, type: 'canceled' })
    expect(client.of('portfolio').some(({ data }) => data.type === 'gate')).toBe(true)
    const gate = world.chain.contract('Gate')
    const { quote } = await world.chain.readInstrument(btc, 'getSetting', [])
    const before = client.of('portfolio').length
    const deposit: Hex = `0x${(10n ** 6n).toString(16).padStart(24, '0')}${quote.slice(2)}`
    expect(await world.chain.send(user, gate, gateAbi, 'deposit', [deposit])).toBe('success')
    await client.until('portfolio', before + 1)
    expect(client.of('portfolio').at(-1).data).toEqual({ type: 'gate', userAddress: user.address })
  })

  it('tells nothing of one account to who follows another', async () => {
    const client = await connect()
    const other = world.chain.accounts.users[5]?.address
    expect(await client.ask({ chainId: CHAIN_ID, type: 'portfolio', userAddress: other })).toBe('success')
    expect(await client.ask({ chainId: CHAIN_ID, type: 'common' })).toBe('success')
    const { length } = client.of('blockNumChanged')
    expect(await buy()).toBe('success')
    await world.indexed()
    await client.until('blockNumChanged', length + 3)
    expect(client.of('portfolio')).toEqual([])
  })

  it.each([
    ['params', undefined, 'params must be an object with a type'],
    ['type', { type: 'weather' }, 'params.type must be one of kline'],
    ['chain', { type: 'common', chainId: 1 }, `chainId must be ${CHAIN_ID}`],
    ['chain missing', { type: 'common' }, 'params.chainId must be'],
    ['interval', { type: 'kline', interval: '2h' }, 'params.interval must be one of 1m'],
    ['instrument', { type: 'orderBook', instrument: `0x${'1'.repeat(40)}` }, 'there is no instrument at 0x1111'],
    ['no address', { type: 'orderBook', instrument: 'BTC/USDC' }, 'params.instrument must be the address'],
    ['expiry', { type: 'orderBook', expiry: 1_800_000_000 }, 'BTC/USDC has no pair that expires at 1800000000'],
    ['field', { type: 'orderBook', colour: 'red' }, 'orderBook has no parameter "colour"'],
    ['pairs', { type: 'trades', chainId: CHAIN_ID, pairs: [] }, 'params.pairs must be a list'],
    ['limit', { type: 'trades', chainId: CHAIN_ID, pairs: ['x'], tradesLimit: 101 }, 'params.tradesLimit must be'],
  ])('refuses a wrong %s in its acknowledgement', async (_, params, message) => {
    const client = await connect()
    const isPair = params && ['orderBook', 'kline'].includes(params.type)
    expect(await client.ask({ ...(isPair ? pair() : {}), ...params } as never)).toContain(params ? message : 'type')
    expect(client.seen()).toHaveLength(1)
  })

  it.each([
    ['{', 'a message must be the text ping or a JSON object'],
    ['[]', 'a message must be the text ping or a JSON object'],
    ['{"id":"x","method":"SUBSCRIBE","params":{}}', 'id must be a whole number'],
    ['{"id":1,"method":"LISTEN","params":{}}', 'method must be SUBSCRIBE or UNSUBSCRIBE'],
    ['{"id":1,"method":"SUBSCRIBE"}', 'params must be an object with a type'],
  ])('says what is wrong with %s', async (text, message) => {
    const { socket, texts } = await connect()
    socket.send(text)
    await vi.waitFor(() => expect(texts).toHaveLength(1), WAIT)
    expect(JSON.parse(texts[0] as string).result).toContain(message)
  })

  it('is understood by the published client in all seven types', async () => {
    const results: { ok: boolean; result: string }[] = []
    const invalid: unknown[] = []
    const client = new PublicWebsocketClient({
      url,
      wsFactory,
      onRequestResult: (result) => results.push(result),
      onInvalidStreamData: (event) => invalid.push(event),
      autoReconnect: false,
    })
    open.push(client)
    const got: Record<string, Seen[]> = {}
    const note = (name: string) => (data: Seen) => {
      got[name] = [...(got[name] ?? []), data]
    }
    const named = pair()
    client.subscribeOrderBook({ ...named, type: 'orderBook' }, note('orderBook'))
    client.subscribeKline({ ...named, interval: '1m', type: 'kline' }, note('kline'))
    client.subscribeInstrument({ ...named, type: 'instrument' }, note('instrument'))
    client.subscribeInstrumentBasicInfo({ ...named, type: 'instrumentBasicInfo' }, note('instrumentBasicInfo'))
    client.subscribeCommon({ chainId: CHAIN_ID, type: 'common' }, note('common'))
    const pairs = [`${btc}_${PERPETUAL_EXPIRY}`]
    client.subscribeTrades({ chainId: CHAIN_ID, pairs, type: 'trades' }, note('trades'))
    const portfolio = { chainId: CHAIN_ID, userAddress: user.address, type: 'portfolio' } as const
    const { unsubscribe } = client.subscribePortfolio(portfolio, note('portfolio'))
    await vi.waitFor(() => expect(results).toHaveLength(7), WAIT)
    expect(results.every(({ ok }) => ok)).toBe(true)
    expect(await buy()).toBe('success')
    await vi.waitFor(() => {
      for (const name of ['orderBook', 'kline', 'instrument', 'common', 'trades']) {
        expect(got[name]?.length, name).toBeGreaterThanOrEqual(2)
      }
      expect(got.portfolio?.some(({ type }) => type === 'position')).toBe(true)
    }, WAIT)
    expect(invalid).toEqual([])
    expect(got.instrumentBasicInfo).toBeUndefined()
    expect(got.orderBook?.[0]).toMatchObject({ ...named, depths: { '1': { blockInfo: expect.anything() } } })
    expect(got.instrument?.some(({ amms }) => amms?.[0].expiry === PERPETUAL_EXPIRY)).toBe(true)
    expect(got.instrument?.some(({ fairPriceChange24h }) => fairPriceChange24h !== undefined)).toBe(true)
    expect(got.common?.some(({ blockNum }) => blockNum > 0)).toBe(true)
    expect(got.common?.some(({ data }) => data?.[0].symbol === 'BTC/USDC')).toBe(true)
    expect(got.trades?.at(-1).data.at(-1)).toMatchObject({ side: 'long', size: String(WAD / 10n) })
    unsubscribe()
    await vi.waitFor(() => expect(results).toHaveLength(8), WAIT)
    expect(results[7]?.ok).toBe(true)
  })

  it('follows for each handler of the published client, until the last one has left', async () => {
    const results: boolean[] = []
    const client = new PublicWebsocketClient({
      url,
      wsFactory,
      onRequestResult: ({ ok }) => results.push(ok),
      autoReconnect: false,
    })
    open.push(client)
    const params = { ...pair(), type: 'orderBook' } as const
    const got: [Seen[], Seen[]] = [[], []]
    const first = client.subscribeOrderBook(params, (data) => got[0].push(data))
    await vi.waitFor(() => expect(got[0].length).toBeGreaterThan(0), WAIT)
    const second = client.subscribeOrderBook(params, (data) => got[1].push(data))
    // The second is told what is so now, though nothing changes.
    await vi.waitFor(() => expect(got[1].length).toBeGreaterThan(0), WAIT)
    first.unsubscribe()
    await vi.waitFor(() => expect(results).toEqual([true, true, true]), WAIT)
    const before = got[1].length
    expect(await buy()).toBe('success')
    await vi.waitFor(() => expect(got[1].length).toBeGreaterThan(before), WAIT)
    second.unsubscribe()
    await vi.waitFor(() => expect(results).toEqual([true, true, true, true]), WAIT)
  })

  it('brings every one of many clients the same', async () => {
    const clients = await Promise.all(Array.from({ length: 8 }, connect))
    for (const client of clients) expect(await client.ask({ ...pair(), type: 'orderBook' })).toBe('success')
    await Promise.all(clients.map((client) => client.until('orderBook', 1)))
    expect(await buy()).toBe('success')
    await Promise.all(clients.map((client) => client.until('orderBook', 2)))
    const [first, ...others] = clients.map((client) => client.of('orderBook').at(-1).data['1'].asks)
    for (const other of others) expect(other).toEqual(first)
  })

  it('sends what the reference says of it, field by field, and all of that', () => {
    expect(judge.unknown).toEqual([])
    const isPublic = (name: string) => !/(Snapshot|Resumed|Updated|Removed)$/.test(name)
    expect([...judge.seen].sort()).toEqual(Object.keys(reference.messages).filter(isPublic).sort())
  })

  it('takes each request that the reference shows', () => {
    const protocol = perpProtocol(CHAIN_ID)
    for (const [name, { example }] of Object.entries(reference.requests)) {
      const text = typeof example === 'string' ? example : JSON.stringify(example)
      expect(judge.requests(text)).toEqual([name])
      expect(protocol.parse(text)).not.toHaveProperty('wrong')
    }
  })
})
