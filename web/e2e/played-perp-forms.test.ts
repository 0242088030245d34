// What stands in the forms of perpetuals, before answers that a venue gives seldom.
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launchChromium } from '../../scripts/chromium.ts'
import { eventually } from '../../server/e2e/client.ts'
import { ownTransaction, placeCall, tradeCall } from '../../server/src/perp/calldata/calls.ts'
import { words } from '../src/perp/strings.ts'
import { common, walletWords } from '../src/strings.ts'
import {
  FIRST,
  held,
  market,
  OTHER,
  PERPETUAL,
  PREVIEW,
  perpAnswers,
  preview,
  purse,
  TRADER,
  USDC,
  wad,
} from './played-perp-answers.ts'
import { ALICE, type Asked, BOB, CHAIN_ID, type Played, playVenue } from './played-venue.ts'
import { agree } from './user.ts'

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

/** The first request of an operation, once there is one. */
const askedFor = async (operation: string): Promise<Asked> => {
  const found = await eventually(async () => venue.asked.find((one) => one.operation === operation), Boolean)
  if (!found) throw new Error(`${operation} was not asked for`)
  return found
}

describe('a question about a position', () => {
  const close = () => venue.page.getByRole('dialog', { name: words.closeNamed('BTC/USDC') })

  beforeEach(() => {
    venue.answers[`GET ${TRADER}/position/list`] = ({ apiKey }) => [
      held(FIRST, 'BTC/USDC', apiKey === 'key-of-alice' ? 1 : 5),
    ]
  })

  it('goes with the account that was asked: what it shows is none of the next one’s', async () => {
    const { page } = venue
    await venue.signedIn('perp', BOB, 'key-of-bob')
    await venue.useExtension(ALICE)
    await open('ETH/EURC')
    await button(words.closeNamed('BTC/USDC')).click()
    await close().waitFor()
    await venue.chooseInExtension(BOB)
    await page.locator('tbody tr', { hasText: 'BTC/USDC' }).getByText('5', { exact: true }).waitFor()
    expect(await close().count()).toBe(0)
  })

  it('leaves the keyboard where it was asked, once it is closed', async () => {
    await open('ETH/EURC')
    const asks = button(words.closeNamed('BTC/USDC'))
    await asks.focus()
    await venue.page.keyboard.press('Enter')
    await close().waitFor()
    await venue.page.keyboard.press('Escape')
    await close().waitFor({ state: 'detached' })
    expect(await asks.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true)
  })

  it('goes with the screen that it was asked on', async () => {
    await open('ETH/EURC')
    await button(words.closeNamed('BTC/USDC')).click()
    await close().waitFor()
    await venue.open('/perp')
    await venue.page.getByRole('link', { name: 'ETH/EURC' }).waitFor()
    await open('ETH/EURC')
    await button(words.closeNamed('BTC/USDC')).waitFor()
    expect(await close().count()).toBe(0)
  })
})

describe('a position that changes while it is asked how much of it to close', () => {
  const POSITIONS = `GET ${TRADER}/position/list`
  const BUILD = `POST ${TRADER}/order/build`
  const dialog = () => venue.page.getByRole('dialog', { name: words.closeNamed('BTC/USDC') })
  const size = () => dialog().getByLabel(words.closeSize, { exact: true })
  const close = () => dialog().getByRole('button', { name: words.close, exact: true }).last()
  const row = (text: string) => venue.page.locator('tbody tr', { hasText: 'BTC/USDC' }).getByText(text, { exact: true })

  beforeEach(async () => {
    venue.answers[POSITIONS] = () => [held(FIRST, 'BTC/USDC', 1)]
    await open('ETH/EURC')
    await button(words.closeNamed('BTC/USDC')).click()
  })

  it('is closed by what the field says', async () => {
    venue.answers[POSITIONS] = () => [held(FIRST, 'BTC/USDC', 2)]
    await row('2').waitFor()
    expect(await size().inputValue()).toBe('1')
    await close().click()
    expect((await askedFor(BUILD)).body).toMatchObject({ action: 'close', params: { instrument: FIRST, size: '1' } })
  })

  it('is closed whole where all of it is wanted, which the field then follows', async () => {
    await dialog().getByRole('button', { name: words.closeAll, exact: true }).click()
    venue.answers[POSITIONS] = () => [held(FIRST, 'BTC/USDC', 2)]
    await eventually(
      () => size().inputValue(),
      (text) => text === '2',
    )
    await close().click()
    const { params } = (await askedFor(BUILD)).body as { params: object }
    expect(params).toMatchObject({ instrument: FIRST })
    expect(params).not.toHaveProperty('size')
  })

  it.each([
    ['has turned', () => [{ ...held(FIRST, 'BTC/USDC', -1), side: 1 }]],
    ['has ended', () => []],
  ])('is not closed any more where it %s: it is another one than was asked about', async (_, rows) => {
    await dialog().getByRole('button', { name: words.closeAll, exact: true }).click()
    venue.answers[POSITIONS] = rows
    await dialog().getByText(words.closeTurned, { exact: true }).waitFor()
    expect(await close().getAttribute('aria-disabled')).toBe('true')
    await close().click({ force: true })
    expect(venue.asked.filter(({ operation }) => operation === BUILD)).toEqual([])
  })
})

