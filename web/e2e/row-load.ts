// The screen of a perpetual while its stream changes hundreds of rows a second, and what that costs the browser.
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { WebSocket, WebSocketServer } from 'ws'
import { words } from '../src/perp/strings.ts'
import { type AppPage, openApp } from './browser.ts'

const MARKET = 'BTC/USDC'
const WAD = 10n ** 18n
const ROUNDS_PER_SEC = 20
const MB = 2 ** 20
const BOOK_PATH = '/market/orderBook'
/** Later than any trade of the venue itself. */
const AFTER_ALL_SEC = 4_000_000_000

interface Level {
  readonly baseSize: string
  readonly baseSum: string
}
type Books = Readonly<Record<string, { readonly bids: readonly Level[]; readonly asks: readonly Level[] }>>
interface Message {
  readonly stream?: string
  readonly instrument?: string
  readonly data?: unknown
}

/** A page whose connection to the stream is in our hands: the venue's own messages, and ours in their form. */
export interface LoadedPage extends AppPage {
  /** Sends one round: another size for every row of the book, and so many trades. Answers its number, which is the size. */
  round(trades: number): number
}

/** Opens the market and waits for its book. From the first round on, the book and the trades are ours alone. */
export async function openMarketUnderLoad(browser: Browser, url: string): Promise<LoadedPage> {
  let page: WebSocket | undefined
  let book: Message | undefined
  let rounds = 0
  const relay = await relayTo(url, {
    message(text, socket) {
      const message = parsed(text)
      if (message.stream === 'orderBook') [book, page] = [message, socket]
      return rounds === 0 || (message.stream !== 'orderBook' && message.stream !== 'trades')
    },
    // Asked for by HTTP, too; a page whose question is not answered keeps what it was told.
    answer: (path) => rounds === 0 || !path.includes(BOOK_PATH),
  })
  const { port } = relay.address() as AddressInfo
  const app = await openApp(browser, `http://127.0.0.1:${port}/#/perp/trade/${encodeURIComponent(MARKET)}`)
  await app.page.locator('.book-price').first().waitFor()
  while (!book) await new Promise((resolve) => setTimeout(resolve, 50))
  const told = book
  return {
    ...app,
    round(trades) {
      rounds += 1
      page?.send(JSON.stringify({ ...told, data: booksOf(told.data as Books, rounds) }))
      page?.send(JSON.stringify({ ...told, stream: 'trades', data: tradesOf(rounds, trades) }))
      return rounds
    },
    async close() {
      await app.close()
      relay.closeAllConnections()
      relay.close()
    },
  }
}

/** What a relay lets through: of the streams' messages, and of the answers by the path that was asked. */
interface Passes {
  message(text: string, page: WebSocket): boolean
  answer(path: string): boolean
}

