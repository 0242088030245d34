// The screens of stocks before answers that a venue gives seldom.
import type { ListedSymbol, Order } from '@bourse/sdk/stock'
import type { Browser } from 'playwright-core'
import { encodeFunctionData, parseAbi } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launchChromium } from '../../scripts/chromium.ts'
import { eventually } from '../../server/e2e/client.ts'
import { shorten } from '../src/lib/format.ts'
import { words } from '../src/stock/strings.ts'
import { common, walletWords } from '../src/strings.ts'
import {
  ALICE,
  type Answers,
  BOB,
  CHAIN_ID,
  type Played,
  playVenue,
  Refuse,
  ROUTER,
  UNAUTHENTICATED,
} from './played-venue.ts'
import { agree } from './user.ts'

const AAPL = `0x${'aa'.repeat(20)}` as const
const HASH = `0x${'5e'.repeat(32)}`
const TOLD = 'POST /api/v1/orders/tx'

let browser: Browser
let venue: Played

beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser?.close())

beforeEach(async () => {
  venue = await playVenue(browser, stockAnswers())
  venue.wallet.eth_estimateGas = () => '0x5208'
  venue.wallet.eth_sendTransaction = () => HASH
  await venue.signedIn('stock', ALICE, 'key-of-alice')
  await venue.signedIn('stock', BOB, 'key-of-bob')
})
afterEach(() => venue.close())

const button = (name: string) => venue.page.getByRole('button', { name, exact: true })
const stored = () => venue.page.evaluate<string | null>("localStorage.getItem('stock-unrecorded')")
const told = () => venue.asked.filter(({ operation }) => operation === TOLD)
const unauthenticated = () => {
  throw UNAUTHENTICATED.stock
}

async function buyByWallet(): Promise<void> {
  const { page } = venue
  await venue.open('/trade/AAPL')
  await button(words.limit).click()
  await page.getByLabel(words.limitPrice, { exact: true }).fill('90')
  await page.getByLabel(words.quantity, { exact: true }).fill('1')
  await button(words.place(words.buy, 'AAPL')).click()
  await agree(page)
}

describe('an order that the wallet has sent', () => {
  it('is told again after the next sign-in where the session has ended meanwhile, and said to be sent', async () => {
    const { page, answers } = venue
    answers[TOLD] = unauthenticated
    await buyByWallet()
    await page.getByText(words.recordAfterSignIn, { exact: true }).waitFor()
    expect(await page.getByText(words.sent(words.place(words.buy, 'AAPL')), { exact: true }).count()).toBe(0)
    expect(JSON.parse((await stored()) ?? '')).toEqual([{ kind: 'order', txHash: HASH, user: ALICE }])

    answers[TOLD] = () => ({})
    await venue.signedIn('stock', ALICE, 'another-key')
    await page.reload()
    await eventually(stored, (list) => list === '[]')
    expect(told().at(-1)).toMatchObject({ apiKey: 'another-key', body: { txHash: HASH } })
  })

  it('is told by the key of the account that sent it, whichever is chosen meanwhile', async () => {
    const { answers, wallet } = venue
    let send = () => {}
    let isAsked = false
    wallet.eth_sendTransaction = () => {
      isAsked = true
      return new Promise((resolve) => {
        send = () => resolve(HASH)
      })
    }
    answers[TOLD] = ({ apiKey }) => {
      if (apiKey !== 'key-of-alice') throw new Refuse(400, 10002, 'transaction_of_other_user')
      return {}
    }
    await buyByWallet()
    await eventually(async () => isAsked, Boolean)
    await choose(BOB)
    send()
    await eventually(stored, (list) => list === '[]')
    expect(told().map(({ apiKey }) => apiKey)).toEqual(['key-of-alice'])
  })

  it('is forgotten where the venue says that it is none of this wallet’s, with the reason', async () => {
    const { page, answers } = venue
    answers[TOLD] = () => {
      throw new Refuse(400, 10002, 'transaction_of_other_key')
    }
    await buyByWallet()
    await page.getByRole('alert').filter({ hasText: 'transaction_of_other_key' }).first().waitFor()
    expect(await stored()).toBe('[]')
  })
})

