// The perpetual round in a real browser against a whole venue: once signed by the wallet, once by One Click.
import { addLiquidity, createClient } from '@bourse/sdk/perp'
import { createPerpKey } from '@bourse/sdk/wallet'
import type { Browser, Page } from 'playwright-core'
import { formatUnits } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../../scripts/chromium.ts'
import { eventually } from '../../server/e2e/client.ts'
import { type RunningVenue, startVenue } from '../../server/e2e/venue.ts'
import { formatAmount, formatPrice, formatQuantity } from '../src/lib/format.ts'
import { SHOWN } from '../src/perp/merge-trades.ts'
import { pairName } from '../src/perp/pair-name.ts'
import { words } from '../src/perp/strings.ts'
import { words as stockWords } from '../src/stock/strings.ts'
import { walletWords } from '../src/strings.ts'
import { addAxe, findings } from './axe.ts'
import { type AppPage, LOOKS, openApp } from './browser.ts'
import { measureLoad, openMarketUnderLoad, shownSizes } from './row-load.ts'
import { agree, connect, goTo, signIn } from './user.ts'

const MARKET = 'BTC/USDC'

let venue: RunningVenue
let browser: Browser
let url: string

beforeAll(async () => {
  browser = await launchChromium()
  venue = await startVenue()
  url = new URL('/', venue.baseUrls[0]).href
})

afterAll(async () => {
  await browser?.close()
  await venue?.stop()
})

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const inDialog = (page: Page, title: string) => page.getByRole('dialog', { name: title })
const done = (page: Page, what: string) => page.getByText(words.done(what), { exact: true }).first().waitFor()

/** Consent where the wallet signs, if it comes to that; with One Click there is nothing to agree to. */
type Consent = (page: Page) => Promise<string>

const byWallet: Consent = async (page) => {
  const dialog = page.getByRole('dialog', { name: walletWords.confirmTitle })
  await dialog.or(page.getByRole('alert')).first().waitFor()
  return (await dialog.isVisible()) ? agree(page) : ''
}

/** Closes what an earlier one like it said. */
async function dismiss(page: Page, what: string): Promise<void> {
  const said = page.locator('.toast', { hasText: words.done(what) }).first()
  // It may go by itself meanwhile.
  while (await said.isVisible())
    await said
      .getByRole('button')
      .click({ timeout: 1000 })
      .catch(() => {})
}

/** How often the market may move too far between a transaction's making and its block. */
const TRIES = 5

/**
 * Does something until the page says that it is done. The market moves by itself: what it has moved away from is refused on
 * chain, the page says so, and a trader does it again.
 */
async function doing(page: Page, what: string, press: () => Promise<unknown>, consent: Consent): Promise<string> {
  const isDone = page.getByText(words.done(what), { exact: true }).first()
  const refusal = page.getByRole('alert').first()
  for (let tried = 1; ; tried++) {
    await dismiss(page, what)
    await press()
    const shown = await consent(page)
    await isDone.or(refusal).first().waitFor()
    if (await isDone.isVisible()) return shown
    if (tried === TRIES) throw new Error(`${what}: ${await refusal.textContent()}`)
  }
}

/** A signed-in trader with money at Gate. The page must not use up the requests of its key, however quickly it is traded on. */
async function trader(account: number, options: Parameters<typeof openApp>[2] = {}): Promise<AppPage> {
  const app = await openApp(browser, url, options)
  const { page } = app
  page.on('response', (response) => {
    if (response.status() === 429) app.problems.push(`limited: ${response.url()}`)
  })
  await connect(page, venue.accounts[account]?.address)
  await goTo(page, words.account)
  expect(await signIn(page)).toContain('Sign this message to authenticate with Bourse API.')
  await page.getByLabel(words.amount, { exact: true }).fill('20000')
  await button(page, words.approveFirst('USDC')).click()
  const approval = await agree(page)
  expect(approval).toContain('approve')
  expect(approval).toContain('20000000000')
  await done(page, words.approveDone('20000 USDC'))
  await page.locator('button[type=submit]', { hasText: words.deposit }).click()
  expect(await agree(page)).toContain('20000 USDC')
  await done(page, words.depositDone('20000 USDC'))
  return app
}

