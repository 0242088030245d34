// Take-profits, stop-losses and orders that only reduce, before answers that a venue gives seldom.
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launchChromium } from '../../scripts/chromium.ts'
import { eventually } from '../../server/e2e/client.ts'
import { words } from '../src/perp/strings.ts'
import { addAxe, findings } from './axe.ts'
import { LOOKS } from './browser.ts'
import {
  FIRST,
  held,
  INSTRUMENTS,
  kept,
  PERPETUAL,
  PREVIEW,
  perpAnswers,
  SECOND,
  TRADER,
  wad,
} from './played-perp-answers.ts'
import { ALICE, type Played, playVenue, Refuse } from './played-venue.ts'

const KEPT = `GET ${TRADER}/order/kept`
const KEEP = `POST ${TRADER}/order/kept`
const POSITIONS = `GET ${TRADER}/position/list`
const ONE_CLICK = `GET ${TRADER}/1ct/status`
const MARKET = 'BTC/USDC'

let browser: Browser
let venue: Played

beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser?.close())

beforeEach(async () => {
  venue = await playVenue(browser, perpAnswers())
  await venue.signedIn('perp', ALICE, 'key-of-alice')
  venue.answers[POSITIONS] = () => [held(FIRST, MARKET, 1)]
  venue.answers[ONE_CLICK] = () => ({ status: 'enable', delegatee: ALICE })
  venue.answers[INSTRUMENTS] = () => [{ instrumentAddress: FIRST, symbol: MARKET, tip: '0' }]
})
afterEach(() => venue.close())

const button = (name: string) => venue.page.getByRole('button', { name, exact: true })
const dialog = () => venue.page.getByRole('dialog', { name: words.keepNamed(MARKET) })
const price = (kind: 'takeProfit' | 'stopLoss') =>
  dialog().getByLabel(words.keepAt(words.keptKinds[kind]), { exact: true })
const keep = () => dialog().getByRole('button', { name: words.keep, exact: true })
const says = (text: string) => dialog().getByText(text, { exact: true }).waitFor()
const isOff = async (): Promise<boolean> => (await keep().getAttribute('aria-disabled')) === 'true'
const asked = (operation: string) => venue.asked.filter((one) => one.operation === operation)

async function ask(): Promise<void> {
  await venue.open(`/perp/trade/${encodeURIComponent(MARKET)}`)
  await button(words.keepNamed(MARKET)).click()
  await dialog().waitFor()
}

