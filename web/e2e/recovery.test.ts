// What the app does when the venue or the way to it fails: it goes on by itself, and nothing happens twice.

import { cancelOrder, createClient, getOrder, getOrders } from '@bourse/sdk/stock'
import { signIn as signInAt } from '@bourse/sdk/wallet'
import type { Browser, Page } from 'playwright-core'
import { privateKeyToAccount } from 'viem/accounts'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../../scripts/chromium.ts'
import { eventually } from '../../server/e2e/client.ts'
import { words } from '../src/stock/strings.ts'
import { earlierWords, failureWords } from '../src/strings.ts'
import type { AppPage } from './browser.ts'
import { type OwnProcesses, startOwnProcesses } from './own-processes.ts'
import { agree, connect, deposit, goTo, openStock, signIn } from './user.ts'

const SYMBOL = 'MSFT'
/** Far below the market: the order rests. */
const PRICE = '300'

let venue: OwnProcesses
let browser: Browser
let app: AppPage

beforeAll(async () => {
  browser = await launchChromium()
  venue = await startOwnProcesses()
  app = await venue.open(browser)
  const { page } = app
  await connect(page, venue.accounts[1]?.address)
  await goTo(page, words.transfers)
  await signIn(page)
  await deposit(page, '5000')
  await page.getByRole('row').filter({ hasText: words.operationStatus.success[0] }).first().waitFor()
  await goTo(page, words.keys)
  await button(page, words.turnOn).click()
  await agree(page)
  await button(page, words.turnOff).waitFor()
})

afterAll(async () => {
  await browser?.close()
  await venue?.stop()
})

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const orderRow = (page: Page, quantity: string) =>
  page
    .getByRole('row')
    .filter({ hasText: SYMBOL })
    .filter({ has: page.getByRole('cell', { name: quantity, exact: true }) })
const quantityField = (page: Page) => page.getByLabel(words.quantity, { exact: true })
/** The ticket is emptied once the venue has taken the order, and not before. */
const isTaken = (page: Page) =>
  eventually(
    () => quantityField(page).inputValue(),
    (text) => text === '',
  )

async function fillTicket(page: Page, quantity: string): Promise<void> {
  await openStock(page, SYMBOL)
  await button(page, words.limit).click()
  await page.getByLabel(words.limitPrice, { exact: true }).fill(PRICE)
  await quantityField(page).fill(quantity)
}

const placeIt = (page: Page) => button(page, words.place(words.buy, SYMBOL)).click()

interface Held {
  /** On the chain, as it is indexed. */
  readonly orders: number
  /** Transactions that the venue was to send for users. */
  readonly sends: number
}

async function held(): Promise<Held> {
  const [row] = await venue.sql<Held[]>`
    select (select count(*)::int from stock_orders) as orders,
      (select count(*)::int from tx_intents where purpose = 'submit') as sends`
  if (!row) throw new Error('no row')
  return row
}

/** The venue has one order more than before, and sent it once; the page shows it, once. */
async function isOnceMore(page: Page, before: Held, quantity: string): Promise<void> {
  await orderRow(page, quantity).first().waitFor()
  await eventually(held, ({ orders }) => orders > before.orders)
  expect(await held()).toEqual({ orders: before.orders + 1, sends: before.sends + 1 })
  await orderRow(page, quantity).filter({ hasText: words.orderStatus.New[0] }).waitFor()
  expect(await orderRow(page, quantity).count()).toBe(1)
}

/** Runs while what the api does with a send cannot be committed. */
async function withSendHeld(work: () => Promise<void>): Promise<void> {
  await venue.sql.begin(async (tx) => {
    await tx`lock table idempotency_records in access exclusive mode`
    await work()
  })
}

const waitingSends = async (): Promise<number> =>
  (await venue.sql`select 1 from pg_locks where not granted and relation = 'idempotency_records'::regclass`).length

describe('an order by One Click', () => {
  it('whose api is killed while it stores the order is placed once, when the api is there again', async () => {
    const { page } = app
    const before = await held()
    await fillTicket(page, '1.5')
    await withSendHeld(async () => {
      await placeIt(page)
      await eventually(waitingSends, (waiting) => waiting > 0)
      await venue.killApi()
    })
    expect(await held()).toEqual(before)
    await venue.startApi()
    await isTaken(page)
    await isOnceMore(page, before, '1.5')
  })

  it('whose api is killed before its answer arrives is told as placed, and placed once', async () => {
    const { page } = app
    const before = await held()
    await fillTicket(page, '1.25')
    venue.wire.hang('answers')
    await placeIt(page)
    await eventually(held, ({ orders }) => orders > before.orders)
    await venue.killApi()
    venue.wire.hang(false)
    await venue.startApi()
    await isTaken(page)
    await isOnceMore(page, before, '1.25')
  })

  it('whose answer is lost with the connection is asked for again, signed anew', async () => {
    const { page } = app
    const before = await held()
    await fillTicket(page, '1.75')
    venue.wire.hang('answers')
    await placeIt(page)
    await eventually(held, ({ orders }) => orders > before.orders)
    venue.wire.hang(false)
    await isTaken(page)
    await isOnceMore(page, before, '1.75')
  })
})

