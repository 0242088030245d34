// The built app in a browser before a venue that is not there: each test says what is answered. For what a real venue does not
// do when it is wanted: refuse a request in the middle of something, list two markets of one symbol, have hundreds of orders.
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions, Page, Route, WebSocketRoute } from 'playwright-core'
import { HANGS_MS } from '../../scripts/chromium.ts'

/** A page may use WebCrypto there, as at any address of the machine itself. Nothing listens: every request is answered here. */
const ORIGIN = 'http://played.localhost'
const DIST = join(import.meta.dirname, '..', 'dist')
const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }
const DEV_RPC = '/dev/rpc'
/** The name of the development wallet. */
const RDNS = 'local.bourse.development'

export const CHAIN_ID = 31_337
export const [ALICE, BOB] = [`0x${'a1'.repeat(20)}`, `0x${'b0'.repeat(20)}`] as const
export const ROUTER = `0x${'70'.repeat(20)}`
export const STOCK_ONE_CLICK = `0x${'72'.repeat(20)}`
export const PERP_ONE_CLICK = `0x${'71'.repeat(20)}`

/** A request of the page, without the product's prefix. */
export interface Asked {
  readonly path: string
  readonly query: URLSearchParams
  readonly body: unknown
  readonly apiKey: string | null
  readonly idempotencyKey: string | null
}

/** What the venue refuses, with the status, code and reason that its reference names. */
export class Refuse extends Error {
  readonly status: number
  readonly code: number
  readonly reason: string

  constructor(status: number, code: number, reason: string) {
    super(`refused: ${reason}`)
    this.status = status
    this.code = code
    this.reason = reason
  }
}

/** By method and path, such as `GET /api/v1/orders`: the data that is answered. May be changed while the page is open. */
export type Answers = Record<string, (asked: Asked) => unknown>

/** By method of JSON-RPC: what the wallet answers. */
export type WalletAnswers = Record<string, (params: readonly unknown[]) => unknown>

export interface Played {
  readonly page: Page
  readonly answers: Answers
  readonly wallet: WalletAnswers
  /** Keys that the venue does not know any more. */
  readonly revoked: Set<string>
  /** By path, such as `/status`: what the venue answers as it is, beside its products. */
  readonly plain: Record<string, unknown>
  /** Requests so far, as `POST /api/v1/orders/tx`, with what they sent. */
  readonly asked: readonly (Asked & { readonly operation: string })[]
  /** Puts a key into the browser, as if the account had signed in; with its end, Unix milliseconds, if it has one. */
  signedIn(product: 'stock' | 'perp', account: string, apiKey: string, expiresAt?: number): Promise<void>
  open(path: string): Promise<void>
  /** Before the app is opened: connects this account of a wallet extension, in place of the development wallet. */
  useExtension(account: string): Promise<void>
  /** The user chooses another account in the extension, which tells the page. */
  chooseInExtension(account: string): Promise<void>
  /** Tells the page something over the stream of a product; on that of perpetuals every subscription is granted. */
  tell(message: object, product?: 'stock' | 'perp'): void
  close(): Promise<void>
}

/** A new browser whose development wallet is connected with the first account. */
export async function playVenue(
  browser: Browser,
  answers: Answers,
  options: BrowserContextOptions = {},
): Promise<Played> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
  const asked: (Asked & { operation: string })[] = []
  const wallet: WalletAnswers = {
    eth_accounts: () => [ALICE, BOB],
    eth_chainId: () => `0x${CHAIN_ID.toString(16)}`,
  }
  const streams: WebSocketRoute[] = []
  const revoked = new Set<string>()
  const plain: Record<string, unknown> = {}
  await playOver(context, { answers, wallet, revoked, plain, asked, streams })
  const page = await context.newPage()
  page.setDefaultTimeout(HANGS_MS)
  await page.goto(`${ORIGIN}/empty`)
  await page.evaluate(`localStorage.setItem('wallet', '${RDNS} ${ALICE}')`)
  return {
    page,
    answers,
    wallet,
    revoked,
    plain,
    asked,
    signedIn: (product, account, apiKey, expiresAt) =>
      page.evaluate(storing(`${product}:${CHAIN_ID}:${account}`, apiKey, expiresAt ?? null)),
    open: async (path) => void (await page.goto(`${ORIGIN}/#${path}`)),
    async useExtension(account) {
      await context.addInitScript(EXTENSION)
      await page.evaluate(`localStorage.setItem('wallet', '${EXTENSION_RDNS} ${account}')`)
    },
    chooseInExtension: (account) => page.evaluate(`chooseInExtension('${account}')`),
    tell(message, product = 'perp') {
      for (const stream of streams.filter((one) => isOf(one, product))) stream.send(JSON.stringify(message))
    },
    close: () => context.close(),
  }
}

const EXTENSION_RDNS = 'played.extension'

/** A wallet as an extension announces one (EIP-6963). */
const EXTENSION = `(() => {
  const told = new Set()
  const provider = {
    async request(question) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...question })
      const { result, error } = await (await fetch('${DEV_RPC}', { method: 'POST', body })).json()
      if (error) throw error
      return result
    },
    on: (name, tell) => name === 'accountsChanged' && told.add(tell),
    removeListener: (name, tell) => told.delete(tell),
  }
  window.chooseInExtension = (account) => told.forEach((tell) => tell([account]))
  const detail = { info: { uuid: 'played', name: 'Extension', icon: '', rdns: '${EXTENSION_RDNS}' }, provider }
  addEventListener('eip6963:requestProvider', () =>
    dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail })))
})()`