describe('a price that is clicked in the book', () => {
  beforeEach(async () => {
    const level = { tick: 1, price: wad(97_000), baseSize: wad(1), baseSum: wad(1) }
    venue.answers['GET /v4/public/market/orderBook'] = () => ({ '10': { bids: [level], asks: [] } })
    await venue.useExtension(BOB)
  })
  const price = () => venue.page.locator('.book-price').click()

  it('goes into the ticket of its market, once somebody is signed in', async () => {
    const { page } = venue
    await open('ETH/EURC')
    await price()
    await venue.chooseInExtension(ALICE)
    expect(await page.getByLabel(words.limitPrice, { exact: true }).inputValue()).toBe('97000')
  })

  it('never goes into the ticket of another market', async () => {
    const { page } = venue
    await open('BTC/USDC')
    await button(walletWords.signIn).first().waitFor()
    await price()
    await open('ETH/EURC')
    await button(words.place(words.long, 'ETH/EURC')).waitFor({ state: 'detached' })
    await venue.chooseInExtension(ALICE)
    await page.getByLabel(words.size, { exact: true }).fill('1')
    const { body } = await askedFor(PREVIEW)
    expect(body).toMatchObject({ action: 'market', params: { instrument: OTHER } })
  })
})

describe('amounts in a token that is no dollar', () => {
  it('have the digits that they are worth, and costs are never shown as less than they are', async () => {
    const { page, answers } = venue
    const inBitcoin = market(FIRST, 'ETH/WBTC', USDC)
    const quoteToken = { ...inBitcoin.quoteToken, symbol: 'WBTC', price: '0' }
    answers['GET /v4/public/market/marketList'] = () => [{ ...inBitcoin, quoteToken }]
    const small = '9900000000000000'
    const balance = { ...purse(USDC), symbol: 'WBTC', balance: small }
    answers[`GET ${TRADER}/account/wallet-balance`] = () => ({ portfolios: [balance], pendingDuration: '0' })
    answers[PREVIEW] = () => ({ ...preview(1), fee: '1234567891', notional: '1234567891' })
    await open('ETH/WBTC')
    await page.getByText(words.free('0.0099 WBTC'), { exact: true }).waitFor()
    await page.getByLabel(words.size, { exact: true }).fill('1')
    const box = page.getByLabel(words.preview, { exact: true })
    await box.getByText('0.0000000012345678 WBTC', { exact: true }).waitFor()
    await box.getByText('0.0000000012345679 WBTC', { exact: true }).waitFor()
    await venue.open('/perp/account')
    expect(await page.locator('dd strong').textContent()).toBe('0.0099 WBTC')
  })
})

describe('the margin of a preview', () => {
  const exact = '10009000000000000000'
  const box = async (answer: ReturnType<typeof preview>) => {
    venue.answers[PREVIEW] = () => answer
    await open('BTC/USDC')
    await venue.page.getByLabel(words.size, { exact: true }).fill('1')
    return venue.page.getByLabel(words.preview, { exact: true })
  }

  const rest = { price: wad(1), margin: exact }
  const crossing = { amount: '110009000000000000000', fee: wad(1), notional: wad(300), orders: [rest] }

  it.each([
    ['that is paid in', { amount: exact }, { [words.marginMoved]: '10.01 USDC' }],
    ['that an order takes', { amount: exact, orders: [rest] }, { [words.margin]: '10.01 USDC', [words.tip]: '–' }],
    [
      'of an order that trades and rests',
      crossing,
      {
        [words.notionalTraded]: '300.00 USDC',
        [words.feeTraded]: '1.00 USDC',
        [words.marginMoved]: '110.01 USDC',
        [words.marginOfRest]: '10.01 USDC',
        [words.tip]: '–',
      },
    ],
    ['that comes back', { amount: `-${exact}` }, { [words.marginBack]: '10.00 USDC' }],
  ])('%s is never shown to the better', async (_, moved, figures) => {
    const shown = await box({ ...preview(1), ...moved } as ReturnType<typeof preview>)
    await shown.getByText(words.executionPrice, { exact: true }).waitFor()
    const [names, texts] = [await shown.locator('dt').allTextContents(), await shown.locator('dd').allTextContents()]
    const told = Object.fromEntries(names.map((name, index) => [name, texts[index]]))
    const { [words.executionPrice]: _average, [words.limitPrice]: _limit, ...others } = told
    expect(others).toEqual(figures)
  })
})

