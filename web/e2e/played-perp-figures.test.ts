// What the screens of perpetuals say of sizes, costs and proceeds.
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launchChromium } from '../../scripts/chromium.ts'
import { words } from '../src/perp/strings.ts'
import { FIRST, held, perpAnswers, TRADER, wad } from './played-perp-answers.ts'
import { ALICE, type Played, playVenue } from './played-venue.ts'

let browser: Browser
let venue: Played

beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser?.close())

beforeEach(async () => {
  venue = await playVenue(browser, perpAnswers())
  await venue.signedIn('perp', ALICE, 'key-of-alice')
})
afterEach(() => venue.close())

const button = (name: string) => venue.page.getByRole('button', { name, exact: true })
const open = () => venue.open('/perp/trade/BTC%2FUSDC')

describe('the spread', () => {
  it('is that of the best prices, whatever the steps of the book that is shown', async () => {
    const level = (price: number) => ({ tick: price, price: wad(price), baseSize: wad(1), baseSum: wad(1) })
    venue.answers['GET /v4/public/market/orderBook'] = () => ({
      '1': { bids: [level(99)], asks: [level(101)] },
      '10': { bids: [level(90)], asks: [level(110)] },
    })
    await open()
    const middle = venue.page.locator('.book-middle')
    expect(await middle.getByText(words.spread).textContent()).toBe(`${words.spread} 2.00`)
    expect(await venue.page.locator('.book-price').allTextContents()).toEqual(['110.00', '90.00'])
  })
})

describe('an amount typed for another way of adjusting', () => {
  it('is not taken over: a leverage is no sum of money', async () => {
    venue.answers[`GET ${TRADER}/position/list`] = () => [held(FIRST, 'BTC/USDC', 1)]
    await open()
    await button(words.adjustNamed('BTC/USDC')).click()
    const dialog = venue.page.getByRole('dialog', { name: words.adjustNamed('BTC/USDC') })
    await dialog.getByLabel(words.leverage, { exact: true }).fill('5')
    await dialog.getByRole('button', { name: words.removeMargin, exact: true }).click()
    expect(await dialog.getByLabel(words.amount, { exact: true }).inputValue()).toBe('')
  })
})

describe('money that went into a market', () => {
  it('is listed with the name of the market', async () => {
    const { page, answers } = venue
    const moved = (id: string, instrumentAddress: string) => ({
      id,
      timestamp: 1_760_000_000,
      typeString: 'scatter',
      value: id,
      tokenInfo: { symbol: 'USDC', price: '1' },
      instrumentAddress,
      txHash: `0x${id}`,
    })
    answers[`GET ${TRADER}/account/transaction-history`] = () => ({
      list: [moved('1', FIRST), moved('2', '')],
      totalCount: 2,
    })
    answers[`GET ${TRADER}/order/history`] = () => ({ list: [], totalCount: 0 })
    await open()
    await page.getByRole('tab', { name: words.history }).click()
    await button(words.transfers).click()
    const rows = page.getByRole('table', { name: words.transfers }).locator('tbody tr')
    await rows.first().waitFor()
    expect(await rows.nth(0).textContent()).toContain('BTC/USDC')
    expect(await rows.nth(1).textContent()).not.toContain('BTC/USDC')
  })
})
