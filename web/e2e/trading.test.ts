// A trader's day with the app, in a real browser against a whole venue.
import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../../scripts/chromium.ts'
import { type RunningVenue, startVenue } from '../../server/e2e/venue.ts'
import { words as operatorWords } from '../src/operator/strings.ts'
import { words } from '../src/stock/strings.ts'
import { common, walletWords } from '../src/strings.ts'
import { addAxe, findings } from './axe.ts'
import { type AppPage, openApp } from './browser.ts'
import { agree, connect, deposit, goTo, openStock, signIn } from './user.ts'

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

/** A signed-in trader with an account of the development chain. */
async function trader(account: number): Promise<AppPage> {
  const app = await openApp(browser, url)
  await connect(app.page, venue.accounts[account]?.address)
  await goTo(app.page, words.transfers)
  await signIn(app.page)
  return app
}

const row = ({ page }: AppPage, ...texts: readonly string[]) =>
  texts.reduce((found, text) => found.filter({ hasText: text }), page.getByRole('row')).first()

describe('a trader', () => {
  it('connects, deposits, previews, buys, sees it filled and settled, and withdraws; a reload keeps it all', async () => {
    const app = await trader(1)
    const { page, problems } = app
    const [approval, deposited] = await deposit(page, '5000')
    expect(approval).toContain('approve')
    expect(approval).toContain('StockRouter')
    expect(approval).toContain('5000000000')
    expect(approval).toContain('5,000 USDC')
    expect(deposited).toContain(`${words.callDeposits}5,000 USDC`)
    expect(deposited).toContain('31337')
    expect(deposited).toContain(venue.contracts.StockRouter?.toLowerCase())
    await row(app, words.activityType.cash_deposit, words.operationStatus.success[0]).waitFor()

    await openStock(page, 'AAPL')
    await page.getByLabel(words.amount, { exact: true }).fill('1000')
    const preview = page.getByRole('region', { name: words.preview })
    await preview.getByText(words.total, { exact: true }).waitFor()
    expect((await preview.textContent()) ?? '').toContain('aAAPL')
    await page.getByRole('button', { name: words.place(words.buy, 'AAPL'), exact: true }).click()
    const bought = await agree(page)
    expect(bought).toContain('placeMarketOrder')
    expect(bought).toContain(words.callForUsd('aAAPL', '$1,000.00'))

    await goTo(page, words.orders)
    await row(app, 'AAPL', words.orderStatus.Filled[0]).waitFor()
    expect((await row(app, 'AAPL').textContent()) ?? '').toContain(words.txSettled)

    await page.reload()
    await row(app, 'AAPL', words.orderStatus.Filled[0]).waitFor()

    // All of it is sold from its line on the chart, by a ticket that is filled in and previewed.
    await openStock(page, 'AAPL')
    await page.getByRole('button', { name: words.closePosition('AAPL'), exact: true }).click()
    const quantity = await page.getByLabel(words.quantity, { exact: true }).inputValue()
    await page.getByRole('region', { name: words.preview }).getByText(words.proceeds, { exact: true }).waitFor()
    await page.getByRole('button', { name: words.place(words.sell, 'AAPL'), exact: true }).click()
    expect(await agree(page)).toContain(`${words.callSells}${quantity} aAAPL`)
    await page.getByRole('button', { name: words.closePosition('AAPL'), exact: true }).waitFor({ state: 'detached' })

    await goTo(page, words.transfers)
    await page.getByRole('button', { name: words.withdraw, exact: true }).click()
    await page.getByLabel(words.quantity, { exact: true }).fill('500')
    await page.getByRole('button', { name: `${words.withdraw} USDC`, exact: true }).click()
    expect(await agree(page)).toContain('withdraw')
    await row(app, words.activityType.cash_withdrawal, words.operationStatus.success[0]).waitFor()
    await goTo(page, words.portfolio)
    await page.getByRole('row').filter({ hasText: words.activityType.fill }).first().waitFor()
    expect(problems).toEqual([])
    await app.close()
  })

  it('rests a limit order and takes it back; with One Click neither asks the wallet', async () => {
    const app = await trader(2)
    const { page, problems } = app
    await deposit(page, '5000')
    await row(app, words.activityType.cash_deposit, words.operationStatus.success[0]).waitFor()
    await goTo(page, words.keys)
    await page.getByRole('button', { name: words.turnOn, exact: true }).click()
    expect(await agree(page)).toContain('Delegate')
    await page.getByRole('button', { name: words.turnOff, exact: true }).waitFor()

    await openStock(page, 'MSFT')
    await page.getByRole('button', { name: words.limit, exact: true }).click()
    await page.getByLabel(words.limitPrice, { exact: true }).fill('100')
    await page.getByLabel(words.quantity, { exact: true }).fill('2')
    await page.getByRole('button', { name: words.place(words.buy, 'MSFT'), exact: true }).click()
    await page.getByRole('button', { name: words.cancelNamed('MSFT'), exact: true }).click()
    for (const quantity of ['1', '3']) {
      await page.getByLabel(words.quantity, { exact: true }).fill(quantity)
      await page.getByRole('button', { name: words.place(words.buy, 'MSFT'), exact: true }).click()
      await page.getByRole('cell', { name: quantity, exact: true }).waitFor()
    }
    await page
      .getByRole('button', { name: words.cancelNamed('MSFT'), exact: true })
      .nth(1)
      .waitFor()
    await page.getByRole('button', { name: words.cancelAll, exact: true }).click()
    const question = page.getByRole('dialog', { name: words.cancelAllTitle(2) })
    await question.waitFor()
    expect(await question.locator('tbody tr').count()).toBe(2)
    await addAxe(page)
    expect(await findings(page)).toEqual([])
    await question.getByRole('button', { name: words.cancelAll, exact: true }).click()
    await question.waitFor({ state: 'detached' })
    await page.getByText(words.noOpenOrders).waitFor()
    await goTo(page, words.orders)
    await row(app, 'MSFT', words.orderStatus.Canceled[0]).waitFor()
    expect((await row(app, 'MSFT').textContent()) ?? '').toContain(words.txCancelled)
    expect(problems).toEqual([])
    await app.close()
  })

  it('says no: nothing is sent, and the page says so', async () => {
    const app = await trader(3)
    const { page } = app
    await page.getByLabel(words.quantity, { exact: true }).fill('100')
    await page.getByRole('button', { name: `${words.deposit} USDC`, exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: walletWords.cancelSigning, exact: true }).click()
    await page.getByText(walletWords.rejected).waitFor()
    expect(await page.getByText(words.transfersNone).isVisible()).toBe(true)
    await app.close()
  })
})