/** Stands before a venue and hands on what `passes` lets through. */
async function relayTo(url: string, passes: Passes): Promise<Server> {
  const { hostname, port } = new URL(url)
  const relay = createServer((asked, answer) => {
    const { url: path = '/', method, headers } = asked
    const onward = request({ hostname, port, path, method, headers }, (got) => {
      if (!passes.answer(path)) return got.resume()
      answer.writeHead(got.statusCode ?? 502, got.headers)
      got.pipe(answer)
    })
    onward.on('error', () => answer.destroy())
    asked.pipe(onward)
  })
  const sockets = new WebSocketServer({ noServer: true })
  relay.on('upgrade', (asked, socket, head) => {
    sockets.handleUpgrade(asked, socket, head, (page) => {
      const venue = new WebSocket(`ws://${hostname}:${port}${asked.url}`)
      const waiting: string[] = []
      page.on('message', (text) =>
        venue.readyState === WebSocket.OPEN ? venue.send(String(text)) : waiting.push(String(text)),
      )
      venue.on('open', () => {
        for (const text of waiting) venue.send(text)
      })
      venue.on('message', (text) => passes.message(String(text), page) && page.send(String(text)))
      venue.on('close', () => page.close())
      venue.on('error', () => page.close())
      page.on('close', () => venue.close())
    })
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  return relay
}

const parsed = (text: string): Message => (text.startsWith('{') ? JSON.parse(text) : {})

const booksOf = (books: Books, round: number): Books =>
  Object.fromEntries(
    Object.entries(books).map(([step, { bids, asks, ...rest }]) => {
      return [step, { ...rest, bids: bids.map(levelOf(round)), asks: asks.map(levelOf(round)) }]
    }),
  )

const levelOf =
  (round: number) =>
  (level: Level, index: number): Level => ({
    ...level,
    baseSize: String(BigInt(round) * WAD),
    baseSum: String(BigInt(round * (index + 1)) * WAD),
  })

const tradesOf = (round: number, count: number) =>
  Array.from({ length: count }, (_, nth) => ({
    id: `${round}-${nth}`,
    price: String(60_000n * WAD),
    size: String(BigInt(round) * WAD),
    side: nth % 2 === 0 ? 'long' : 'short',
    timestamp: AFTER_ALL_SEC + round,
  }))

/** The sizes that the page shows, of the book and of the trades. */
export async function shownSizes(page: Page): Promise<{ book: readonly string[]; trades: readonly string[] }> {
  const sizes = (caption: string) =>
    page
      .getByRole('table', { name: caption, exact: true })
      .locator('tbody tr:not(.book-middle) td:nth-child(2)')
      .allTextContents()
  return { book: await sizes(words.book), trades: await sizes(words.trades) }
}

export interface LoadFigures {
  /** Of rows, as many as were sent. */
  readonly updatesPerSec: number
  /** Of the time, what the tasks of the page's main thread took of a processor. */
  readonly busyShare: number
  /** What the page holds after a collection of garbage, at the start and after each part of the run. */
  readonly heapMb: readonly number[]
  readonly domNodes: readonly number[]
  readonly lastRound: number
}

export interface LoadSettings {
  readonly seconds: number
  readonly rowsPerSec: number
  /** How often memory is read on the way. */
  readonly parts: number
}

/** Changes so many rows a second, at an even pace, and reads what it costs. */
export async function measureLoad(
  { page, context, round }: LoadedPage,
  { seconds, rowsPerSec, parts }: LoadSettings,
): Promise<LoadFigures> {
  const cdp = await context.newCDPSession(page)
  // Of the processor, so that what else runs on the machine does not count.
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  const bookRows = (await shownSizes(page)).book.length
  const trades = Math.max(0, Math.round(rowsPerSec / ROUNDS_PER_SEC) - bookRows)
  const memory = [await memoryOf(cdp)]
  let [busySec, elapsedSec, updates, lastRound] = [0, 0, 0, 0]
  for (let part = 0; part < parts; part += 1) {
    const beforeSec = await busySecOf(cdp)
    const startedMs = performance.now()
    for (let nth = 0; nth < (seconds / parts) * ROUNDS_PER_SEC; nth += 1) {
      lastRound = round(trades)
      updates += bookRows + trades
      const nextMs = startedMs + ((nth + 1) * 1000) / ROUNDS_PER_SEC
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, nextMs - performance.now())))
    }
    elapsedSec += (performance.now() - startedMs) / 1000
    busySec += (await busySecOf(cdp)) - beforeSec
    memory.push(await memoryOf(cdp))
  }
  return {
    updatesPerSec: updates / elapsedSec,
    busyShare: busySec / elapsedSec,
    heapMb: memory.map(({ heapMb }) => heapMb),
    domNodes: memory.map(({ nodes }) => nodes),
    lastRound,
  }
}

async function busySecOf(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN
}

async function memoryOf(cdp: CDPSession): Promise<{ heapMb: number; nodes: number }> {
  await cdp.send('HeapProfiler.collectGarbage')
  const { usedSize } = await cdp.send('Runtime.getHeapUsage')
  const { nodes } = await cdp.send('Memory.getDOMCounters')
  return { heapMb: usedSize / MB, nodes }
}
