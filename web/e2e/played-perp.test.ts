// The screens of perpetuals before answers that a venue gives seldom.
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launchChromium } from '../../scripts/chromium.ts'
import { eventually } from '../../server/e2e/client.ts'
import { shorten } from '../src/lib/format.ts'
import { words } from '../src/perp/strings.ts'
import { common, earlierWords, walletWords } from '../src/strings.ts'
import {
  EURC,
  FIRST,
  held,
  market,
  NEW_USDC,
  NOTHING,
  OTHER,
  PERPETUAL,
  PREVIEW,
  perpAnswers,
  preview,
  purse,
  SECOND,
  TRADER,
  USDC,
  wad,
} from './played-perp-answers.ts'
import { ALICE, type Asked, BOB, type Played, playVenue, Refuse } from './played-venue.ts'

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
const open = (symbol: string) => venue.open(`/perp/trade/${encodeURIComponent(symbol)}`)

describe('a key that the venue no longer knows', () => {
  it('ends the session of this browser: the page asks to sign in, after a reload too', async () => {
    const { page, revoked } = venue
    await open('ETH/EURC')
    await page.getByText(words.noPositions).waitFor()
    revoked.add('key-of-alice')
    await button(walletWords.signIn).first().waitFor()
    await page.getByText(walletWords.sessionEnded).first().waitFor()
    await page.reload()
    await button(walletWords.signIn).first().waitFor()
    expect(await page.getByText(words.noPositions).count()).toBe(0)
  })
})

describe('two markets of one symbol', () => {
  const both = [market(FIRST, 'BTC/USDC', USDC), market(SECOND, 'BTC/USDC', NEW_USDC)]
  const [first, second] = ['BTC/USDC 0x1111…1111', 'BTC/USDC 0x2222…2222'] as const

  beforeEach(() => {
    venue.answers['GET /v4/public/market/marketList'] = () => both
  })

  it('have names of their own, each with its own screen', async () => {
    const { page } = venue
    await venue.open('/perp')
    await page.getByRole('link', { name: first }).waitFor()
    await page.getByRole('link', { name: second }).click()
    await page.getByRole('heading', { name: `${words.chart} · ${second}` }).waitFor()
    await page.getByLabel(words.size, { exact: true }).fill('1')
    await button(words.place(words.long, second)).waitFor()
    const asked = await askedFor(PREVIEW)
    expect(asked.body).toMatchObject({ action: 'market', params: { instrument: SECOND } })
  })

  it('are told apart where a position is closed', async () => {
    const { page, answers } = venue
    answers[`GET ${TRADER}/position/list`] = () => [held(FIRST, 'BTC/USDC', 1), held(SECOND, 'BTC/USDC', 2)]
    await open(first)
    await button(words.closeNamed(second)).click()
    const dialog = page.getByRole('dialog', { name: words.closeNamed(second) })
    expect(await dialog.getByLabel(words.closeSize, { exact: true }).inputValue()).toBe('2')
    await dialog.getByRole('button', { name: words.close, exact: true }).last().click()
    const built = await askedFor(`POST ${TRADER}/order/build`)
    expect(built.body).toMatchObject({ action: 'close', params: { instrument: SECOND, expiry: PERPETUAL } })
  })

  it('leave each quote token its own deposits', async () => {
    const { page, answers } = venue
    answers[`GET ${TRADER}/account/wallet-balance`] = () => ({ ...NOTHING, portfolios: [purse(USDC), purse(NEW_USDC)] })
    await venue.open('/perp/account')
    const amounts = page.getByLabel(words.amount, { exact: true })
    await amounts.nth(1).fill('5')
    await page.locator('button[type=submit]').nth(1).click()
    const built = await askedFor(`POST ${TRADER}/order/build`)
    expect(built.body).toEqual({ action: 'deposit', params: { quote: NEW_USDC, amount: '5' } })
  })
})

describe('One Click that ends slowly', () => {
  it('is told of the account that ended it, and keeps no other one waiting', async () => {
    const { page, answers } = venue
    const STATUS = `GET ${TRADER}/1ct/status`
    const asks = () => venue.asked.filter((one) => one.operation === STATUS && one.apiKey === 'key-of-alice').length
    let isOn = true
    answers[STATUS] = ({ apiKey }) => {
      return { status: isOn && apiKey === 'key-of-alice' ? 'enable' : 'disabled', delegatee: ALICE }
    }
    answers[`POST ${TRADER}/1ct/disable`] = () => ({ status: 'pending' })
    await venue.signedIn('perp', BOB, 'key-of-bob')
    await open('ETH/EURC')
    const oneClick = page.getByRole('switch', { name: words.oneClick })
    await oneClick.and(page.locator('[aria-checked=true]')).click()
    await askedFor(`POST ${TRADER}/1ct/disable`)
    await page.locator('.top-tools .button.plain').click()
    await page.getByRole('combobox', { name: walletWords.account, exact: true }).selectOption(BOB)
    await page.getByRole('dialog').getByRole('button', { name: common.close, exact: true }).last().click()
    await oneClick.and(page.locator('[aria-checked=false]')).waitFor()
    expect(await oneClick.getAttribute('aria-disabled')).toBeNull()
    const before = asks()
    await eventually(async () => asks() > before + 1, Boolean)
    const told = page.locator('.toast').filter({ hasText: words.turnOffDone })
    expect(await told.count()).toBe(0)
    isOn = false
    await told.waitFor()
    const text = walletWords.ofAccount(shorten(ALICE), words.done(words.turnOffDone))
    expect(await told.textContent()).toContain(text)
  })
})