const isOf = (stream: WebSocketRoute, product: string): boolean => stream.url().includes(`/${product}/`)

/** A key as the app keeps it, which signs and cannot be read. */
const storing = (name: string, apiKey: string, expiresAt: number | null): string => `(async () => {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', new Uint8Array(32), algorithm, false, ['sign'])
  const request = indexedDB.open('bourse', 1)
  const database = await new Promise((resolve, reject) => {
    request.onupgradeneeded = () => request.result.createObjectStore('keys')
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
  const writing = database.transaction('keys', 'readwrite')
  writing.objectStore('keys').put({ apiKey: '${apiKey}', key, expiresAt: ${expiresAt} }, '${name}')
  await new Promise((resolve) => { writing.oncomplete = resolve })
  database.close()
})()`

interface Play {
  readonly plain: Readonly<Record<string, unknown>>
  readonly answers: Answers
  readonly wallet: WalletAnswers
  readonly revoked: ReadonlySet<string>
  readonly asked: (Asked & { operation: string })[]
  readonly streams: WebSocketRoute[]
}

async function playOver(context: BrowserContext, play: Play): Promise<void> {
  await context.routeWebSocket('**/*', (stream) => {
    play.streams.push(stream)
    if (!isOf(stream, 'perp')) return
    stream.onMessage((text) => {
      if (text === 'ping') return stream.send('pong')
      const { id } = JSON.parse(String(text)) as { id: number }
      stream.send(JSON.stringify({ id, result: 'success' }))
    })
  })
  await context.route('**/*', async (route) => {
    const { pathname } = new URL(route.request().url())
    if (pathname.startsWith('/stock/')) return answer(route, 'stock', play)
    if (pathname.startsWith('/perp/')) return answer(route, 'perp', play)
    if (pathname === DEV_RPC) return answerAsWallet(route, play.wallet)
    if (pathname in play.plain) return route.fulfill({ json: play.plain[pathname] })
    if (pathname === '/empty') return route.fulfill({ contentType: 'text/html', body: '' })
    if (pathname === '/app-config.json') return route.fulfill({ json: CONFIG })
    return file(route, pathname === '/' ? '/index.html' : pathname)
  })
}

const CONFIG = {
  chainId: CHAIN_ID,
  embedded: true,
  devRpc: DEV_RPC,
  explorerUrl: null,
  contracts: { StockRouter: ROUTER, OneClickRouter: STOCK_ONE_CLICK, PerpOneClickRouter: PERP_ONE_CLICK },
  stock: {
    prefix: '/stock',
    product: 'Bourse',
    router: ROUTER,
    reverts: { '0x0a0a0a0a': 'The cancel was requested before.', '0x0b0b0b0b': 'There is too little free cash.' },
  },
  perp: { prefix: '/perp', brand: 'Bourse' },
}

async function file(route: Route, path: string): Promise<void> {
  const body = await readFile(join(DIST, path)).catch(() => null)
  if (!body) return route.fulfill({ status: 404, body: '' })
  await route.fulfill({ body, contentType: TYPES[extname(path)] ?? 'application/octet-stream' })
}

async function answer(route: Route, product: 'stock' | 'perp', { answers, revoked, asked }: Play): Promise<void> {
  const request = route.request()
  const url = new URL(request.url())
  const path = url.pathname.slice(product.length + 1)
  const operation = `${request.method()} ${path}`
  const one = {
    operation,
    path,
    query: url.searchParams,
    body: request.postDataJSON() as unknown,
    apiKey: request.headers()['x-api-key'] ?? null,
    idempotencyKey: request.headers()['idempotency-key'] ?? null,
  }
  asked.push(one)
  const [successCode, message] = product === 'stock' ? [200, 'errMsg'] : [0, 'msg']
  const headers = { date: new Date().toUTCString() }
  try {
    if (revoked.has(one.apiKey ?? '')) throw UNAUTHENTICATED[product]
    const data = await (answers[operation] ?? unanswered)(one)
    await route.fulfill({ headers, json: { code: successCode, [message]: '', data, t: Date.now() } })
  } catch (error) {
    const { status, code, reason } = error instanceof Refuse ? error : new Refuse(404, 40401, 'unanswered')
    const text = error instanceof Error ? error.message : String(error)
    const json = { code, [message]: text, data: null, t: Date.now() }
    await route.fulfill({ status, headers: { ...headers, 'x-error-reason': reason }, json }).catch(() => {})
  }
}

/** What each product answers to a key that it does not know. */
export const UNAUTHENTICATED = {
  // Of stocks every refusal is HTTP 400.
  stock: new Refuse(400, 401, 'unauthenticated'),
  perp: new Refuse(401, 40101, 'unauthenticated'),
}

function unanswered({ path }: Asked): never {
  throw new Error(`the test answers nothing for ${path}`)
}

async function answerAsWallet(route: Route, wallet: WalletAnswers): Promise<void> {
  const { id, method, params } = route.request().postDataJSON() as { id: number; method: string; params: unknown[] }
  const found = wallet[method]
  if (!found) return route.fulfill({ json: { jsonrpc: '2.0', id, error: { code: -32_601, message: method } } })
  try {
    await route.fulfill({ json: { jsonrpc: '2.0', id, result: await found(params) } })
  } catch (error) {
    // As a node answers a call that reverts (EIP-1474).
    await route.fulfill({ json: { jsonrpc: '2.0', id, error: { code: 3, message: (error as Error).message } } })
  }
}
