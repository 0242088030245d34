// The way out of One Click while the venue answers nobody.
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launchChromium } from '../../scripts/chromium.ts'
import { eventually } from '../../server/e2e/client.ts'
import { words as perpWords } from '../src/perp/strings.ts'
import { words as stockWords } from '../src/stock/strings.ts'
import { walletWords } from '../src/strings.ts'
import {
  ALICE,
  type Answers,
  BOB,
  PERP_ONE_CLICK,
  type Played,
  playVenue,
  Refuse,
  STOCK_ONE_CLICK,
} from './played-venue.ts'
import { agree } from './user.ts'

const HASH = `0x${'5e'.repeat(32)}`
const RECEIPT = {
  transactionHash: HASH,
  transactionIndex: '0x0',
  blockHash: HASH,
  blockNumber: '0x1',
  from: ALICE,
  to: null,
  status: '0x1',
  type: '0x2',
  contractAddress: null,
  cumulativeGasUsed: '0x5208',
  gasUsed: '0x5208',
  effectiveGasPrice: '0x1',
  logs: [],
  logsBloom: '0x',
}
/** Refuses whatever a test does not answer. */
const nobody = (): Answers => new Proxy<Answers>({}, { get: (answers, name) => answers[String(name)] ?? refuse })

function refuse(): never {
  throw new Refuse(503, 50301, 'unavailable')
}

let browser: Browser
let venue: Played
let sent: unknown[] = []

beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser?.close())

beforeEach(async () => {
  venue = await playVenue(browser, nobody())
  sent = []
  Object.assign(venue.wallet, {
    eth_estimateGas: () => '0x5208',
    eth_sendTransaction: ([one]: readonly unknown[]) => {
      sent.push(one)
      return HASH
    },
    eth_blockNumber: () => '0x1',
    eth_getTransactionReceipt: () => RECEIPT,
  })
})
afterEach(() => venue.close())

describe.each([
  ['stock', '/keys', STOCK_ONE_CLICK, stockWords.turnedOff],
  ['perp', '/perp/account', PERP_ONE_CLICK, perpWords.done(perpWords.turnOffDone)],
] as const)('One Click of %s without the venue', (product, path, router, told) => {
  it.each([
    ['a session', ALICE],
    ['none', BOB],
  ])('is ended by the wallet alone, with %s', async (_, account) => {
    const { page } = venue
    await venue.signedIn(product, ALICE, 'key-of-alice')
    await venue.useExtension(account)
    await venue.open(path)
    await page.getByRole('button', { name: walletWords.revoke, exact: true }).click()
    expect(await agree(page)).toContain('undelegate')
    await page.locator('.toast').filter({ hasText: told }).waitFor()
    expect(sent).toMatchObject([{ from: account, to: router, data: '0x92ab89bb', value: '0x0' }])
  })
})

describe('One Click that was revoked', () => {
  const button = (name: string) => venue.page.getByRole('button', { name, exact: true })

  beforeEach(() => venue.signedIn('stock', ALICE, 'key-of-alice'))

  it('of stocks is shown as off, though the venue’s node is late', async () => {
    let asked = 0
    venue.answers['GET /api/v1/1ct/status'] = () => {
      if (sent.length > 0) asked += 1
      return { status: asked > 2 ? 'disabled' : 'enable' }
    }
    await venue.open('/keys')
    await button(stockWords.turnOff).waitFor()
    await button(walletWords.revoke).click()
    await agree(venue.page)
    await button(stockWords.turnOn).waitFor()
    expect(await button(walletWords.revoke).count()).toBe(0)
  })

  it('of perpetuals can be revoked again where another page has turned it on', async () => {
    let status = 'disabled'
    const { page } = venue
    await venue.signedIn('perp', ALICE, 'key-of-alice')
    venue.answers['GET /v4/public/trader/1ct/status'] = () => ({ status })
    await page.clock.install()
    await venue.open('/perp/account')
    const known = () => venue.asked.some(({ operation }) => operation === 'GET /v4/public/trader/1ct/status')
    await eventually(async () => known() && (await button(walletWords.revoke).count()) === 0, Boolean)
    status = 'enable'
    await page.clock.fastForward(21_000)
    await button(walletWords.revoke).waitFor()
    expect(sent).toEqual([])
  })
})