describe('an order that would revert', () => {
  it('is told by what the venue says of it, not by the bytes that the node answers', async () => {
    const { page, answers, wallet } = venue
    wallet.eth_estimateGas = () => {
      throw new Error('execution reverted: custom error 0xa3468b8f')
    }
    const reverts = { name: 'InsufficientBalanceWad', args: {}, explanation: 'There is too little cash.' }
    const lock = { asset: 'mUSD', amount: '90' }
    answers['POST /api/v1/orders/preview'] = () => ({ succeeds: false, reverts, lock, expectedFill: null })
    await venue.open('/trade/AAPL')
    await button(words.limit).click()
    await page.getByLabel(words.limitPrice, { exact: true }).fill('90')
    await page.getByLabel(words.quantity, { exact: true }).fill('1')
    await button(words.place(words.buy, 'AAPL')).click()
    const form = page.locator('form').filter({ has: button(words.place(words.buy, 'AAPL')) })
    await form.locator(':scope > [role=alert]').getByText('There is too little cash.').waitFor()
    expect(await form.textContent()).not.toContain('0xa3468b8f')
  })
})

describe('what else would revert', () => {
  const built = { chainId: CHAIN_ID, toAddress: ROUTER, value: '0' }

  it('is told of a cancel by the venue’s sentence for the error', async () => {
    const { page, answers, wallet } = venue
    const callData = encodeFunctionData({
      abi: parseAbi(['function cancelLimitOrder(bytes32 orderId)']),
      args: [order(1, 'New').orderId as `0x${string}`],
    })
    answers['GET /api/v1/orders'] = () => ({ total: 1, rows: [order(1, 'New')] })
    answers[`DELETE /api/v1/orders/${order(1, 'New').orderId}/calldata`] = () => ({ ...built, callData })
    wallet.eth_estimateGas = () => {
      throw new Error('execution reverted: custom error 0x0a0a0a0a: 0000000000000007')
    }
    await venue.open('/trade/AAPL')
    await button(words.cancelNamed('AAPL')).click()
    await page.getByText('The cancel was requested before.').first().waitFor()
    expect(await page.locator('body').textContent()).not.toContain('0x0a0a0a0a')
  })

  it('is told of a transfer too, and in the node’s words where the error is none of the venue’s', async () => {
    const { page, answers, wallet } = venue
    const callData = encodeFunctionData({
      abi: parseAbi(['function withdraw(address token, uint96 amountWad)']),
      args: [AAPL, 10n ** 18n],
    })
    answers['GET /api/v1/config'] = () => ({
      cashierTokenConfig: [{ tokenAddress: AAPL, symbol: 'USDC', decimals: 6, usdRate: 1 }],
      exchangeFeeConfig: { depositFeeRate: 0, withdrawFeeRate: 0 },
    })
    answers['POST /api/v1/cash/withdrawals/calldata'] = () => ({ ...built, callData })
    const reverted = async (selector: string, told: string) => {
      wallet.eth_estimateGas = () => {
        throw new Error(`execution reverted: custom error ${selector}`)
      }
      await page.locator('form button[type=submit]').click()
      await page.locator('form [role=alert]').getByText(told).waitFor()
    }
    await venue.open('/transfers')
    await button(words.withdraw).click()
    await page.getByLabel(words.quantity, { exact: true }).fill('5')
    await reverted('0x0b0b0b0b', 'There is too little free cash.')
    expect(await page.locator('form').textContent()).not.toContain('0x0b0b0b0b')
    await reverted('0x0c0c0c0c', '0x0c0c0c0c')
  })
})

describe('a session that the venue no longer knows', () => {
  it('ends in this browser too: the page asks to sign in', async () => {
    const { page, revoked } = venue
    await venue.open('/trade/AAPL')
    await page.getByText(words.noOpenOrders).waitFor()
    revoked.add('key-of-alice')
    await button(walletWords.signIn).first().waitFor()
    await page.getByText(walletWords.sessionEnded).first().waitFor()
    await page.reload()
    await button(walletWords.signIn).first().waitFor()
    expect(await venue.page.getByText(words.noOpenOrders).count()).toBe(0)
  })

  it('is signed out of without a complaint', async () => {
    const { page, answers } = venue
    await venue.open('/keys')
    answers['DELETE /api/v1/session'] = unauthenticated
    // The client tries the key with a read.
    answers['GET /api/v1/clock'] = unauthenticated
    await button(words.forget).click()
    await button(walletWords.signIn).first().waitFor()
    expect(await page.locator('.toast.bad').count()).toBe(0)
  })

  it('leaves another one alone that a second page has opened since', async () => {
    const { page, answers, revoked } = venue
    await venue.open('/trade/AAPL')
    await page.getByText(words.noOpenOrders).waitFor()
    await venue.signedIn('stock', ALICE, 'newer-key')
    answers['GET /api/v1/orders'] = () => ({ total: 1, rows: [order(1, 'New')] })
    revoked.add('key-of-alice')
    await button(words.cancelNamed('AAPL')).waitFor()
    expect(await button(walletWords.signIn).count()).toBe(0)
  })
})