describe('a take-profit and a stop-loss for a position', () => {
  it('says which side of the mark a price has to be on, what it would make, and keeps both for all of it', async () => {
    venue.answers[KEEP] = () => ({ orders: [] })
    await ask()
    expect(await isOff()).toBe(true)
    await price('takeProfit').fill('99')
    await says(words.triggerWrong.above(words.keptKinds.takeProfit, '100.00'))
    await price('stopLoss').fill('101')
    await says(words.triggerWrong.below(words.keptKinds.stopLoss, '100.00'))
    await keep().click({ force: true })
    expect(asked(KEEP)).toEqual([])
    await price('takeProfit').fill('110.5')
    await price('stopLoss').fill('49')
    const estimate = dialog().getByLabel(words.estimate, { exact: true })
    await estimate.getByText('+10.50 USDC', { exact: true }).waitFor()
    await estimate.getByText('-51.00 USDC', { exact: true }).waitFor()
    await says(words.liquidatedBefore('50.00'))
    await says(words.keepLinked)
    await keep().click()
    await venue.page.getByText(words.keptNow(MARKET), { exact: true }).waitFor()
    await dialog().waitFor({ state: 'detached' })
    const of = { instrument: MARKET, expiry: PERPETUAL, side: 1, slippageBps: 50 }
    expect(asked(KEEP).map(({ body }) => body)).toEqual([{ ...of, takeProfitPrice: '110.5', stopLossPrice: '49' }])
  })

  it('stands at the position, the nearest first, and a pair says so in the list', async () => {
    const of = { symbol: MARKET, expiry: PERPETUAL }
    const list = [
      { ...kept(1, 'open'), ...of, linkedOrderIds: ['2'] },
      { ...kept(2, 'open'), ...of, kind: 'takeProfit', triggerPrice: wad(120), linkedOrderIds: ['1'] },
      { ...kept(3, 'open'), ...of, kind: 'takeProfit', triggerPrice: wad(110) },
      // It would reduce a short.
      { ...kept(4, 'open'), ...of, side: 2, triggerPrice: wad(130) },
    ]
    venue.answers[KEPT] = () => ({ list, totalCount: list.length })
    await ask()
    await says('TP 110.00 +1, SL 80.00')
    await venue.page.keyboard.press('Escape')
    const position = venue.page
      .getByRole('table', { name: words.positions })
      .getByRole('row')
      .filter({ hasText: MARKET })
    await position.getByText('TP 110.00 +1', { exact: true }).waitFor()
    await position.getByText('SL 80.00', { exact: true }).waitFor()
    await venue.page.getByRole('tab', { name: words.kept }).click()
    const row = (kind: string) => venue.page.getByRole('row').filter({ hasText: kind })
    const linkedWith = async (kind: string) =>
      (await row(kind).allTextContents()).filter((text) => text.includes('linked'))
    await row(words.keptStatus.open).nth(3).waitFor()
    expect(await linkedWith(words.linkedWith(words.keptKinds.takeProfit, '120.00'))).toHaveLength(1)
    expect(await linkedWith(words.linkedWith(words.keptKinds.stopLoss, '80.00'))).toHaveLength(1)
  })

  it('is for a part of it at most, and of a short on the other side', async () => {
    venue.answers[KEEP] = () => ({ orders: [] })
    venue.answers[POSITIONS] = () => [{ ...held(FIRST, MARKET, -2), side: 1 }]
    await ask()
    await price('stopLoss').fill('120')
    await dialog().getByText('-40.00 USDC', { exact: true }).waitFor()
    await dialog().getByLabel(words.closeSize, { exact: true }).fill('3')
    await says(words.closeTooMuch('2'))
    expect(await isOff()).toBe(true)
    await dialog().getByLabel(words.closeSize, { exact: true }).fill('0.5')
    await dialog().getByText('-10.00 USDC', { exact: true }).waitFor()
    await keep().click()
    await dialog().waitFor({ state: 'detached' })
    expect(asked(KEEP)[0]?.body).toMatchObject({ side: 2, size: '0.5', stopLossPrice: '120' })
    expect(asked(KEEP)[0]?.body).not.toHaveProperty('takeProfitPrice')
  })

  it('is asked for under one key when the answer is lost, says what the venue refuses, and promises no signature of the wallet', async () => {
    const keys: (string | undefined)[] = []
    await venue.page.route('**/order/kept', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback()
      keys.push(route.request().headers()['idempotency-key'])
      return keys.length === 1 ? route.abort() : route.fallback()
    })
    venue.answers[KEEP] = () => ({ orders: [] })
    await ask()
    await price('takeProfit').fill('110')
    await keep().click()
    await dialog().waitFor({ state: 'detached' })
    expect(keys).toHaveLength(2)
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(keys[1]).toBe(keys[0])
    venue.answers[KEEP] = () => {
      throw new Refuse(400, 40001, 'kept_price_reached')
    }
    await button(words.keepNamed(MARKET)).click()
    await price('takeProfit').fill('110')
    await keep().click()
    await dialog().getByText('refused: kept_price_reached').waitFor()
    expect(keys[2]).not.toBe(keys[0])
    // One Click was ended elsewhere.
    venue.answers[ONE_CLICK] = () => ({ status: 'disabled', delegatee: ALICE })
    venue.answers[KEEP] = () => {
      throw new Refuse(403, 40302, 'delegation_not_enabled')
    }
    await keep().click()
    await dialog().getByRole('alert').getByText(words.keepNeedsOneClick, { exact: true }).waitFor()
    expect(await eventually(isOff, Boolean)).toBe(true)
  })

  it('is not kept for the first market of a symbol where it was asked at the second', async () => {
    venue.answers[INSTRUMENTS] = () =>
      [SECOND, FIRST].map((instrumentAddress) => ({ instrumentAddress, symbol: MARKET, tip: '0' }))
    await ask()
    await says(words.keepBySymbol(MARKET))
    await price('takeProfit').fill('110')
    expect(await isOff()).toBe(true)
  })

  it.each(LOOKS)(
    'needs One Click, which its dialog has, and axe finds nothing there in $theme colours at $width pixels',
    async ({ theme, width }) => {
      await venue.page.emulateMedia({ colorScheme: theme })
      await venue.page.setViewportSize({ width, height: 900 })
      venue.answers[ONE_CLICK] = () => ({ status: 'disabled', delegatee: ALICE })
      await ask()
      await says(words.keepNeedsOneClick)
      await dialog().getByRole('switch', { name: words.oneClick }).waitFor()
      await price('stopLoss').fill('49')
      await says(words.liquidatedBefore('50.00'))
      expect(await isOff()).toBe(true)
      await price('takeProfit').fill('99')
      await addAxe(venue.page)
      expect(await findings(venue.page)).toEqual([])
    },
  )
})

