// What the screens of perpetuals say of sizes, costs and proceeds.
import type { PreviewActionResult } from '@bourse/sdk/perp'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launchChromium } from '../../scripts/chromium.ts'
import { eventually } from '../../server/e2e/client.ts'
import { words } from '../src/perp/strings.ts'
import {
  FIRST,
  held,
  INSTRUMENTS,
  NOTHING,
  PERPETUAL,
  PREVIEW,
  perpAnswers,
  preview,
  purse,
  TRADER,
  USDC,
  wad,
} from './played-perp-answers.ts'
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
const box = () => venue.page.getByLabel(words.preview, { exact: true })
const answerPreview = (answer: object) => {
  venue.answers[PREVIEW] = () => ({ ...preview(100), ...answer })
}

/** The value beside a name of the preview. */
const fact = async (name: string): Promise<string | null> => {
  const line = box()
    .locator('dl > div')
    .filter({ has: venue.page.locator('dt').getByText(name, { exact: true }) })
  return line.locator('dd').textContent()
}

const has = (balance: object) => {
  venue.answers[`GET ${TRADER}/account/wallet-balance`] = () => ({
    ...NOTHING,
    portfolios: [{ ...purse(USDC), ...balance }],
  })
}

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

describe('sizes of eighteen digits', () => {
  const long = '1234567890123456789'

  beforeEach(() => {
    venue.answers[`GET ${TRADER}/position/list`] = () => [
      {
        ...held(FIRST, 'BTC/USDC', 1),
        size: long,
        entryPrice: wad(98_765),
        markPrice: wad(98_765),
        liquidationPrice: wad(87_654),
        unrealizedPnl: wad(-12_345),
        unrealizedFunding: wad(-1234),
        equity: wad(123_456),
      },
    ]
  })

  it('leave the button that closes a position in sight', async () => {
    await open()
    const close = await button(words.closeNamed('BTC/USDC')).boundingBox()
    const panel = await venue.page.locator('.perp-records').boundingBox()
    expect((close?.x ?? 0) + (close?.width ?? 0)).toBeLessThanOrEqual((panel?.x ?? 0) + (panel?.width ?? 0))
  })

  it('are shortened in lists, which say that and have all of it at hand, and whole where one is asked', async () => {
    await open()
    const short = venue.page.getByText('1.2345…', { exact: true })
    expect(await short.getAttribute('title')).toBe('1.234567890123456789')
    await button(words.closeNamed('BTC/USDC')).click()
    expect(await venue.page.getByLabel(words.closeSize, { exact: true }).inputValue()).toBe('1.234567890123456789')
  })

  it('are not written over the time of a trade, and none is shown as 0', async () => {
    await open()
    await button(words.closeNamed('BTC/USDC')).waitFor()
    const trade = (id: string, size: string) => ({ id, price: wad(100), size, side: 'long', timestamp: 1_760_000_000 })
    const data = [trade('1', long), trade('2', '1234567890')]
    await eventually(
      async () => {
        venue.tell({ stream: 'trades', instrument: FIRST, expiry: PERPETUAL, data })
        return venue.page.locator('.perp-trades tbody tr').count()
      },
      (shown) => shown === 2,
    )
    const cells = venue.page.locator('.perp-trades tbody td:nth-child(2)')
    expect(await cells.allTextContents()).toEqual(['<0.0001', '1.2345'])
    expect(await cells.last().locator('[title]').getAttribute('title')).toBe('1.234567890123456789')
  })
})

describe('an order that rests', () => {
  const rest = { price: wad(90), margin: wad(30) }

  it('is shown with the tip that another may earn who fills it', async () => {
    answerPreview({ amount: wad(30), orders: [rest] })
    venue.answers[INSTRUMENTS] = () => [
      { instrumentAddress: FIRST, tip: wad(2), tradingFeeRatio: 5, protocolFeeRatio: 2 },
    ]
    await open()
    await venue.page.getByLabel(words.size, { exact: true }).fill('1')
    expect(await fact(words.tip)).toBe('2.00 USDC')
  })

  it('is shown with a tip that is not known yet, not without one', async () => {
    answerPreview({ amount: wad(30), orders: [rest] })
    await open()
    await venue.page.getByLabel(words.size, { exact: true }).fill('1')
    expect(await fact(words.tip)).toBe('–')
  })
})