async function choose(account: string): Promise<void> {
  const { page } = venue
  await page.locator('.top-tools .button.plain').click()
  await page.getByRole('combobox', { name: walletWords.account, exact: true }).selectOption(account)
  await page.getByRole('dialog').getByRole('button', { name: common.close, exact: true }).last().click()
}

describe('One Click that ends slowly', () => {
  const asks = () => venue.asked.filter((one) => one.operation === STATUS && one.apiKey === 'key-of-alice').length
  const STATUS = 'GET /api/v1/1ct/status'
  let isOn = true

  beforeEach(async () => {
    isOn = true
    const { answers } = venue
    answers[STATUS] = ({ apiKey }) => ({ status: isOn && apiKey === 'key-of-alice' ? 'enable' : 'disabled' })
    answers['POST /api/v1/1ct/disable'] = () => ({ status: 'pending' })
    await venue.open('/keys')
    await button(words.turnOff).click()
    await eventually(async () => venue.asked.some(({ operation }) => operation === 'POST /api/v1/1ct/disable'), Boolean)
  })

  it('leaves the way out that needs nobody open', async () => {
    await venue.page.locator('button[aria-disabled=true]', { hasText: words.turnOff }).waitFor()
    expect(await button(walletWords.revoke).getAttribute('aria-disabled')).toBeNull()
  })

  it('is told of the account that ended it, and keeps no other one waiting', async () => {
    await choose(BOB)
    await button(words.turnOn).waitFor()
    expect(await button(words.turnOn).getAttribute('aria-disabled')).toBeNull()
    const before = asks()
    await eventually(async () => asks() > before + 1, Boolean)
    const told = venue.page.locator('.toast').filter({ hasText: words.turnedOff })
    expect(await told.count()).toBe(0)
    isOn = false
    await told.waitFor()
    expect(await told.textContent()).toContain(walletWords.ofAccount(shorten(ALICE), words.turnedOff))
  })
})

describe('the list of sessions', () => {
  it('that could not be had is asked for again', async () => {
    const { page, answers } = venue
    const asked = () => venue.asked.filter(({ operation }) => operation === 'GET /api/v1/sessions').length
    answers['GET /api/v1/sessions'] = () => {
      if (asked() === 1) throw new Refuse(400, 10002, 'key_not_bound')
      const nowSec = Math.floor(Date.now() / 1000)
      const own = { apiKey: 'key-of-alice', current: true, addresses: [], createdAt: nowSec, expiresAt: nowSec + 60 }
      return [own, { ...own, apiKey: 'elsewhere', current: false }]
    }
    await venue.open('/keys')
    await page.getByRole('table', { name: words.openSessions }).locator('tbody tr').nth(1).waitFor()
    expect(asked()).toBeGreaterThan(1)
  })
})

describe('a session', () => {
  const DAY_MS = 86_400_000

  it('that has come to its end is over in this browser, before the venue is asked for anything', async () => {
    const { page } = venue
    await page.clock.install()
    await venue.signedIn('stock', ALICE, 'key-of-a-day', Date.now() + DAY_MS)
    await venue.open('/trade/AAPL')
    await page.getByText(words.noOpenOrders).waitFor()
    await page.clock.fastForward(DAY_MS)
    await page.getByText(walletWords.sessionEnded).first().waitFor()
    expect(await button(walletWords.signIn).count()).toBeGreaterThan(0)
  })

  it('that was just opened is kept where a process of the venue does not know its key yet', async () => {
    const { page, answers, wallet, revoked } = venue
    let refusals = 0
    wallet.personal_sign = () => `0x${'1b'.repeat(65)}`
    revoked.add('key-of-alice')
    await venue.open('/trade/AAPL')
    await button(walletWords.signIn).first().waitFor()
    answers['POST /api/v1/session'] = () => {
      return { apiKey: 'new-key', apiSecret: 'secret', userAddress: ALICE, expiresAt: Date.now() / 1000 + 3600 }
    }
    answers['GET /api/v1/orders'] = () => {
      refusals += 1
      // The library asks once more by itself.
      return refusals <= 2 ? unauthenticated() : { total: 1, rows: [order(1, 'New')] }
    }
    await button(walletWords.signIn).first().click()
    await agree(page)
    await button(words.cancelNamed('AAPL')).waitFor()
    expect(await button(walletWords.signIn).count()).toBe(0)
  })
})