async function turnOnOneClick(page: Page): Promise<void> {
  await page.getByRole('switch', { name: words.oneClick }).click()
  expect(await agree(page)).toContain('Delegate')
  await page.locator('[role=switch][aria-checked=true]').waitFor()
}

async function openMarket(page: Page): Promise<void> {
  await goTo(page, words.perpetuals)
  await page.getByRole('link', { name: MARKET }).click()
  await page.getByLabel(words.size, { exact: true }).waitFor()
}

async function placeLong(page: Page, size: string, consent: Consent, market = MARKET): Promise<string> {
  await page.getByLabel(words.size, { exact: true }).fill(size)
  await page.getByLabel(words.preview, { exact: true }).getByText(words.liquidation).waitFor()
  const what = words.place(words.long, market)
  return doing(page, what, () => button(page, what).click(), consent)
}

interface Position {
  readonly size: string
  readonly entryPrice: string
  readonly liquidationPrice: string
  readonly unrealizedPnl: string
  readonly equity: string
}

/** The row says what the API answered: entry, liquidation, profit with its sign, equity. */
async function positionIsShown(page: Page): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const answer = await page.waitForResponse((response) => response.url().includes('/position/list') && response.ok())
    const { data } = (await answer.json()) as { data: readonly Position[] }
    const [held] = data
    if (!held) continue
    const profit = formatUnits(BigInt(held.unrealizedPnl), 18)
    const texts = [
      formatPrice(formatUnits(BigInt(held.entryPrice), 18)),
      formatPrice(formatUnits(BigInt(held.liquidationPrice), 18)),
      `${BigInt(held.unrealizedPnl) > 0n ? '+' : ''}${formatAmount(profit)} USDC`,
      `${formatAmount(formatUnits(BigInt(held.equity), 18))} USDC`,
    ]
    const row = texts.reduce((found, hasText) => found.filter({ hasText }), page.getByRole('row'))
    const isShown = await row
      .first()
      .waitFor({ timeout: 4000 })
      .then(
        () => true,
        () => false,
      )
    if (isShown) return
  }
  throw new Error('the position was never shown as the API says')
}

async function round(page: Page, consent: Consent): Promise<void> {
  await positionIsShown(page)
  await button(page, words.limitOrder).click()
  await page.getByLabel(words.limitPrice, { exact: true }).fill('86000')
  await placeLong(page, '0.05', consent)
  await page.getByRole('tab', { name: words.openOrders }).click()
  await page.getByRole('row').filter({ hasText: MARKET }).getByRole('button').click()
  await page.getByRole('dialog').getByRole('button', { name: words.cancel, exact: true }).click()
  await consent(page)
  await done(page, words.cancelDone(MARKET))
  await page.getByText(words.noOpenOrders).waitFor()
  const resting = page.getByRole('table', { name: words.openOrders }).locator('tbody tr')
  for (const [index, price] of ['85000', '84000'].entries()) {
    await page.getByLabel(words.limitPrice, { exact: true }).fill(price)
    await placeLong(page, '0.05', consent)
    await resting.nth(index).waitFor()
  }
  await button(page, words.cancelAll(MARKET)).click()
  const all = inDialog(page, words.cancelAll(MARKET))
  await all.getByRole('listitem').nth(1).waitFor()
  expect(await all.getByRole('listitem').count()).toBe(2)
  const endAll = all.getByRole('button', { name: words.cancelAll(MARKET), exact: true })
  await doing(page, words.cancelAll(MARKET), () => endAll.click(), consent)
  await page.getByText(words.noOpenOrders).waitFor()

  await page.getByRole('tab', { name: words.positions }).click()
  await button(page, words.adjustNamed(MARKET)).click()
  const adjust = inDialog(page, words.adjustNamed(MARKET))
  await adjust.getByLabel(words.leverage, { exact: true }).fill('2')
  await adjust.getByText(words.liquidation).waitFor()
  const press = () => adjust.getByRole('button', { name: words.adjust, exact: true }).click()
  await doing(page, words.adjustDone(MARKET), press, consent)

  await page.getByRole('tab', { name: words.liquidity }).click()
  await page.getByRole('form', { name: words.addLiquidity }).getByLabel(words.margin, { exact: true }).fill('2000')
  await doing(page, words.addDone(MARKET), () => button(page, words.addLiquidity).click(), consent)
  await button(page, words.removeNamed(MARKET)).click()
  const remove = inDialog(page, words.removeNamed(MARKET)).getByRole('button', {
    name: words.removeLiquidity,
    exact: true,
  })
  await doing(page, words.removeDone(MARKET), () => remove.click(), consent)

  // Close from the line on the chart.
  await page.getByRole('tab', { name: words.positions }).click()
  await page.locator('.price-chart-marks').getByRole('button').first().click()
  await button(page, words.closeAll).click()
  const close = inDialog(page, words.closeNamed(MARKET)).getByRole('button', { name: words.close, exact: true }).last()
  await doing(page, words.closeDone(MARKET), () => close.click(), consent)
  await page.getByText(words.noPositions).waitFor()

  await goTo(page, words.account)
  await button(page, words.withdraw).first().click()
  await page.getByLabel(words.amount, { exact: true }).fill('1000')
  await page.locator('button[type=submit]', { hasText: words.withdraw }).click()
  await consent(page)
  await done(page, words.withdrawDone('1000 USDC'))
}

