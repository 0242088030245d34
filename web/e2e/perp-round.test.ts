// The perpetual round in a real browser against a whole venue: once signed by the wallet, once by One Click.
import type { Browser, Page } from 'playwright-core'
import { formatUnits } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningVenue, startVenue } from '../../server/e2e/venue.ts'
import { formatAmount, formatPrice } from '../src/lib/format.ts'
import { words } from '../src/perp/strings.ts'
import { addAxe, findings } from './axe.ts'
import { type AppPage, launch, openApp } from './browser.ts'
import { agree, connect, goTo, signIn } from './user.ts'

const MARKET = 'BTC/USDC'

let venue: RunningVenue
let browser: Browser
let url: string

beforeAll(async () => {
  browser = await launch()
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

/** Consent where the wallet signs; with One Click there is nothing to agree to. */
type Consent = (page: Page) => Promise<string>

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
    await press()
    const shown = await consent(page)
    await isDone.or(refusal).first().waitFor()
    if (await isDone.isVisible()) return shown
    if (tried === TRIES) throw new Error(`${what}: ${await refusal.textContent()}`)
  }
}

/** A signed-in trader with money at Gate. */
async function trader(account: number, options: Parameters<typeof openApp>[2] = {}): Promise<AppPage> {
  const app = await openApp(browser, url, options)
  const { page } = app
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

async function openMarket(page: Page): Promise<void> {
  await goTo(page, words.perpetuals)
  await page.getByRole('link', { name: MARKET }).click()
  await page.getByLabel(words.size, { exact: true }).waitFor()
}

async function placeLong(page: Page, size: string, consent: Consent): Promise<string> {
  await page.getByLabel(words.size, { exact: true }).fill(size)
  await page.getByLabel(words.preview, { exact: true }).getByText(words.liquidation).waitFor()
  const what = words.place(words.long, MARKET)
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

describe('a trader of perpetuals', () => {
  it('goes the whole round with a wallet that signs each step, and sees what each says', async () => {
    const { page, problems, close } = await trader(5)
    await openMarket(page)
    const shown = await placeLong(page, '0.1', agree)
    expect(shown).toContain('trade')
    expect(shown).toContain('buy')
    expect(shown).toContain('0.1')
    await round(page, agree)
    expect(problems).toEqual([])
    await close()
  })

  it('goes the whole round by One Click, and signs nothing more', async () => {
    const { page, problems, close } = await trader(6)
    await page.getByRole('switch', { name: words.oneClick }).click()
    expect(await agree(page)).toContain('Delegate')
    await page.locator('[role=switch][aria-checked=true]').waitFor()
    await openMarket(page)
    await placeLong(page, '0.1', async () => '')
    await round(page, async () => '')
    expect(problems).toEqual([])
    await close()
  })
})

describe.each(['light', 'dark'] as const)('in %s colours', (theme) => {
  it.each([390, 1440])(
    'axe finds nothing on the screens of perpetuals and of the operator at %i pixels',
    async (width) => {
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
      for (const tab of [words.openOrders, words.liquidity, words.history]) {
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
})
