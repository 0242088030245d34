// Writes a picture of every screen, in both themes, at the width of a desk and of a phone, for a person to look at:
//   npm run screenshots [address of a venue that `npm start` runs] [folder]
// It trades a little with the tenth development account, so that the lists have something in them.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { launch, openApp } from './e2e/browser.ts'
import { agree, connect, deposit, goTo, openStock, signIn } from './e2e/user.ts'
import { words } from './src/stock/strings.ts'
import { walletWords } from './src/strings.ts'

const [url = 'http://127.0.0.1:8080', folder = join(import.meta.dirname, 'screenshots')] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })

/** Screens of both products and of the operator, by their path; those that a venue has not show that. */
const SCREENS = {
  markets: '/',
  trade: '/trade',
  portfolio: '/portfolio',
  orders: '/orders',
  transfers: '/transfers',
  keys: '/keys',
  'perp-trade': '/perp',
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

async function picture(page: Page, name: string, path: string): Promise<void> {
  await page.goto(`${new URL('/', url).href}#${path}`)
  await page.waitForTimeout(SETTLE_MS)
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
  console.log(join(folder, `${name}.png`))
}

const browser = await launch()
for (const theme of ['light', 'dark'] as const) {
  const { page, close } = await openApp(browser, url, { theme })
  await page.getByRole('button', { name: walletWords.connect }).first().click()
  await page.getByRole('dialog').waitFor()
  await page.screenshot({ path: join(folder, `connect-${theme}.png`) })
  await page.keyboard.press('Escape')
  await trade(page)
  for (const [size, width] of Object.entries(WIDTHS)) {
    await page.setViewportSize({ width, height: 900 })
    for (const [name, path] of Object.entries(SCREENS)) await picture(page, `${name}-${theme}-${size}`, path)
  }
  await close()
}
await browser.close()
