// The way out of One Click while the venue answers nobody.
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launchChromium } from '../../scripts/chromium.ts'
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
const NOBODY: Answers = new Proxy({}, { get: () => refuse })

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
  venue = await playVenue(browser, NOBODY)
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
