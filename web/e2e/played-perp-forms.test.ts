// What stands in the forms of perpetuals, before answers that a venue gives seldom.
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launchChromium } from '../../scripts/chromium.ts'
import { words } from '../src/perp/strings.ts'
import { FIRST, held, perpAnswers, TRADER, USDC } from './played-perp-answers.ts'
import { ALICE, BOB, type Played, playVenue } from './played-venue.ts'

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