describe('sessions', () => {
  it('of other browsers are listed and ended; signing out ends the own one at the venue', async () => {
    const [first, second] = [await trader(5), await trader(5)]
    await goTo(first.page, words.keys)
    const rows = first.page.getByRole('table', { name: words.openSessions }).locator('tbody tr')
    await rows.nth(1).waitFor()
    const other = rows.filter({ hasNotText: words.thisBrowser })
    await other.getByRole('button', { name: words.endSession }).click()
    await other.waitFor({ state: 'detached' })
    expect(await rows.count()).toBe(1)

    const ended = first.page.waitForResponse((one) => one.request().method() === 'DELETE')
    await first.page.getByRole('button', { name: words.forget, exact: true }).click()
    expect((await ended).status()).toBe(200)
    await first.page.getByRole('button', { name: walletWords.signIn, exact: true }).waitFor()
    await first.page.reload()
    await first.page.getByRole('button', { name: walletWords.signIn, exact: true }).waitFor()
    await Promise.all([first.close(), second.close()])
  })
})

describe("the operator's page", () => {
  it('is linked where the venue tells of itself', async () => {
    const { page, close } = await openApp(browser, url)
    const link = page.getByRole('contentinfo').getByRole('link', { name: common.operator, exact: true })
    await link.click()
    await page.getByRole('heading', { name: operatorWords.operator, exact: true }).waitFor()
    expect(new URL(page.url()).hash).toBe('#/operator')
    await close()
  })
})

describe('a wallet on another chain', () => {
  it('is told which chain the venue is on, and is brought there by a button', async () => {
    const app = await openApp(browser, 'about:blank')
    const { page } = app
    await page.addInitScript(otherChainWallet(venue.accounts[4]?.address ?? ''))
    await page.goto(url)
    await page.getByRole('button', { name: walletWords.connect }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Traveller' }).click()
    const change = page.getByRole('button', { name: walletWords.switchChain(walletWords.developmentChain) })
    const notice = page.getByRole('alert').filter({ has: change })
    await notice.waitFor()
    await goTo(page, words.transfers)
    await page.getByRole('button', { name: walletWords.signIn }).first().click()
    await page.getByRole('main').getByRole('alert').filter({ hasText: '31337' }).waitFor()
    await change.click()
    await notice.waitFor({ state: 'detached' })
    expect(await page.evaluate('window.asked')).toContain('wallet_switchEthereumChain')
    await app.close()
  })
})

/** An injected wallet that is on chain 1 until it is asked to switch; the page's own script. */
const otherChainWallet = (account: string): string => `
  window.asked = []
  let chainId = '0x1'
  const provider = {
    async request({ method, params }) {
      window.asked.push(method)
      if (method === 'wallet_switchEthereumChain') chainId = params[0].chainId
      if (method === 'eth_chainId') return chainId
      return method === 'eth_requestAccounts' || method === 'eth_accounts' ? ['${account}'] : null
    },
  }
  const info = { uuid: '7', name: 'Traveller', icon: '/icon.svg', rdns: 'test.traveller' }
  const announce = () =>
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info, provider } }))
  window.addEventListener('eip6963:requestProvider', announce)`

const PATHS = [
  ...['/', '/trade', '/trade/AAPL', '/portfolio', '/orders', '/transfers', '/keys'],
  ...['/perp', '/perp/account', '/perp/trade/BTC%2FUSDC', '/operator'],
]

describe('the first load', () => {
  it.each(PATHS)('of %s is at most 150 KB of gzipped script', async (path) => {
    const app = await openApp(browser, 'about:blank')
    const scripts = new Set<string>()
    app.page.on('response', (response) => {
      if (response.request().resourceType() === 'script') scripts.add(response.url())
    })
    await app.page.goto(`${url}#${path}`)
    await app.page.locator('main h1, main .trade').first().waitFor()
    const bodies = await Promise.all(
      [...scripts].map(async (one) => Buffer.from(await (await fetch(one)).arrayBuffer())),
    )
    const bytes = bodies.reduce((sum, body) => sum + gzipSync(body).length, 0)
    expect(bytes).toBeGreaterThan(10_000)
    expect(bytes).toBeLessThanOrEqual(150_000)
    await app.close()
  })
})
