// axe finds nothing on any screen, in both themes, at the width of a phone and of a desk; and nothing is wider than the screen.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchChromium } from '../../scripts/chromium.ts'
import { type RunningVenue, startVenue } from '../../server/e2e/venue.ts'
import { words } from '../src/stock/strings.ts'
import { walletWords } from '../src/strings.ts'
import { addAxe, findings } from './axe.ts'
import { LOOKS, openApp } from './browser.ts'
import { connect, deposit, goTo, openStock, signIn } from './user.ts'

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

const SCREENS = [words.markets, words.trade, words.portfolio, words.orders, words.transfers, words.keys]

it.each(LOOKS)(
  'every screen in $theme colours at $width pixels, before and after signing in',
  async ({ theme, width }) => {
    const { page, problems, close } = await openApp(browser, url, { theme, width, height: 900 })
    const found: Record<string, readonly string[]> = {}
    const look = async (when: string) => {
      for (const screen of SCREENS) {
        await goTo(page, screen)
        await page.locator('main h1, main .trade').first().waitFor()
        found[`${screen} ${when}`] = await findings(page)
      }
    }
    await addAxe(page)
    await look('as a visitor')
    await connect(page)
    await goTo(page, words.transfers)
    await signIn(page)
    await deposit(page, '100')
    await page.getByRole('row').filter({ hasText: words.operationStatus.success[0] }).first().waitFor()
    await look('signed in')
    await openStock(page, 'AAPL')
    await page.getByLabel(words.amount, { exact: true }).fill('10')
    await page.getByRole('button', { name: words.place(words.buy, 'AAPL'), exact: true }).click()
    const asked = page.getByRole('dialog', { name: walletWords.confirmTitle })
    await asked.getByText(words.callForUsd('aAAPL', '$10.00')).waitFor()
    found['what is signed'] = await findings(page)
    await asked.getByRole('button', { name: walletWords.cancelSigning, exact: true }).click()
    await asked.waitFor({ state: 'detached' })
    expect(await page.locator('button:focus').textContent()).toBe(words.place(words.buy, 'AAPL'))
    expect(found).toEqual(Object.fromEntries(Object.keys(found).map((key) => [key, []])))
    expect(problems).toEqual([])
    await close()
  },
)