/** A client of the wallet's, as a program has one. */
async function programOf(account: number) {
  const open = createClient({ baseUrl: url.replace(/\/$/, ''), chainId: 31_337 })
  const wallet = privateKeyToAccount(venue.accounts[account]?.privateKey ?? '0x')
  return open.with({ signer: await createPerpKey(open, wallet) })
}

describe('a trader of perpetuals', () => {
  it('goes the whole round with a wallet that signs each step, and sees what each says', async () => {
    const { page, problems, close } = await trader(5)
    await openMarket(page)
    const shown = await placeLong(page, '0.1', byWallet)
    expect(shown).toContain('trade')
    expect(shown).toContain('buy')
    expect(shown).toContain('0.1')
    await round(page, byWallet)
    expect(problems).toEqual([])
    await close()
  })

  it('goes the whole round by One Click, and signs nothing more', async () => {
    const { page, problems, close } = await trader(6)
    await turnOnOneClick(page)
    await openMarket(page)
    await placeLong(page, '0.1', async () => '')
    await positionIsShown(page)
    await round(page, async () => '')
    expect(problems).toEqual([])
    await close()
  })
})

/** Answers to these requests are kept back until they are let go; the keys under which they were asked. */
async function holdAnswers(page: Page, path: string) {
  const keys = new Set<string | undefined>()
  const answers = Promise.withResolvers<void>()
  await page.route(path, async (route) => {
    keys.add(route.request().headers()['idempotency-key'])
    const response = await route.fetch()
    await answers.promise
    await route.fulfill({ response })
  })
  return { keys, letGo: () => answers.resolve() }
}

/** Has the venue keep a take-profit and a stop-loss for the position, once prices on the wrong side of the mark are told from right ones. */
async function keepBoth(page: Page): Promise<void> {
  await button(page, words.keepNamed(MARKET)).click()
  const dialog = inDialog(page, words.keepNamed(MARKET))
  const [takeProfit, stopLoss] = (['takeProfit', 'stopLoss'] as const).map((kind) =>
    dialog.getByLabel(words.keepAt(words.keptKinds[kind]), { exact: true }),
  )
  await takeProfit?.fill('1000')
  await stopLoss?.fill('500000')
  await dialog.getByText(/above the mark price/).waitFor()
  await dialog.getByText(/below the mark price/).waitFor()
  await takeProfit?.fill('500000')
  await stopLoss?.fill('1000')
  await dialog.getByRole('button', { name: words.keep, exact: true }).click()
  await page.getByText(words.keptNow(MARKET), { exact: true }).waitFor()
  await page.getByRole('table', { name: words.positions }).getByText('SL 1,000.00').waitFor()
}

