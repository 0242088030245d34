// Lists of stocks that are cut off, before answers that a venue gives seldom.
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launchChromium } from '../../scripts/chromium.ts'
import { words } from '../src/stock/strings.ts'
import { ALICE, type Played, playVenue } from './played-venue.ts'

let browser: Browser
let venue: Played

beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser?.close())

beforeEach(async () => {
  venue = await playVenue(browser, {
    [`GET /api/v1/users/${ALICE}/balance`]: () => ({ mUsdBalance: '1000', tokenBalances: [] }),
    'GET /api/v1/symbols': () => [{ symbol: 'AAPL', name: 'Apple', contractAddress: ALICE, price: '100' }],
    'GET /api/v1/config': () => ({ cashierTokenConfig: [], exchangeFeeConfig: { buyFeeRate: '0' } }),
    'GET /api/v1/1ct/status': () => ({ status: 'disabled' }),
  })
  await venue.signedIn('stock', ALICE, 'key-of-alice')
})
afterEach(() => venue.close())

describe('the orders of a stock that have ended', () => {
  /** The key's newest hundred, this many of them of the stock. */
  const answer = (own: number, total: number) => {
    const rows = Array.from({ length: Math.min(total, 100) }, (_, nth) => {
      const historyOrder = { symbol: nth < own ? 'AAPL' : 'MSFT', side: 'Buy', type: 'Market', createdAt: nth }
      return { orderId: String(nth), txHash: null, orderStatus: 'Filled', mapping: null, openOrder: null, historyOrder }
    })
    venue.answers['GET /api/v1/orders'] = ({ query }) =>
      query.has('status') ? { total: 0, rows: [] } : { total, rows }
  }
  const showHistory = async () => {
    await venue.open('/trade/AAPL')
    await venue.page.getByRole('tab', { name: words.history }).click()
  }
  const shown = (text: string) => venue.page.getByText(text, { exact: true })

  it('are not said to be none where only newer ones of other stocks were looked through', async () => {
    answer(0, 101)
    await showHistory()
    await shown(words.noneOfNewest('AAPL', 100)).waitFor()
    expect(await shown(words.noOrders).count()).toBe(0)
    await venue.page.getByRole('link', { name: words.allOrders, exact: true }).click()
    await venue.page.getByRole('heading', { name: words.orders, exact: true }).first().waitFor()
  })

  it('are said to be those of the newest where there are more', async () => {
    answer(2, 101)
    await showHistory()
    await shown(words.newestAlone(100)).waitFor()
    expect(await venue.page.getByRole('table', { name: words.history }).locator('tbody tr').count()).toBe(2)
  })

  it('are all there is where nothing was left out', async () => {
    answer(0, 100)
    await showHistory()
    await shown(words.noOrders).waitFor()
    expect(await shown(words.noneOfNewest('AAPL', 100)).count()).toBe(0)
  })
})

describe('the form of transfers', () => {
  it('says the fee to the part per million, and what arrives', async () => {
    const { page, answers } = venue
    answers['GET /api/v1/config'] = () => ({
      cashierTokenConfig: [{ tokenAddress: ALICE, symbol: 'USDC', decimals: 6, usdRate: 1 }],
      exchangeFeeConfig: { depositFeeRate: 0, withdrawFeeRate: 0.00004 },
    })
    await venue.open('/transfers')
    await page.getByRole('button', { name: words.withdraw, exact: true }).click()
    await page.getByText(words.feeRate('0.004%'), { exact: true }).waitFor()
    await page.getByLabel(words.quantity, { exact: true }).fill('500')
    const told = page.getByText(words.feeAndRest('0.004%', '499.98 USDC'), { exact: true })
    await told.waitFor()
    expect(await told.count()).toBe(1)
  })
})

describe('the history of transfers', () => {
  const NEWEST = 50

  it.each([NEWEST, NEWEST + 1])('says whether it is cut off, with %i deposits of cash', async (total) => {
    const { page, answers } = venue
    const kinds = ['deposits', 'withdrawals'].flatMap((way) => [`cash/${way}`, `stock/${way}`])
    for (const kind of kinds) answers[`GET /api/v1/${kind}`] = () => ({ total: 0, rows: [] })
    const rows = Array.from({ length: NEWEST }, (_, nth) => ({
      operationId: String(nth),
      txHash: null,
      operationStatus: 'success',
      mapping: null,
      depositOperation: { createdAt: nth, mUsdAmount: '1', tokenAddress: ALICE, createTxHash: null },
    }))
    answers['GET /api/v1/cash/deposits'] = () => ({ total, rows })
    await venue.open('/transfers')
    await page
      .getByRole('table', { name: words.history })
      .locator('tbody tr')
      .nth(NEWEST - 1)
      .waitFor()
    expect(await page.getByText(words.transfersCut(NEWEST), { exact: true }).count()).toBe(total > NEWEST ? 1 : 0)
  })
})