describe('a limit order that trades and rests', () => {
  it('is shown call by call before the wallet signs them as one', async () => {
    const { page, answers, wallet } = venue
    const terms = { expiry: PERPETUAL, deadlineSec: 0, tick: 100, amount: 10n ** 18n, size: 10n ** 18n }
    const legs = [tradeCall(ALICE, terms), placeCall(ALICE, { ...terms, tick: -100 })]
    const built = ownTransaction(FIRST as `0x${string}`, legs)
    const transaction = { ...built, chainId: CHAIN_ID, from: ALICE, value: '0', gas: '100000' }
    const sent: unknown[] = []
    wallet.eth_sendTransaction = ([one]) => {
      sent.push(one)
      return `0x${'5e'.repeat(32)}`
    }
    answers[`POST ${TRADER}/order/build`] = () => ({ transaction })
    await open('BTC/USDC')
    await button(words.limitOrder).click()
    await page.getByLabel(words.limitPrice, { exact: true }).fill('101')
    await page.getByLabel(words.size, { exact: true }).fill('2')
    await button(words.place(words.long, 'BTC/USDC')).click()
    const shown = await agree(page)
    expect(shown).toContain('call 1trade')
    expect(shown).toContain('call 2place')
    expect(shown).toContain('2: size1 BTC')
    await eventually(async () => sent.length, Boolean)
    expect(sent).toMatchObject([{ data: transaction.data }])
  })
})

describe('a comma that is typed into a number', () => {
  const size = (page: Played['page']) => page.getByLabel(words.size, { exact: true })

  it('is a point where decimals are written so, and stays what it was in what is pasted', async () => {
    const german = await playVenue(browser, perpAnswers(), { locale: 'de-DE' })
    await german.signedIn('perp', ALICE, 'key-of-alice')
    await german.open('/perp/trade/ETH%2FEURC')
    const { page } = german
    await size(page).pressSequentially('15')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.type(',2')
    expect(await size(page).inputValue()).toBe('1.25')
    await size(page).fill('')
    await page.keyboard.insertText('1,000')
    expect(await size(page).inputValue()).toBe('1,000')
    await size(page).fill('')
    await page.keyboard.type('1,0,0')
    expect(await size(page).inputValue()).toBe('1.0,0')
    await size(page).fill('')
    await page.keyboard.type('91.000')
    expect(await size(page).inputValue()).toBe('91.000')
    await page.getByText(common.twoWays('91.000', '91000', '91.0000'), { exact: true }).waitFor()
    await german.close()
  })

  it('is a point on a phone, whose keys may have one of them alone, unless it may part thousands', async () => {
    const phone = await playVenue(browser, perpAnswers(), { locale: 'en-US', hasTouch: true, isMobile: true })
    await phone.signedIn('perp', ALICE, 'key-of-alice')
    await phone.open('/perp/trade/ETH%2FEURC')
    await size(phone.page).pressSequentially('0,5')
    expect(await size(phone.page).inputValue()).toBe('0.5')
    const asked = async () => phone.asked.filter(({ operation }) => operation === PREVIEW).length
    await eventually(asked, Boolean)
    await size(phone.page).fill('')
    await size(phone.page).pressSequentially('25,000')
    expect(await size(phone.page).inputValue()).toBe('25,000')
    await phone.page.getByText(common.twoWays('25,000', '25000', '25.0000'), { exact: true }).waitFor()
    await phone.page.getByText(words.previewAsk, { exact: true }).waitFor()
    await phone.close()
  })

  it('is none where it parts thousands: the number is refused', async () => {
    const american = await playVenue(browser, perpAnswers(), { locale: 'en-US' })
    await american.signedIn('perp', ALICE, 'key-of-alice')
    await american.open('/perp/trade/ETH%2FEURC')
    const { page } = american
    await size(page).pressSequentially('1,000')
    expect(await size(page).inputValue()).toBe('1,000')
    await page.getByRole('button', { name: words.place(words.long, 'ETH/EURC'), exact: true }).click()
    await page.getByText(common.twoWays('1,000', '1000', '1.0000'), { exact: true }).waitFor()
    await page.locator('input[aria-invalid=true]').waitFor()
    expect(american.asked.filter(({ operation }) => operation.endsWith('/order/build'))).toEqual([])
    await american.close()
  })
})