/** The list has both, and each is cancelled without the other; the portfolio has the position and the margin. */
async function keptOrdersAreShown(page: Page): Promise<void> {
  await page.getByRole('tab', { name: words.kept }).click()
  const takeProfit = page.getByRole('row').filter({ hasText: `${MARKET} ${words.keptKinds.takeProfit}` })
  const stopLoss = page.getByRole('row').filter({ hasText: `${MARKET} ${words.keptKinds.stopLoss}` })
  await takeProfit.filter({ hasText: words.keptStatus.open }).waitFor()
  const name = words.cancelKept(words.keptKinds.stopLoss, MARKET, formatPrice('1000'))
  await button(page, name).click()
  await stopLoss.filter({ hasText: words.keptStatus.cancelled }).waitFor()
  await takeProfit.filter({ hasText: words.keptStatus.open }).waitFor()
  await button(page, words.cancelKept(words.keptKinds.takeProfit, MARKET, formatPrice('500000'))).click()
  await takeProfit.filter({ hasText: words.keptStatus.cancelled }).waitFor()
  await addAxe(page)
  expect(await findings(page)).toEqual([])
  // The session of stocks is another one.
  await goTo(page, stockWords.portfolio)
  await signIn(page)
  await page.getByRole('table', { name: words.holdings }).getByRole('row').filter({ hasText: MARKET }).waitFor()
  await page.getByRole('heading', { name: words.marginOf }).waitFor()
  expect(await findings(page)).toEqual([])
  await openMarket(page)
  await page.getByRole('tab', { name: words.positions }).click()
}

/** An order that only reduces is none that adds, takes no more off the position of 0.1 than it has, and nothing once that is closed. */
async function onlyReduce(page: Page): Promise<void> {
  const size = page.getByLabel(words.size, { exact: true })
  const short = words.place(words.short, MARKET)
  const send = () => button(page, short).click()
  await page.getByLabel(words.reduceOnly, { exact: true }).check()
  await size.fill('0.01')
  await page.getByText(/side must be 1 \(short\) to reduce it/).waitFor()
  await button(page, words.short).click()
  await size.fill('0.2')
  const tooMuch = page.getByText(/size must be at most 0.1, which the position has/)
  await tooMuch.waitFor()
  await send()
  await tooMuch.nth(1).waitFor()
  await button(page, words.closeAll).click()
  await page.getByLabel(words.preview, { exact: true }).getByText(words.liquidation).waitFor()
  await doing(page, short, send, async () => '')
  await page.getByText(words.noPositions).waitFor()
  await size.fill('0.1')
  await send()
  await page
    .getByRole('alert')
    .getByText(/no position in this pair that could be reduced/)
    .nth(1)
    .waitFor()
}

