import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ccxt from 'ccxt'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EmbeddedProcess, runEmbedded } from '../../server/e2e/venue.ts'
import { bourseExchange } from '../src/index.ts'
import type { Exchange } from '../src/venue.ts'
import { type BotKey, CHAIN_ID, perpBot, perpUrl, stockBot } from './bot.ts'
import { expectStructures } from './structures.ts'

// A whole venue, as `npm start` runs it, and a bot on each product.

const SYMBOL = 'BTC/USDC:USDC'
const here = import.meta.dirname
let folder: string
let venue: EmbeddedProcess
let key: BotKey
let exchange: Exchange
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bourse-ccxt-'))
  venue = await runEmbedded(join(folder, 'data'))
  key = await perpBot(venue, 5)
  exchange = exchangeWith(key)
})
afterAll(async () => {
  await exchange?.close()
  await venue?.stop()
  await rm(folder, { recursive: true, force: true })
})

function exchangeWith({ apiKey, secret }: BotKey): Exchange {
  const Bourse = bourseExchange(ccxt)
  const urls = { api: { rest: perpUrl(venue) } }
  return new Bourse({ apiKey, secret, urls, options: { chainId: CHAIN_ID, leverage: '5' } })
}

const idOf = ({ id }: { id?: string | undefined }): string => id ?? ''

/** What the bot of the README prints. */
const PRINTED = [
  /^BTC\/USDC:USDC costs \d+(\.\d+)?$/,
  /^bought 0\.01 at \d+(\.\d+)?$/,
  /^long 0\.01, free \d+(\.\d+)? USDC$/,
]

it('the bot of the README trades', async () => {
  const text = await readFile(join(here, '..', 'README.md'), 'utf8')
  const program = /^```ts\n([\s\S]*?)^```$/m.exec(text)?.[1] ?? ''
  const bot = await perpBot(venue, 6)
  const node = spawn(process.execPath, ['--input-type=module-typescript', '-'], {
    cwd: join(here, '..'),
    env: { ...process.env, BOURSE_URL: perpUrl(venue), API_KEY: bot.apiKey, API_SECRET: bot.secret },
  })
  let output = ''
  for (const stream of [node.stdout, node.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk
    })
  }
  node.stdin.end(program)
  const [code] = await once(node, 'exit')
  const lines = output.trim().split('\n')
  expect([code, lines.length], output).toEqual([0, PRINTED.length])
  expect(lines.filter((line, nth) => !PRINTED[nth]?.test(line))).toEqual([])
})