describe('a close', () => {
  const position = (size: number, margin: number, unrealizedPnl: number): PreviewActionResult['before'] => ({
    size: wad(size),
    margin: wad(margin),
    entryPrice: wad(100),
    unrealizedPnl: wad(unrealizedPnl),
    equity: wad(margin),
    leverage: wad(2),
    liquidationPrice: '0',
  })
  const asked = async (answer: object) => {
    venue.answers[`GET ${TRADER}/position/list`] = () => [held(FIRST, 'BTC/USDC', 4)]
    answerPreview({ markPrice: wad(110), fee: '1000000000000000001', amount: '0', ...answer })
    await open()
    await button(words.closeNamed('BTC/USDC')).click()
  }

  it('of all of a long says what comes out, and with what result, to the cent below', async () => {
    await asked({ notional: wad(420), before: position(4, 200, 40), after: position(0, 0, 0) })
    expect(await fact(words.marginOut)).toBe('218.99 USDC')
    expect(await fact(words.realized)).toBe('+18.99 USDC')
  })

  it('of all of a short counts the other way', async () => {
    await asked({ notional: wad(420), before: position(-4, 200, -40), after: position(0, 0, 0) })
    expect(await fact(words.marginOut)).toBe('178.99 USDC')
    expect(await fact(words.realized)).toBe('-21.01 USDC')
  })

  it('of a part says its result; the margin stays', async () => {
    await asked({ notional: wad(105), before: position(4, 200, 40), after: position(3, 204, 30) })
    expect(await fact(words.realized)).toBe('+3.99 USDC')
    expect(await box().getByText(words.marginOut, { exact: true }).count()).toBe(0)
  })
})

describe('more margin than is free', () => {
  const submit = () => button(words.place(words.long, 'BTC/USDC'))
  const lacks = words.lacks('20,795.70 USDC', '19,750.24 USDC')
  const type = async () => {
    await open()
    await venue.page.getByLabel(words.size, { exact: true }).fill('1')
  }
  const needs = { amount: '20795692345678912345678', needsApproval: true }

  it('is said with both sums, and nothing can be sent', async () => {
    has({ balance: '19750249000000000000000', walletBalance: wad(100_000), allowance: '0' })
    answerPreview(needs)
    await type()
    await box().getByText(lacks, { exact: true }).waitFor()
    expect(await box().getByText(words.needsApproval).count()).toBe(0)
    expect(await submit().getAttribute('aria-disabled')).toBe('true')
    await submit().click({ force: true })
    expect(venue.asked.filter(({ operation }) => operation.endsWith('/order/build'))).toEqual([])
  })

  it('is none where Gate may take the rest from the wallet', async () => {
    has({ balance: '19750249000000000000000', walletBalance: wad(100_000), allowance: wad(2000) })
    answerPreview({ ...needs, needsApproval: false })
    await type()
    await box().getByText(words.marginMoved, { exact: true }).waitFor()
    expect(await box().getByText(lacks).count()).toBe(0)
    expect(await submit().getAttribute('aria-disabled')).toBeNull()
  })

  it('cannot be added to a position either', async () => {
    venue.answers[`GET ${TRADER}/position/list`] = () => [held(FIRST, 'BTC/USDC', 4)]
    has({ balance: '19750249000000000000000', walletBalance: '0', allowance: '0' })
    answerPreview(needs)
    await open()
    await button(words.adjustNamed('BTC/USDC')).click()
    const dialog = venue.page.getByRole('dialog', { name: words.adjustNamed('BTC/USDC') })
    await dialog.getByRole('button', { name: words.addMargin, exact: true }).click()
    await dialog.getByLabel(words.amount, { exact: true }).fill('20795.692345678912345678')
    await dialog.getByText(lacks, { exact: true }).waitFor()
    expect(await dialog.getByRole('button', { name: words.adjust, exact: true }).getAttribute('aria-disabled')).toBe(
      'true',
    )
  })
})
