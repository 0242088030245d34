// The reference of a running venue in a real browser: what it shows, where it asks, and what its samples do.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../../scripts/chromium.ts'
import { createClient } from '../../sdk/src/perp/client.ts'
import { createApiKey } from '../../sdk/src/perp/operations.ts'
import { perpKeyMessage } from '../../sdk/src/wallet/perp-key.ts'
import type { ApiKey } from '../../server/e2e/client.ts'
import { type RunningVenue, startVenue } from '../../server/e2e/venue.ts'
import { type Document, shownDocument } from '../src/reference/document.ts'
import type { CodeSample, ProductName } from '../src/reference/samples.ts'
import { words } from '../src/reference/strings.ts'
import { type AppPage, openApp, type PageOptions } from './browser.ts'

const TITLES = { stock: 'Tokenized-stock trading API', perp: 'Perpetual futures trading API' }
const CHAIN_ID = 31_337

let venue: RunningVenue
let browser: Browser
let origin: string
let keys: Readonly<Record<ProductName, ApiKey>>

beforeAll(async () => {
  browser = await launchChromium()
  venue = await startVenue()
  origin = new URL(venue.baseUrls[0] ?? '').origin
  keys = {
    stock: await venue.createKey({ access: 'WRITABLE', user: venue.accounts[1]?.address ?? '' }),
    perp: await perpKey(),
  }
})

afterAll(async () => {
  await browser?.close()
  await venue?.stop()
})

/** A key of the perpetual API whose secret is text, as a program has it. */
async function perpKey(): Promise<ApiKey> {
  const account = privateKeyToAccount(venue.accounts[1]?.privateKey ?? '0x')
  const { address } = account
  const [nonce, timestamp] = [crypto.randomUUID(), Date.now()]
  const message = perpKeyMessage({ chainId: CHAIN_ID, address, nonce, timestamp, brand: 'Bourse' })
  const signature = await account.signMessage({ message })
  const client = createClient({ baseUrl: origin, chainId: CHAIN_ID })
  return createApiKey(client, { chainID: CHAIN_ID, address, nonce, timestamp, signature })
}

interface ReferencePage extends AppPage {
  /** Addresses that the page asked and that are not the venue's. */
  readonly elsewhere: readonly string[]
}

async function openReference(path = '/docs', options: PageOptions = {}): Promise<ReferencePage> {
  const app = await openApp(browser, 'about:blank', options)
  const elsewhere: string[] = []
  app.context.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) elsewhere.push(request.url())
  })
  await app.page.goto(origin + path)
  return { ...app, elsewhere }
}

const title = (page: Page, product: ProductName) => page.getByRole('heading', { name: TITLES[product], exact: true })

/** Finds an operation by the search of the page and goes to it. */
async function find(page: Page, text: string, option: RegExp): Promise<void> {
  await page.getByRole('button', { name: /^Open Search/ }).click()
  await page.getByRole('dialog').getByRole('combobox').fill(text)
  await page.getByRole('option', { name: option }).click()
}

/** Sends the request of an operation as it stands there. Answers its HTTP status and what the page shows. */
async function trySending(page: Page, operation: string): Promise<{ status: number; shown: string }> {
  await page.getByRole('button', { name: `Test Request (${operation})` }).click()
  const path = operation.split(' ')[1] ?? ''
  const answered = page.waitForResponse((response) => new URL(response.url()).pathname.endsWith(path))
  await page.getByRole('button', { name: /^Send/ }).first().click()
  const status = (await answered).status()
  const shown = page.getByText(`${status} `).last()
  await shown.waitFor()
  return { status, shown: (await shown.textContent()) ?? '' }
}

const POSITIONS = 'get /v4/public/trader/position/list'

/** Types a key of the perpetual API into the page. */
async function useKey(page: Page, { apiKey, apiSecret }: ApiKey): Promise<void> {
  await page.locator('button.keys').click()
  await page.getByLabel(words.product).selectOption('perp')
  await page.getByLabel(words.apiKey, { exact: true }).fill(apiKey)
  await page.getByLabel(words.secret).fill(apiSecret)
  await page.getByRole('button', { name: words.useKey }).click()
  await page.getByRole('button', { name: words.signedAs([words.perp]) }).waitFor()
}

const clean = ({ problems, elsewhere }: ReferencePage) => expect([...problems, ...elsewhere]).toEqual([])