describe('open orders', () => {
  it('are all shown, however many have ended since', async () => {
    const old = order(1, 'New')
    const rows = Array.from({ length: 100 }, (_, nth) => order(nth + 2, 'Canceled'))
    venue.answers['GET /api/v1/orders'] = ({ query }) => {
      const status = query.get('status')
      if (!status) return { total: 101, rows }
      return status === 'New' ? { total: 1, rows: [old] } : { total: 0, rows: [] }
    }
    await venue.open('/trade/AAPL')
    await button(words.cancelNamed('AAPL')).waitFor()
    expect(await venue.page.getByText(words.noOpenOrders).count()).toBe(0)
    expect(await venue.page.getByRole('row').filter({ hasText: words.orderStatus.New[0] }).count()).toBe(1)
  })
})

describe('open orders of a key with many', () => {
  const LISTED = 'GET /api/v1/orders'
  const [old, young] = [order(1, 'New'), order(200, 'New')]
  const rows = [young, ...Array.from({ length: 99 }, (_, nth) => order(nth + 2, 'Canceled'))]

  it('are asked for among the older ones every twelve seconds, not whenever something changes', async () => {
    const { page, answers } = venue
    const asked = (isOlder: boolean) =>
      venue.asked.filter(({ operation, query }) => operation === LISTED && query.has('status') === isOlder).length
    answers[LISTED] = ({ query }) => (query.has('status') ? { total: 0, rows: [] } : { total: 101, rows })
    await page.clock.install()
    await venue.open('/trade/AAPL')
    await button(words.cancelNamed('AAPL')).waitFor()
    await eventually(
      async () => asked(true),
      (count) => count >= 4,
    )
    await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 1000)
    const before = asked(true)
    for (let sequence = 1; sequence <= 4; sequence += 1) {
      const newest = asked(false)
      venue.tell({ type: 'snapshot', channel: 'orders', sequence, reason: 'subscribed', data: [], total: 0 }, 'stock')
      await eventually(async () => {
        await page.clock.runFor(100)
        return asked(false) > newest
      }, Boolean)
    }
    expect(asked(true)).toBe(before)
    await page.clock.runFor(12_000)
    await eventually(
      async () => asked(true),
      (count) => count > before,
    )
  })

  it('are shown as far as they are known where the older ones cannot be had, with the reason', async () => {
    const { page, answers } = venue
    let isBusy = true
    answers[LISTED] = ({ query }) => {
      const status = query.get('status')
      if (!status) return { total: 101, rows }
      if (isBusy && status === 'Pending') throw new Refuse(400, 10003, 'too_slow')
      return status === 'New' ? { total: 2, rows: [young, old] } : { total: 0, rows: [] }
    }
    await venue.open('/trade/AAPL')
    await button(words.cancelNamed('AAPL')).waitFor()
    const failure = page.getByRole('alert').filter({ hasText: 'too_slow' })
    await failure.waitFor()
    expect(await button(words.cancelNamed('AAPL')).count()).toBe(1)
    isBusy = false
    await failure.getByRole('button', { name: common.retry }).click()
    await button(words.cancelNamed('AAPL')).nth(1).waitFor()
    expect(await failure.count()).toBe(0)
  })
})

describe('the limit price of a ticket', () => {
  it('begins at the price of the moment, again too while nobody has written another', async () => {
    const { page, answers } = venue
    await venue.open('/trade/AAPL')
    const price = page.getByLabel(words.limitPrice, { exact: true })
    const quoted = async (usd: string) => {
      answers['GET /api/v1/symbols'] = () => [listed(usd)]
      await eventually(
        () => page.locator('.quote-price').textContent(),
        (text) => text === `${usd}.00`,
      )
    }
    await button(words.limit).waitFor()
    await quoted('150')
    await button(words.limit).click()
    expect(await price.inputValue()).toBe('150')
    await button(words.market).click()
    await quoted('175')
    await button(words.limit).click()
    expect(await price.inputValue()).toBe('175')
    await price.fill('90')
    await button(words.market).click()
    await quoted('180')
    await button(words.limit).click()
    expect(await price.inputValue()).toBe('90')
  })
})

