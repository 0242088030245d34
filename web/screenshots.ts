// Writes a picture of every screen, in both themes, at the width of a desk and of a phone, for a person to look at:
//   npm run screenshots [address of a venue that `npm start` runs] [folder]
// It trades a little with the tenth development account, so that the lists have something in them.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { launchChromium } from '../scripts/chromium.ts'
import { openApp } from './e2e/browser.ts'
import { agree, connect, deposit, goTo, openStock, signIn } from './e2e/user.ts'
import { words as perp } from './src/perp/strings.ts'
import { words } from './src/stock/strings.ts'
import { walletWords } from './src/strings.ts'

const [url = 'http://127.0.0.1:8080', folder = join(import.meta.dirname, 'screenshots')] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })

const MARKET = 'BTC/USDC'

/** Screens of both products and of the operator, by their path; those that a venue has not show that. */
const SCREENS = {
  markets: '/',
  trade: '/trade',
  portfolio: '/portfolio',
  orders: '/orders',
  transfers: '/transfers',
  keys: '/keys',
  'perp-markets': '/perp',
  'perp-trade': `/perp/trade/${encodeURIComponent(MARKET)}`,
  'perp-account': '/perp/account',
  operator: '/operator',
}

const WIDTHS = { desk: 1440, phone: 390 }
/** Charts and lists settle; a picture has no state of its own to wait for. */
const SETTLE_MS = 2500

async function trade(page: Page): Promise<void> {
  await connect(page)
  await goTo(page, words.transfers)
  await signIn(page)
  await deposit(page, '20000')
  await page.getByRole('row').filter({ hasText: words.operationStatus.success[0] }).first().waitFor()
  await openStock(page, 'AAPL')
  await page.getByLabel(words.amount, { exact: true }).fill('1000')
  await page.getByRole('button', { name: words.place(words.buy, 'AAPL'), exact: true }).click()
  await page.getByRole('dialog', { name: walletWords.confirmTitle }).waitFor()
  await page.screenshot({ path: join(folder, 'confirm.png') })
  await agree(page)
  await page.getByRole('button', { name: words.limit, exact: true }).click()
  await page.getByLabel(words.limitPrice, { exact: true }).fill('220')
  await page.getByLabel(words.quantity, { exact: true }).fill('3')
  await page.getByRole('button', { name: words.place(words.buy, 'AAPL'), exact: true }).click()
  await agree(page)
  await page
    .getByRole('button', { name: words.cancelNamed('AAPL'), exact: true })
    .first()
    .waitFor()
}

async function tradePerpetuals(page: Page): Promise<void> {
  await goTo(page, perp.account)
  await signIn(page)
  await page.getByLabel(perp.amount, { exact: true }).fill('20000')
  // Approved by the first round already, in the second.
  const approve = page.getByRole('button', { name: perp.approveFirst('USDC'), exact: true })
  const send = page.locator('button[type=submit]', { hasText: perp.deposit })
  await approve.or(send).first().waitFor()
  if (await approve.isVisible()) {
    await approve.click()
    await agree(page)
    await done(page, perp.approveDone('20000 USDC'))
  }
  await send.click()
  await agree(page)
  await done(page, perp.depositDone('20000 USDC'))
  await goTo(page, perp.perpetuals)
  await page.getByRole('link', { name: MARKET }).click()
  await placeLong(page, '0.1')
  await page.getByRole('button', { name: perp.limitOrder, exact: true }).click()
  await page.getByLabel(perp.limitPrice, { exact: true }).fill(freePrice())
  await placeLong(page, '0.05')
}

/** An account has one order at a price, and those of earlier rounds still stand. */
const freePrice = () => String(80_000 + (Math.floor(Date.now() / 1000) % 4_000))

const done = (page: Page, what: string) => page.getByText(perp.done(what), { exact: true }).first().waitFor()

async function placeLong(page: Page, size: string): Promise<void> {
  await page.getByLabel(perp.size, { exact: true }).fill(size)
  await page.getByLabel(perp.preview, { exact: true }).getByText(perp.liquidation).waitFor()
  const what = perp.place(perp.long, MARKET)
  await page.getByRole('button', { name: what, exact: true }).click()
  await agree(page)
  await done(page, what)
}

async function picture(page: Page, name: string, path: string): Promise<void> {
  await page.goto(`${new URL('/', url).href}#${path}`)
  await page.waitForTimeout(SETTLE_MS)
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
  console.log(join(folder, `${name}.png`))
}

const browser = await launchChromium()
for (const theme of ['light', 'dark'] as const) {
  const { page, close } = await openApp(browser, url, { theme })
  await page.getByRole('button', { name: walletWords.connect }).first().click()
  await page.getByRole('dialog').waitFor()
  await page.screenshot({ path: join(folder, `connect-${theme}.png`) })
  await page.keyboard.press('Escape')
  await trade(page)
  await tradePerpetuals(page)
  for (const [size, width] of Object.entries(WIDTHS)) {
    await page.setViewportSize({ width, height: 900 })
    for (const [name, path] of Object.entries(SCREENS)) await picture(page, `${name}-${theme}-${size}`, path)
  }
  await close()
}
await browser.close()