describe('perpetual futures', () => {
  it('have markets, prices, books and candles', async () => {
    expectStructures('market', Object.values(await exchange.loadMarkets()))
    expectStructures('ticker', Object.values(await exchange.fetchTickers()))
    const book = await exchange.fetchOrderBook(SYMBOL, 5)
    expectStructures('orderBook', [book])
    expect(book.bids).toHaveLength(5)
    expect(Number(book.asks[0]?.[0])).toBeGreaterThan(Number(book.bids[0]?.[0]))
    expect(Math.abs(((await exchange.fetchTime()) ?? 0) - Date.now())).toBeLessThan(45_000)
  })

  it('are bought, followed and closed by a bot', async () => {
    const watched = [exchange.watchMyTrades(SYMBOL), exchange.watchPositions([SYMBOL])]
    const before = await exchange.fetchBalance()
    const order = await exchange.createOrder(SYMBOL, 'market', 'buy', 0.02)
    expectStructures('order', [order])
    expect(order).toMatchObject({ status: 'closed', filled: 0.02, side: 'buy' })
    const [trades, positions] = (await Promise.all(watched)) as object[][]
    expectStructures('trade', trades ?? [])
    expect(trades?.at(-1)).toMatchObject({ order: order.id, amount: 0.02, takerOrMaker: 'taker' })
    expect(positions?.at(-1)).toMatchObject({ symbol: SYMBOL, contracts: 0.02, side: 'long' })

    const position = await exchange.fetchPosition(SYMBOL)
    expectStructures('position', [position])
    expect(position).toMatchObject({ contracts: 0.02, entryPrice: order.average })
    expect((await exchange.fetchOrder(idOf(order), SYMBOL)).average).toBe(order.average)
    const held = await exchange.fetchBalance()
    expect(Number(held.USDC?.used)).toBeGreaterThan(0)
    expect(Number(held.USDC?.total)).toBeLessThan(Number(before.USDC?.total))

    expect(await exchange.closePosition(SYMBOL)).toMatchObject({ side: 'sell', filled: 0.02 })
    expect((await exchange.fetchPosition(SYMBOL)).contracts).toBe(0)
    expectStructures('trade', await exchange.fetchMyTrades(SYMBOL))
    expect((await exchange.fetchClosedOrders(SYMBOL)).map(({ id }) => id)).toContain(order.id)
  })

  it('rest as limit orders under one id everywhere, until they are cancelled', async () => {
    const watched = exchange.watchOrders(SYMBOL)
    const { bids } = await exchange.fetchOrderBook(SYMBOL)
    const order = await exchange.createOrder(SYMBOL, 'limit', 'buy', 0.01, Number(bids[0]?.[0]) * 0.95)
    expectStructures('order', [order])
    expect(order.status).toBe('open')
    expect((await exchange.fetchOpenOrders(SYMBOL)).map(({ id }) => id)).toEqual([order.id])
    expect((await watched).map(({ id, status }) => [id, status])).toContainEqual([order.id, 'open'])
    const next = exchange.watchOrders(SYMBOL)
    expect((await exchange.cancelOrder(idOf(order), SYMBOL)).status).toBe('canceled')
    expect((await next).map(({ id, status }) => [id, status])).toContainEqual([order.id, 'canceled'])
    expect(await exchange.fetchOpenOrders(SYMBOL)).toEqual([])
    expect((await exchange.fetchCanceledOrders(SYMBOL)).map(({ id }) => id)).toContain(order.id)
    await expect(exchange.cancelOrder(idOf(order), SYMBOL)).rejects.toThrow(ccxt.OrderNotFound)
  })

  it('of which the answer is lost are bought once when the order is repeated under its key', async () => {
    const bot = exchangeWith(key)
    await bot.loadMarkets()
    await bot.fetchTime()
    const { fetch } = bot
    let lost = 0
    bot.fetch = async (url: string, method: string, headers: never, body: never) => {
      const answer = await fetch.call(bot, url, method, headers, body)
      if (method !== 'POST' || lost++ > 0) return answer
      throw new ccxt.NetworkError('the connection was reset')
    }
    const before = (await exchange.fetchMyTrades(SYMBOL)).length
    const error = await bot.createOrder(SYMBOL, 'market', 'buy', 0.01).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(ccxt.RequestTimeout)
    const again = await bot.createOrder(SYMBOL, 'market', 'buy', 0.01, undefined, {
      clientOrderId: error.clientOrderId,
    })
    expect(again).toMatchObject({ filled: 0.01, clientOrderId: error.clientOrderId })
    expect((await exchange.fetchMyTrades(SYMBOL)).length).toBe(before + 1)
    await exchange.closePosition(SYMBOL)
  })

  it('are told on by the stream after a cut, without a gap', async () => {
    // What has come since the first of these tests.
    expect((await exchange.watchMyTrades(SYMBOL)).length).toBeGreaterThan(0)
    for (const client of Object.values(exchange.clients)) {
      ;(client as unknown as { connection: { terminate(): void } }).connection.terminate()
    }
    const order = await exchange.createOrder(SYMBOL, 'market', 'sell', 0.01)
    const ids: unknown[] = []
    while (!ids.includes(order.id)) {
      const trades = await exchange.watchMyTrades(SYMBOL).catch((error) => {
        if (error instanceof ccxt.NetworkError) return []
        throw error
      })
      ids.push(...trades.map((trade) => trade.order))
    }
    expect(ids.filter((id) => id === order.id)).toHaveLength(1)
    await exchange.closePosition(SYMBOL)
  })

  it('are refused in the classes of ccxt', async () => {
    const wrong = exchangeWith({ ...key, secret: 'wrong' })
    await expect(wrong.fetchBalance()).rejects.toThrow(ccxt.AuthenticationError)
    await expect(wrong.watchOrders(SYMBOL)).rejects.toThrow(ccxt.AuthenticationError)
    const noInterval = exchange.watchOHLCV(SYMBOL, '2m')
    await expect(noInterval).rejects.toThrow(ccxt.BadRequest)
    await expect(exchange.fetchOrder('1')).rejects.toThrow(ccxt.OrderNotFound)
    await expect(exchange.fetchTicker('NONE/USDC:USDC')).rejects.toThrow(ccxt.BadSymbol)
    const order = exchange.createOrder(SYMBOL, 'market', 'buy', 0.01, undefined, { leverage: '1000' })
    await expect(order).rejects.toThrow(ccxt.InvalidOrder)
  })
})

describe('stocks', () => {
  it('are bought with cash, rest as limit orders and are cancelled by a bot', async () => {
    const bot = await stockBot(venue)
    const Bourse = bourseExchange(ccxt, 'stock')
    const stocks = new Bourse({
      ...bot,
      urls: { api: { rest: venue.dev.stock.baseUrl } },
      options: { chainId: CHAIN_ID },
    })
    const symbol = 'AAPL/USD'
    expectStructures('market', Object.values(await stocks.loadMarkets()))
    expectStructures('ticker', [await stocks.fetchTicker(symbol), await stocks.watchTicker(symbol)])
    const price = Number((await stocks.fetchTicker(symbol)).last)

    const told = stocks.watchOrders(symbol)
    const order = await stocks.createOrder(symbol, 'market', 'buy', undefined as never, undefined, { cost: '100' })
    expectStructures('order', [order])
    const seen = [...(await told)]
    while (!seen.some(({ id, status }) => id === order.id && status === 'closed')) {
      seen.push(...(await stocks.watchOrders(symbol)))
    }
    const filled = await stocks.fetchOrder(idOf(order))
    expect(Number(filled.cost)).toBeGreaterThan(99)
    expectStructures('trade', await stocks.fetchMyTrades(symbol))
    expect((await stocks.fetchClosedOrders(symbol)).map(({ id }) => id)).toContain(order.id)
    const balance = await stocks.fetchBalance()
    expect(balance.AAPL?.total).toBe(filled.filled)
    expect(Number(balance.USD?.free)).toBeLessThan(901)

    const resting = await stocks.createOrder(symbol, 'limit', 'buy', 1, Math.floor(price * 0.9))
    expect(resting).toMatchObject({ status: 'open', amount: 1, type: 'limit' })
    expect((await stocks.fetchOpenOrders(symbol)).map(({ id }) => id)).toEqual([resting.id])
    await stocks.cancelOrder(idOf(resting))
    while (!seen.some(({ id, status }) => id === resting.id && status === 'canceled')) {
      seen.push(...(await stocks.watchOrders(symbol)))
    }
    const tooMuch = stocks.createOrder(symbol, 'limit', 'buy', 1000, Math.floor(price * 0.9))
    await expect(tooMuch).rejects.toThrow(ccxt.InsufficientFunds)
    await stocks.close()
  })
})