describe('a position', () => {
  it('is adjusted once though the question is closed and asked again, guarded by what is kept, and closed by an order that only reduces', async () => {
    const { page, problems, close } = await trader(9)
    await turnOnOneClick(page)
    await openMarket(page)
    await placeLong(page, '0.1', async () => '')
    await page.getByRole('tab', { name: words.positions }).click()
    const dialog = inDialog(page, words.adjustNamed(MARKET))
    const ask = async () => {
      await button(page, words.adjustNamed(MARKET)).click()
      await dialog.getByRole('button', { name: words.addMargin, exact: true }).click()
      await dialog.getByLabel(words.amount, { exact: true }).fill('50')
    }
    const { keys, letGo } = await holdAnswers(page, '**/position/margin')
    const adjust = dialog.getByRole('button', { name: words.adjust, exact: true })
    await ask()
    await adjust.click()
    await eventually(
      async () => keys.size,
      (count) => count === 1,
    )
    await dialog.getByRole('button', { name: words.reject, exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await ask()
    expect(await adjust.getAttribute('aria-disabled')).toBe('true')
    await dialog.getByLabel(words.amount, { exact: true }).press('Enter')
    letGo()
    await done(page, words.adjustDone(MARKET))
    expect(await dialog.isVisible()).toBe(true)
    expect(await adjust.getAttribute('aria-disabled')).toBe(null)
    expect(keys.size).toBe(1)
    await dialog.getByRole('button', { name: words.reject, exact: true }).click()
    await keepBoth(page)
    await keptOrdersAreShown(page)
    await onlyReduce(page)
    expect(problems).toEqual([])
    await close()
  })
})

describe('500 row updates a second', () => {
  it('are all shown, and leave nothing behind', async () => {
    const app = await openMarketUnderLoad(browser, url)
    await measureLoad(app, { seconds: 1, rowsPerSec: 500, parts: 1 })
    const { lastRound, heapMb, domNodes } = await measureLoad(app, { seconds: 4, rowsPerSec: 500, parts: 2 })
    const last = formatQuantity(String(lastRound))
    const { book, trades } = await eventually(
      () => shownSizes(app.page),
      (shown) => shown.trades[0] === last && shown.book[0] === last,
    )
    expect(book.length).toBeGreaterThanOrEqual(10)
    expect(new Set(book)).toEqual(new Set([last]))
    expect(trades).toHaveLength(SHOWN)
    expect(Math.max(...domNodes)).toBeLessThan((domNodes[0] ?? 0) * 1.5)
    expect(Math.max(...heapMb)).toBeLessThan((heapMb[0] ?? 0) + 10)
    expect(app.problems).toEqual([])
    await app.close()
  })
})

it.each(LOOKS)(
  'axe finds nothing on the screens of perpetuals and of the operator in $theme colours at $width pixels',
  async ({ theme, width }) => {
    const { page, problems, close } = await openApp(browser, url, { theme, width })
    const found: Record<string, readonly string[]> = {}
    await addAxe(page)
    await connect(page, venue.accounts[7]?.address)
    await goTo(page, words.account)
    await signIn(page)
    await page.getByLabel(words.amount, { exact: true }).waitFor()
    found.account = await findings(page)
    await goTo(page, words.perpetuals)
    await page.getByRole('link', { name: MARKET }).waitFor()
    found.markets = await findings(page)
    await openMarket(page)
    await page.locator('.book-price').first().waitFor()
    found.trade = await findings(page)
    for (const tab of [words.openOrders, words.kept, words.liquidity, words.history]) {
      await page.getByRole('tab', { name: tab }).click()
      found[tab] = await findings(page)
    }
    await page.evaluate('location.hash = "#/operator"')
    await page.getByRole('heading', { name: 'Operator' }).waitFor()
    await page.getByRole('heading', { name: 'Indexer' }).waitFor()
    found.operator = await findings(page)
    expect(found).toEqual(Object.fromEntries(Object.keys(found).map((key) => [key, []])))
    expect(problems).toEqual([])
    await close()
  },
)

const WEEK_SEC = 7 * 24 * 3600
/** Of the first Friday of Unix time, 08:00 UTC. */
const FRIDAY_SEC = 32 * 3600

/** Opens a pair that ends on the Friday after next by the first liquidity in it. */
async function openDated(account: number): Promise<string> {
  const weeks = Math.floor((Date.now() / 1000 - FRIDAY_SEC) / WEEK_SEC)
  const expiry = FRIDAY_SEC + (weeks + 2) * WEEK_SEC
  const terms = { amount: '5000', alphaLower: '1.2', alphaUpper: '1.2', slippageBps: 50 }
  await addLiquidity(await programOf(account), { instrument: MARKET, expiry, ...terms })
  return pairName({ symbol: MARKET, expiry })
}

// The last: from now on there are two pairs of one symbol.
describe('a dated pair', () => {
  it('is called by the day of its end, traded, and closed beside the perpetual', async () => {
    const { page, problems, close } = await trader(8)
    await turnOnOneClick(page)
    const name = await openDated(8)
    await goTo(page, words.perpetuals)
    await page.getByRole('link', { name }).click()
    await page.getByLabel(words.size, { exact: true }).waitFor()
    expect(decodeURIComponent(page.url())).toContain(name)
    await placeLong(page, '0.01', async () => '', name)
    await page.getByRole('tab', { name: words.positions }).click()
    await page.getByRole('row').filter({ hasText: name }).waitFor()
    await button(page, words.closeNamed(name)).first().click()
    const sure = inDialog(page, words.closeNamed(name)).getByRole('button', { name: words.close, exact: true }).last()
    await doing(
      page,
      words.closeDone(name),
      () => sure.click(),
      async () => '',
    )
    await page.getByText(words.noPositions).waitFor()
    expect(problems).toEqual([])
    await close()
  })
})