describe('the portfolio', () => {
  it('does not know the whole where a position has no quote', async () => {
    const position = { symbol: 'AAPL', name: 'Apple', tokenAddress: AAPL, quantity: '1', multiplier: '1' }
    const priced = { ...position, price: '100', marketValue: '100', quoteTime: 1 }
    const unpriced = { ...position, symbol: 'MSFT', price: null, marketValue: null, quoteTime: null }
    const list = [priced, unpriced]
    venue.answers[`GET /api/v1/users/${ALICE}/positions`] = () => list
    await venue.open('/portfolio')
    await venue.page.getByText('MSFT', { exact: true }).waitFor()
    expect(await venue.page.locator('.figure dd').allTextContents()).toEqual(['–', '$1,000.00', '–'])
  })

  it('says why a list cannot be had as a file, and offers no part of it', async () => {
    venue.answers[`GET /api/v1/users/${ALICE}/activities`] = ({ query }) => {
      if (query.get('limit') === '100') throw new Refuse(400, 10002, 'time_range_invalid')
      return { total: 0, rows: [] }
    }
    await venue.open('/portfolio')
    await button(common.exportCsv).click()
    await venue.page.getByText(`${common.exportCsv}:`).waitFor()
    expect(await venue.page.locator('.toast.bad').count()).toBe(1)
  })
})

const listed = (price: string): ListedSymbol => ({
  symbol: 'AAPL',
  name: 'Apple',
  contractAddress: AAPL,
  contractSymbol: 'aAAPL',
  contractName: 'Apple token',
  decimals: 18,
  onChainDecimals: 18,
  tradable: true,
  fractionable: true,
  overnightTradable: true,
  fractionalEhEnabled: true,
  sharesPerToken: '1',
  priceIncrement: '0.01',
  quantityIncrement: '0.000000001',
  notionalIncrement: '0.01',
  minQuantity: '0.000000001',
  minNotional: null,
  price,
  change24H: null,
  change24HPercent: null,
  volume24H: null,
  logoUrl: '',
  pdfUrl: '',
  lastUpdateTimestamp: null,
})

/** The nth order of the key, one second after the one before it. */
function order(nth: number, orderStatus: 'New' | 'Canceled'): Order {
  const orderId = `0x${nth.toString(16).padStart(64, '0')}`
  const terms = {
    orderId,
    userAddress: ALICE,
    stockAddress: AAPL,
    symbol: 'AAPL',
    side: 'Buy' as const,
    type: 'Limit' as const,
    quantity: '1',
    notional: null,
    price: '90',
    timeInForce: 'DAY' as const,
    filledQuantity: '0',
    avgFillPrice: null,
    status: orderStatus,
    cancelRequested: false,
    cancelTxHash: null,
    depositOperationId: null,
    createTxHash: HASH,
    createdAt: 1_760_000_000 + nth,
    deadline: 1_760_000_600 + nth,
  }
  return {
    orderId,
    txHash: HASH,
    mappingStatus: 'confirmed',
    orderStatus,
    mapping: null,
    cancellation: null,
    openOrder: orderStatus === 'New' ? terms : null,
    historyOrder: null,
  }
}

const CALLDATA = encodeFunctionData({
  abi: parseAbi(['function placeLimitOrder(address token, int96 quantity, uint96 price, uint8 tif, uint32 deadline)']),
  args: [AAPL, 10n ** 18n, 90n * 10n ** 18n, 0, 1_900_000_000],
})

function stockAnswers(): Answers {
  const ofAccount = (account: string): Answers => ({
    [`GET /api/v1/users/${account}/balance`]: () => ({ mUsdBalance: '1000', tokenBalances: [] }),
    [`GET /api/v1/users/${account}/positions`]: () => [],
  })
  return {
    ...ofAccount(ALICE),
    ...ofAccount(BOB),
    'GET /api/v1/symbols': () => [listed('100')],
    'GET /api/v1/config': () => ({ cashierTokenConfig: [], exchangeFeeConfig: { buyFeeRate: '0' } }),
    'GET /api/v1/1ct/status': () => ({ status: 'disabled' }),
    'GET /api/v1/orders': () => ({ total: 0, rows: [] }),
    'POST /api/v1/orders/calldata': () => ({ chainId: CHAIN_ID, toAddress: ROUTER, value: '0', callData: CALLDATA }),
    [TOLD]: () => ({}),
  }
}
