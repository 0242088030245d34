// The operator's screen before states that a venue has seldom.
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launchChromium } from '../../scripts/chromium.ts'
import type { Reconciliation, Status } from '../src/operator/status.ts'
import { words } from '../src/operator/strings.ts'
import { type Played, playVenue } from './played-venue.ts'

let browser: Browser
let venue: Played

beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser?.close())

beforeEach(async () => {
  venue = await playVenue(browser, {})
})
afterEach(() => venue.close())

const reading = (ageSec: number, differences = 0, lasting = 0): Reconciliation => ({
  blockNumber: '7',
  readAt: '2026-01-01T00:00:00.000Z',
  ageSec,
  differences,
  lasting,
  inFlight: 0,
  causes: [],
})

const status = (silent: boolean): Status => ({
  indexer: {
    state: 'following',
    reason: null,
    headNumber: '7',
    indexedNumber: '7',
    finalNumber: '7',
    lagBlocks: '0',
    observedAt: '2026-01-01T00:00:00.000Z',
    silent,
  },
  relayer: { signers: [], queues: [] },
  keeper: { tasks: [] },
})

describe('the indexer', () => {
  const badge = () => venue.page.locator('.panel', { hasText: words.indexed }).locator('.badge')

  it('is well while it reports that it follows', async () => {
    venue.plain['/status'] = status(false)
    await venue.open('/operator')
    expect(await badge().textContent()).toBe('following')
    expect(await badge().getAttribute('class')).toContain('good')
  })

  it('that has fallen silent is not well, whatever it reported last', async () => {
    venue.plain['/status'] = status(true)
    await venue.open('/operator')
    expect(await badge().textContent()).toBe(words.silent)
    expect(await badge().getAttribute('class')).toContain('bad')
  })
})

describe('a comparison of tables and chain', () => {
  const badge = () => venue.page.locator('.panel', { hasText: words.compared }).locator('.badge')

  it.each([
    ['agrees', reading(180), words.agrees, 'good'],
    ['differs for long', reading(5, 2, 1), words.differ(2, 1), 'bad'],
    ['is older than three minutes', reading(181), words.outdated, 'bad'],
    ['differed, more than three minutes ago', reading(7200, 2, 0), words.outdated, 'bad'],
  ])('that %s', async (_name, reconciliation, text, tone) => {
    venue.plain['/status'] = { ...status(false), keeper: { tasks: [], reconciliation } }
    await venue.open('/operator')
    expect(await badge().textContent()).toBe(text)
    expect(await badge().getAttribute('class')).toContain(tone)
  })
})