describe('One Click that was ended elsewhere', () => {
  const STATUS = `GET ${TRADER}/1ct/status`
  const CLOSE = `POST ${TRADER}/position/close`
  const oneClick = (isOn: boolean) =>
    venue.page.getByRole('switch', { name: words.oneClick }).and(venue.page.locator(`[aria-checked=${isOn}]`))

  beforeEach(async () => {
    venue.answers[STATUS] = () => ({ status: 'enable', delegatee: ALICE })
    venue.answers[`GET ${TRADER}/position/list`] = () => [held(FIRST, 'BTC/USDC', 1)]
    await open('ETH/EURC')
    await oneClick(true).waitFor()
  })

  it('is off here as soon as the venue tells of anything', async () => {
    venue.answers[STATUS] = () => ({ status: 'disabled', delegatee: ALICE })
    // Before it follows, the page hears nothing.
    const isOff = await eventually(() => {
      venue.tell({ stream: 'portfolio', type: 'portfolio', userAddress: ALICE, data: {} })
      return oneClick(false).isVisible()
    }, Boolean)
    expect(isOff).toBe(true)
  })

  it('closes nothing, says so, and leaves the next press to the wallet', async () => {
    const { page, answers } = venue
    answers[CLOSE] = () => {
      answers[STATUS] = () => ({ status: 'disabled', delegatee: ALICE })
      throw new Refuse(403, 40302, 'delegation_not_enabled')
    }
    await button(words.closeNamed('BTC/USDC')).click()
    const dialog = page.getByRole('dialog', { name: words.closeNamed('BTC/USDC') })
    const close = dialog.getByRole('button', { name: words.close, exact: true }).last()
    await close.click()
    await dialog.getByText(walletWords.oneClickEnded, { exact: true }).waitFor()
    await close.click()
    expect((await askedFor(`POST ${TRADER}/order/build`)).body).toMatchObject({ action: 'close' })
  })
})

describe('a page that is loaded anew while a One Click send is under way', () => {
  it('asks for it by its key, sends nothing, and says what became of it', async () => {
    const { page, answers } = venue
    const close = `POST ${TRADER}/position/close`
    const lookUp = `GET ${TRADER}/send/byIdempotencyKey`
    answers[`GET ${TRADER}/1ct/status`] = () => ({ status: 'enable', delegatee: ALICE })
    answers[`GET ${TRADER}/position/list`] = () => [held(FIRST, 'BTC/USDC', 1)]
    answers[close] = () => ({ sendId: 'one', txHash: null, status: 'Pending', failure: null })
    answers[lookUp] = () => ({ sendId: 'one', txHash: null, status: 'Failed', failure: 'TradeSlippage()' })
    await open('ETH/EURC')
    await page.getByRole('switch', { name: words.oneClick }).and(page.locator('[aria-checked=true]')).waitFor()
    await button(words.closeNamed('BTC/USDC')).click()
    const dialog = page.getByRole('dialog', { name: words.closeNamed('BTC/USDC') })
    await dialog.getByRole('button', { name: words.close, exact: true }).last().click()
    const { idempotencyKey } = await askedFor(close)
    await page.reload()
    await page.getByText(earlierWords.failed('TradeSlippage()')).waitFor()
    const sent = venue.asked.filter(({ operation }) => operation === close)
    expect(new Set(sent.map((one) => one.idempotencyKey))).toEqual(new Set([idempotencyKey]))
    expect((await askedFor(lookUp)).query.get('idempotencyKey')).toBe(idempotencyKey)
  })
})

describe('One Click that is off', () => {
  it('has nothing to be revoked', async () => {
    await venue.open('/perp/account')
    await venue.page.getByRole('switch', { name: words.oneClick }).waitFor()
    expect(await button(walletWords.revoke).count()).toBe(0)
  })
})

/** The first request of an operation, once there is one. */
const askedFor = async (operation: string): Promise<Asked> => {
  const found = await eventually(async () => venue.asked.find((one) => one.operation === operation), Boolean)
  if (!found) throw new Error(`${operation} was not asked for`)
  return found
}