describe('the reference', () => {
  it('shows both products, asks nobody but the venue, and its policy is not broken', async () => {
    const app = await openReference()
    const { page } = app
    await title(page, 'stock').waitFor()
    await page.getByRole('button', { name: words.stock, exact: true }).click()
    await page.getByRole('option', { name: words.perp }).click()
    await title(page, 'perp').waitFor()
    const { headers, status } = await fetch(`${origin}/docs`)
    expect([status, headers.get('ratelimit-limit')]).toEqual([200, null])
    expect(headers.get('content-security-policy')).toMatch(/script-src 'self';.*connect-src 'self';/)
    clean(app)
    await app.close()
  })

  it('opens a product that is linked', async () => {
    const app = await openReference('/docs/perp')
    await title(app.page, 'perp').waitFor()
    clean(app)
    await app.close()
  })

  it('finds an operation, and sends it signed by the development account', async () => {
    const app = await openReference()
    const { page } = app
    await title(page, 'stock').waitFor()
    await page.getByRole('button', { name: words.unsigned }).click()
    await page.getByRole('button', { name: words.useDevelopment }).click()
    await page.getByRole('button', { name: words.signedAs([words.stock, words.perp]) }).waitFor()
    await find(page, 'orders', /Orders that the calling key has recorded/)
    expect((await trySending(page, 'get /api/v1/orders')).status).toBe(200)
    clean(app)
    await app.close()
  })

  it('signs with a key that is typed, and says who refuses a wrong one', async () => {
    const app = await openReference('/docs/perp')
    const { page } = app
    await title(page, 'perp').waitFor()
    await useKey(page, { ...keys.perp, apiSecret: 'not the secret' })
    await find(page, 'positions', /with what they are worth at the block.*\/trader\/position\/list/)
    expect((await trySending(page, POSITIONS)).status).toBe(401)
    await page.keyboard.press('Escape')
    await useKey(page, keys.perp)
    expect((await trySending(page, POSITIONS)).status).toBe(200)
    expect(await page.content()).not.toContain(keys.perp.apiSecret)
    expect(app.elsewhere).toEqual([])
    await app.close()
  })

  it('sends nothing where the venue is not one of this machine', async () => {
    const app = await openApp(browser, 'about:blank')
    await app.page.route('**/app-config.json', async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ json: { ...((await answer.json()) as object), embedded: false, devRpc: null } })
    })
    await app.page.goto(`${origin}/docs`)
    await title(app.page, 'stock').waitFor()
    await app.page.getByText('/api/v1/config').first().waitFor()
    expect(await app.page.getByRole('button', { name: /^Test Request|^Send|sign/i }).count()).toBe(0)
    await app.close()
  })

  it.each(['/docs', '/docs#stock/tag/orders/POST/api/v1/orders/preview'])('%s fits on a phone', async (path) => {
    const app = await openReference(path, { width: 390, height: 844 })
    await title(app.page, 'stock').waitFor({ state: 'attached' })
    await app.page.getByText('/api/v1/').first().waitFor({ state: 'attached' })
    const [content, screen] = (await app.page.evaluate(
      '[document.documentElement.scrollWidth, innerWidth]',
    )) as number[]
    expect(content).toBe(screen)
    clean(app)
    await app.close()
  })
})

const ROOT = join(import.meta.dirname, '..', '..')
const PROGRAMS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  curl: ['bash', '-s'],
  Python: ['python3', '-'],
  TypeScript: [process.execPath, '--input-type=module-typescript', '-'],
}

/** Runs a sample with a key in its environment. Answers what it printed, as JSON. */
async function run({ label, source }: CodeSample, key: ApiKey): Promise<unknown> {
  const [command, ...args] = PROGRAMS[label] ?? ['false']
  const env = { ...process.env, API_KEY: key.apiKey, API_SECRET: key.apiSecret }
  const program = spawn(command, args, { cwd: ROOT, env, stdio: ['pipe', 'pipe', 'pipe'] })
  let output = ''
  let failure = ''
  program.stdout.on('data', (chunk: Buffer) => {
    output += chunk
  })
  program.stderr.on('data', (chunk: Buffer) => {
    failure += chunk
  })
  program.stdin.end(source)
  const [code] = (await once(program, 'close')) as [number]
  expect([label, code, failure]).toEqual([label, 0, ''])
  return JSON.parse(output)
}

/** An open read, a signed read, and a signed request with a body. */
const SAMPLES = [
  ['stock', 'get', '/api/v1/prices/{symbol}'],
  ['stock', 'get', '/api/v1/orders'],
  ['stock', 'post', '/api/v1/1ct/prepare'],
  ['perp', 'get', '/v4/public/trader/market/orderBook'],
  ['perp', 'get', '/v4/public/trader/position/list'],
  ['perp', 'post', '/v4/public/trader/1ct/prepare'],
] as const

describe('the samples run:', () => {
  it.each(SAMPLES)('%s %s %s, in each language', async (product, method, path) => {
    const url = product === 'stock' ? '/openapi.json' : `/openapi/${product}.json`
    const document = (await (await fetch(origin + url)).json()) as Document
    const baseUrl = product === 'stock' ? `${origin}/stock` : origin
    const shown = shownDocument(document, { product, baseUrl, chainId: CHAIN_ID, productType: 'Bourse' })
    const operation = shown.paths[path]?.[method] as unknown as { 'x-codeSamples': readonly CodeSample[] }
    const samples = operation['x-codeSamples']
    expect(samples.map(({ label }) => label)).toEqual(Object.keys(PROGRAMS))
    const answers = await Promise.all(samples.map((sample) => run(sample, keys[product])))
    // The client library prints the data; the others, the whole answer.
    const [curl, python] = answers as { readonly code: number; readonly data: unknown }[]
    expect([curl?.code, python?.code]).toEqual(product === 'stock' ? [200, 200] : [0, 0])
    expect(Object.keys(curl?.data as object)).toEqual(Object.keys(answers[2] as object))
  })
})