describe('a page that is loaded anew before its order is answered', () => {
  it('says that it was placed, and places it once', async () => {
    const { page } = app
    const before = await held()
    await fillTicket(page, '0.4')
    let arrived = () => {}
    const stored = new Promise<void>((resolve) => {
      arrived = resolve
    })
    await page.route('**/api/v1/orders/send', async (route) => {
      await route.fetch()
      arrived()
    })
    await placeIt(page)
    await stored
    await page.unroute('**/api/v1/orders/send')
    await page.reload()
    await page.getByText(earlierWords.confirmed).waitFor()
    await openStock(page, SYMBOL)
    await isOnceMore(page, before, '0.4')
    await page.reload()
    await orderRow(page, '0.4').first().waitFor()
    expect(await page.getByText(earlierWords.confirmed).count()).toBe(0)
  })
})

describe('a screen that is left while something is sent', () => {
  it('shows it under way to who comes back: a deposit is sent once', async () => {
    const { page } = app
    const before = await held()
    const answer = Promise.withResolvers<void>()
    await page.route('**/cash/deposits/send', async (route) => {
      const response = await route.fetch()
      await answer.promise
      await route.fulfill({ response })
    })
    await goTo(page, words.transfers)
    const amount = page.getByLabel(words.quantity, { exact: true })
    const send = button(page, `${words.deposit} USDC`)
    await amount.fill('100')
    await send.click()
    await agree(page)
    await eventually(held, ({ sends }) => sends > before.sends)
    await goTo(page, words.orders)
    await goTo(page, words.transfers)
    expect(await amount.inputValue()).toBe('100')
    await page.getByText(words.steps.sending).waitFor()
    expect(await send.getAttribute('aria-disabled')).toBe('true')
    await amount.press('Enter')
    answer.resolve()
    await eventually(
      () => amount.inputValue(),
      (text) => text === '',
    )
    expect((await held()).sends).toBe(before.sends + 1)
    expect(await send.getAttribute('aria-disabled')).toBe(null)
    await page.unroute('**/cash/deposits/send')
  })

  it('says in a message what was refused meanwhile, and why', async () => {
    const { page } = app
    const before = await held()
    const [asked, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await page.route('**/orders/send', async (route) => {
      asked.resolve()
      await left.promise
      await route.continue()
    })
    await fillTicket(page, '1000')
    await placeIt(page)
    await asked.promise
    await goTo(page, words.portfolio)
    left.resolve()
    const told = page.locator('.toast.bad', { hasText: words.place(words.buy, SYMBOL) })
    await told.waitFor()
    expect(await told.textContent()).toContain('Balance')
    await told.getByRole('button').click()
    expect(await held()).toEqual(before)
    await page.unroute('**/orders/send')
  })
})

describe('a stream that is cut', () => {
  it('goes on where it was: what happened meanwhile is shown, and no message is missed', async () => {
    const { page } = app
    const elsewhere = await traderElsewhere()
    const told = await streamOf(page)
    await fillTicket(page, '2.5')
    await placeIt(page)
    await isTaken(page)
    await orderRow(page, '2.5').filter({ hasText: words.orderStatus.New[0] }).waitFor()

    await venue.wire.cut(true)
    const { rows } = await getOrders(elsewhere)
    const orderId = rows.find(({ openOrder }) => openOrder?.quantity === '2.5')?.orderId ?? ''
    await cancelOrder(elsewhere, { orderId })
    const isCancelled = ({ orderStatus }: { orderStatus: string }) => orderStatus === 'Canceled'
    await eventually(() => getOrder(elsewhere, { orderId }), isCancelled)
    await page.getByRole('alert').filter({ hasText: failureWords.offline }).first().waitFor()
    const before = told.connections()
    await venue.wire.cut(false)

    await page.getByRole('tab', { name: words.history }).click()
    await orderRow(page, '2.5').filter({ hasText: words.orderStatus.Canceled[0] }).waitFor()
    await page.getByRole('tab', { name: words.openOrders, exact: true }).click()
    // One of the page, and one of each part that asked meanwhile.
    await eventually(
      () => page.getByRole('alert').count(),
      (count) => count === 0,
    )
    await eventually(
      async () => told.connections(),
      (count) => count > before,
    )
    await eventually(
      async () => told.orders().at(-1)?.data?.orderStatus,
      (status) => status === 'Canceled',
    )
    const sequences = told.orders().map(({ sequence, previous }) => [previous, sequence])
    expect(sequences.slice(1).map(([previous]) => previous)).toEqual(sequences.slice(0, -1).map(([, at]) => at))
    expect(told.resumedFrom()).not.toBeNull()
  })
})

/** The same wallet in another place, which has the api whatever happens to the wire. */
async function traderElsewhere() {
  const account = privateKeyToAccount(venue.accounts[1]?.privateKey ?? '0x')
  const market = createClient({ baseUrl: `${venue.apiUrl}stock`, chainId: 31_337, productType: 'Bourse' })
  const { signer } = await signInAt(market, account)
  return market.with({ signer })
}

interface Told {
  readonly type: string
  readonly channel?: string
  readonly sequence: number
  readonly previous: number
  readonly data: { readonly orderStatus: string } | null
}

/** What the page's streams say to it from its next load on, and what it asks of them. */
async function streamOf(page: Page) {
  const asked: { readonly channel?: string; readonly from?: number }[] = []
  const told: Told[] = []
  let connections = 0
  page.on('websocket', (socket) => {
    connections += 1
    socket.on('framesent', ({ payload }) => asked.push(JSON.parse(String(payload))))
    socket.on('framereceived', ({ payload }) => told.push(JSON.parse(String(payload))))
  })
  await page.reload()
  await eventually(async () => told.some(({ type }) => type === 'snapshot'), Boolean)
  return {
    connections: () => connections,
    orders: () => told.filter(({ type, channel }) => type === 'delta' && channel === 'orders'),
    resumedFrom: () => asked.findLast(({ channel, from }) => channel === 'orders' && from !== undefined)?.from ?? null,
  }
}

describe('a browser whose clock is off', () => {
  it.each([60_000, -60_000])('by %i ms signs in and trades by the clock of the venue', async (offsetMs) => {
    const other = await venue.open(browser, { script: clockOffBy(offsetMs) })
    const { page, problems } = other
    expect(Math.abs((await page.evaluate<number>('Date.now()')) - Date.now() - offsetMs)).toBeLessThan(10_000)
    await connect(page, venue.accounts[1]?.address)
    await goTo(page, words.transfers)
    await signIn(page)
    const before = await held()
    const quantity = offsetMs > 0 ? '3.5' : '3.75'
    await fillTicket(page, quantity)
    await button(page, `${words.oneClick}: ${words.on}`).waitFor()
    await placeIt(page)
    await isTaken(page)
    await isOnceMore(page, before, quantity)
    expect(problems).toEqual([])
    await other.close()
  })
})

/** The page's own clock, off from its first line on. */
const clockOffBy = (ms: number): string => `
  const Real = Date
  const now = () => Real.now() + ${ms}
  window.Date = class extends Real {
    constructor(...args) {
      super(...(args.length === 0 ? [now()] : args))
    }
    static now = now
  }`

describe('a browser whose address has asked too often', () => {
  it('is told so, keeps what was typed, and goes on by itself: the order is placed once', async () => {
    const { page } = app
    const before = await held()
    await fillTicket(page, '4.5')
    await askTooOften()
    await placeIt(page)
    const notice = page.getByRole('status').filter({ hasText: LIMITED })
    await notice.waitFor()
    expect(await quantityField(page).inputValue()).toBe('4.5')
    await page.getByLabel(words.limitPrice, { exact: true }).fill('301')
    expect(await held()).toEqual(before)
    await isTaken(page)
    await notice.waitFor({ state: 'detached' })
    expect(await page.getByLabel(words.limitPrice, { exact: true }).inputValue()).toBe('301')
    await isOnceMore(page, before, '4.5')
  })
})

const LIMITED = failureWords.limited(0).split('0')[0] ?? ''

/** Spends what the address has left of its minute. */
async function askTooOften(): Promise<void> {
  const ask = async () => (await fetch(`${venue.apiUrl}stock/api/v1/clock`)).status
  for (;;) {
    const statuses = await Promise.all(Array.from({ length: 50 }, ask))
    if (statuses.includes(429)) return
  }
}