describe('amounts of another market than the open one', () => {
  it('have the currency of their own market', async () => {
    const { page, answers } = venue
    const ofUsdc = { instrumentAddr: FIRST, expiry: PERPETUAL, symbol: 'BTC/USDC', balance: wad(7), lastUpdateTime: 1 }
    answers[`GET ${TRADER}/position/list`] = () => [held(FIRST, 'BTC/USDC', 1)]
    answers[`GET ${TRADER}/order/realtime`] = () => [
      { ...ofUsdc, orderId: '1', limitPrice: wad(90), size: wad(1), taken: '0', side: 2, status: 'open' },
    ]
    answers[`GET ${TRADER}/liquidity/list`] = () => [
      { ...ofUsdc, rid: 1, lowerPrice: wad(80), upperPrice: wad(120), entryPrice: wad(100) },
    ]
    await open('ETH/EURC')
    const row = page.getByRole('row').filter({ hasText: 'BTC/USDC' })
    for (const tab of [words.positions, words.openOrders, words.liquidity]) {
      await page.getByRole('tab', { name: tab }).click()
      await page.getByRole('table', { name: tab, exact: true }).waitFor()
      const text = (await row.first().textContent()) ?? ''
      expect(text.replaceAll('BTC/USDC', '')).toContain('USDC')
      expect(text).not.toContain('EURC')
    }
  })
})

describe('what an action would do', () => {
  it('is shown for what stands in the form alone, not for what stood there before', async () => {
    const { page, answers } = venue
    await open('ETH/EURC')
    const box = page.getByLabel(words.preview, { exact: true })
    await page.getByLabel(words.size, { exact: true }).fill('1')
    await box.getByText('1,111.00').waitFor()
    let answer = () => {}
    answers[PREVIEW] = () =>
      new Promise((resolve) => {
        answer = () => resolve(preview(2222))
      })
    await page.getByLabel(words.size, { exact: true }).fill('2')
    await box.getByText(words.previewComes, { exact: true }).waitFor()
    expect(await box.textContent()).not.toContain('1,111.00')
    await eventually(
      async () => venue.asked.findLast(({ operation }) => operation === PREVIEW)?.body,
      (body) => (body as { params: { size: string } }).params.size === '2',
    )
    answer()
    await box.getByText('2,222.00').waitFor()
  })
})

describe('what the stream tells', () => {
  const BOOK = 'GET /v4/public/market/orderBook'
  const LIST = 'GET /v4/public/market/marketList'
  const of = { instrument: OTHER, expiry: PERPETUAL }
  const bid = (price: number) => {
    const level = { tick: price, price: wad(price), baseSize: wad(1), baseSum: wad(1) }
    return { '10': { bids: [level], asks: [] } }
  }
  const listed = (price: number) => [{ ...market(OTHER, 'ETH/EURC', EURC), fairPrice: wad(price) }]
  const tellBook = (price: number) => venue.tell({ ...of, stream: 'orderBook', data: bid(price) })
  const tellList = (price: number) => venue.tell({ stream: 'marketListChanged', data: listed(price) })
  const shown = (price: string) => venue.page.getByRole('table', { name: words.book }).getByText(price, { exact: true })

  /** Before it follows, the page hears nothing. */
  const toldUntil = (tell: () => void, price: string) =>
    eventually(() => {
      tell()
      return shown(price).isVisible()
    }, Boolean)

  /** The next answer of an operation is held back; gives it, and waits until the page has it. */
  function hold(operation: string, data: unknown): () => Promise<void> {
    let give = () => {}
    const given = new Promise<void>((resolve) => {
      give = resolve
    })
    venue.answers[operation] = () => given.then(() => data)
    return async () => {
      const [, path = ''] = operation.split(' ')
      const arrives = venue.page.waitForResponse((response) => response.url().includes(path))
      give()
      await (await arrives).finished()
    }
  }

  it('of a book stays, where an answer that was asked for before comes after it', async () => {
    const answer = hold(BOOK, bid(91))
    await open('ETH/EURC')
    await askedFor(BOOK)
    await toldUntil(() => tellBook(95), '95.00')
    await answer()
    tellList(123)
    await shown('123.00').waitFor()
    expect([await shown('95.00').count(), await shown('91.00').count()]).toEqual([1, 0])
  })

  it('of the markets stays, where an answer that was asked for before comes after it', async () => {
    venue.answers[BOOK] = () => bid(91)
    const answer = hold(LIST, listed(101))
    await open('ETH/EURC')
    await askedFor(LIST)
    await toldUntil(() => tellList(105), '105.00')
    await answer()
    tellBook(95)
    await shown('95.00').waitFor()
    expect([await shown('105.00').count(), await shown('101.00').count()]).toEqual([1, 0])
  })
})

describe('the chart', () => {
  it('shows the bar that was asked for last, not an older one of a stream that tells nothing more', async () => {
    const { page, answers } = venue
    const bar = (close: number) => ({
      openTimestamp: 1_760_000_040,
      open: '100',
      high: '200',
      low: '50',
      close: String(close),
      baseVolume: '1',
    })
    const shows = (close: string) => page.locator('figcaption', { hasText: close }).waitFor({ state: 'attached' })
    answers['GET /v4/public/market/kline'] = () => [bar(101)]
    await open('ETH/EURC')
    await shows('101.00')
    const { openTimestamp: timestamp, ...told } = { ...bar(105), interval: '1m' }
    venue.tell({ stream: 'kline', instrument: OTHER, expiry: PERPETUAL, data: { ...told, timestamp } })
    await shows('105.00')
    answers['GET /v4/public/market/kline'] = () => [bar(110)]
    await shows('110.00')
    expect(await page.locator('figcaption').textContent()).not.toContain('105.00')
  })
})