describe('kept orders', () => {
  it('that are open are all shown, however many have ended since', async () => {
    const { page, answers } = venue
    const old = kept(1, 'open')
    const list = Array.from({ length: 100 }, (_, nth) => kept(nth + 2, 'cancelled'))
    answers[KEPT] = ({ query }) => {
      const status = query.get('status')
      if (!status) return { list, totalCount: 101 }
      return status === 'open' ? { list: [old], totalCount: 1 } : { list: [], totalCount: 0 }
    }
    await venue.open('/perp/trade/ETH%2FEURC')
    await page.getByRole('tab', { name: words.kept }).click()
    await page.getByRole('row').filter({ hasText: words.keptStatus.cancelled }).first().waitFor()
    expect(await page.getByRole('row').filter({ hasText: words.keptStatus.open }).count()).toBe(1)
  })
})

describe('a market order that only reduces', () => {
  const onlyReduces = () => venue.page.getByLabel(words.reduceOnly, { exact: true })
  const size = () => venue.page.getByLabel(words.size, { exact: true })

  it('says what there is to reduce, is asked for and sent so, and why the venue refuses it', async () => {
    const refuse = () => {
      throw new Refuse(400, 40001, 'position_missing')
    }
    await venue.open(`/perp/trade/${encodeURIComponent(MARKET)}`)
    await onlyReduces().check()
    await venue.page.getByText(words.nothingToReduce(words.short), { exact: true }).waitFor()
    await button(words.short).click()
    await venue.page.getByText(words.reducible('1 BTC'), { exact: true }).waitFor()
    await button(words.closeAll).click()
    expect(await size().inputValue()).toBe('1')
    const wanted = { action: 'market', params: { side: 1, size: '1', reduceOnly: true } }
    await eventually(
      async () => asked(PREVIEW).at(-1)?.body,
      (body) => body !== undefined,
    )
    expect(asked(PREVIEW).at(-1)?.body).toMatchObject(wanted)
    venue.answers[PREVIEW] = refuse
    const SEND = `POST ${TRADER}/order/market`
    venue.answers[SEND] = refuse
    await button(words.place(words.short, MARKET)).click()
    await venue.page.locator('form').getByText('refused: position_missing').nth(1).waitFor()
    expect(asked(SEND).at(0)?.body).toMatchObject(wanted.params)
    // A limit order is never so.
    await button(words.limitOrder).click()
    await onlyReduces().waitFor({ state: 'detached' })
    await venue.page.getByLabel(words.limitPrice, { exact: true }).fill('90')
    const ofLimit = () => asked(PREVIEW).find(({ body }) => (body as { action: string }).action === 'limit')
    const preview = await eventually(async () => ofLimit(), Boolean)
    expect(preview?.body).not.toHaveProperty('params.reduceOnly')
  })
})