describe('the form for liquidity', () => {
  it('shows the slippage that it takes, and says why it takes none', async () => {
    const { page } = venue
    await page.evaluate("localStorage.setItem('perp-slippage', '50')")
    await open('ETH/EURC')
    await page.getByRole('tab', { name: words.liquidity }).click()
    const form = page.getByRole('form', { name: words.addLiquidity })
    await form.getByLabel(words.margin, { exact: true }).fill('100')
    expect(await form.getByLabel(words.slippage, { exact: true }).count()).toBe(1)
    expect(await form.getByLabel(words.slippage, { exact: true }).inputValue()).toBe('50')
    await form.getByLabel(words.slippage, { exact: true }).fill('much')
    await form.getByText(words.slippageWrong, { exact: true }).waitFor()
  })
})

describe('a history that is longer than a page', () => {
  it('says how much of it is shown, and has the rest on further pages', async () => {
    const { page, answers } = venue
    const moved = (nth: number) => ({
      id: String(nth),
      timestamp: 1_760_000_000,
      typeString: 'deposit',
      value: String(nth),
      instrumentAddress: '',
      tokenInfo: { symbol: 'USDC', price: '1' },
      txHash: `0x${nth}`,
    })
    answers[`GET ${TRADER}/account/transaction-history`] = ({ query }) => {
      const first = (Number(query.get('page') ?? 1) - 1) * 50
      return { list: Array.from({ length: Math.min(50, 60 - first) }, (_, nth) => moved(first + nth)), totalCount: 60 }
    }
    answers[`GET ${TRADER}/order/history`] = () => ({ list: [], totalCount: 0 })
    await open('ETH/EURC')
    await page.getByRole('tab', { name: words.history }).click()
    await button(words.transfers).click()
    await page.getByText('49 USDC', { exact: true }).waitFor()
    expect(await page.getByText(common.shownOf(50, 60), { exact: true }).count()).toBe(1)
    await button(common.older).click()
    await page.getByText('59 USDC', { exact: true }).waitFor()
    expect(await page.locator('tbody tr').filter({ hasText: 'USDC' }).count()).toBe(10)
  })
})

describe('keys that are revoked', () => {
  it('go each by its own button, which shows that it is under way', async () => {
    const { answers } = venue
    const key = (apiKey: string) => ({ apiKey, label: apiKey, permissions: ['trade'], createdAt: 1, lastUsedAt: null })
    answers[`GET ${TRADER}/api-key/list`] = () => [key('first'), key('second')]
    const gone = Promise.withResolvers<object>()
    const REVOKE = `POST ${TRADER}/api-key/delete`
    answers[REVOKE] = () => gone.promise
    await venue.open('/perp/account')
    await button(words.revokeNamed('first')).click()
    await askedFor(REVOKE)
    expect(await venue.page.getByRole('columnheader').last().textContent()).toBe(common.actions)
    expect(await button(words.revokeNamed('first')).getAttribute('aria-disabled')).toBe('true')
    expect(await button(words.revokeNamed('second')).getAttribute('aria-disabled')).toBeNull()
    await button(words.revokeNamed('second')).click()
    await venue.page.locator('button[aria-disabled=true]', { hasText: words.revoke }).nth(1).waitFor()
    const asked = venue.asked.filter(({ operation }) => operation === REVOKE)
    expect(asked.map(({ body }) => body)).toMatchObject([{ apiKey: 'first' }, { apiKey: 'second' }])
    gone.resolve({})
  })
})

describe('the navigation of a phone', () => {
  it('shows the screen that is open', async () => {
    await venue.page.setViewportSize({ width: 390, height: 844 })
    await venue.open('/perp/account')
    const [link, nav] = [venue.page.locator('.nav [aria-current=page]'), venue.page.locator('.nav')]
    await link.waitFor()
    const rightOf = async (one: typeof nav) => {
      const { x, width } = (await one.boundingBox()) ?? { x: 0, width: 0 }
      return x + width
    }
    const isInside = async () => (await rightOf(link)) <= (await rightOf(nav)) + 1
    expect(await eventually(isInside, Boolean, 10_000)).toBe(true)
  })
})
