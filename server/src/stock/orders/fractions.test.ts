import { describe, expect, it } from 'vitest'
import { WAD } from '../../lib/wad.ts'
import { usCalendar } from '../../market/calendar/us-calendar.ts'
import { alwaysOpen, SESSION, type Session } from '../../market/hours.ts'
import type { ListedSymbol } from '../../market/store.ts'
import type { OrderTerms } from '../calldata/calldata.ts'
import type { ListedStock } from '../listing/catalogue.ts'
import { AAPL } from '../testing/chain.ts'
import { requireTradableFraction, tradesIn } from './fractions.ts'

const token = {
  token: AAPL,
  ticker: 'AAPL',
  symbol: 'aAAPL',
  name: 'Apple aStock',
  tradable: true,
  depositPaused: false,
  withdrawPaused: false,
}
const market: ListedSymbol = {
  symbol: 'AAPL',
  name: 'Apple Inc.',
  tradable: true,
  logoUrl: '',
  pdfUrl: '',
  steps: { price8: 1_000_000n, quantityWad: 10n ** 9n, notionalWad: 10n ** 9n, leastNotionalWad: 0n },
  quote: null,
  fractionable: true,
  overnightTradable: true,
  fractionalEhEnabled: true,
}
const stock = (flags: Partial<ListedSymbol> = {}, sharesPerTokenWad = WAD): ListedStock => ({
  token,
  market: { ...market, ...flags },
  underlying: { ...market, ...flags },
  sharesPerTokenWad,
  shareSteps: [],
})
const whole: OrderTerms = { type: 'Limit', side: 'Buy', quantityWad: 2n * WAD, priceWad: WAD }
const half: OrderTerms = { type: 'Limit', side: 'Sell', quantityWad: WAD / 2n, priceWad: WAD }
const wholeSell: OrderTerms = { type: 'Market', side: 'Sell', quantityWad: 2n * WAD }
const halfSell: OrderTerms = { type: 'Market', side: 'Sell', quantityWad: 1n }
const buy: OrderTerms = { type: 'Market', side: 'Buy', notionalWad: 10n * WAD }

describe('in which sessions an order may execute', () => {
  const { closed, preMarket, regular, afterHours, overnight } = SESSION
  const all = [closed, preMarket, regular, afterHours, overnight]
  it.each<[string, Partial<ListedSymbol>, OrderTerms, Session[]]>([
    ['a limit order of whole shares', {}, whole, [preMarket, regular, afterHours, overnight]],
    ['of a stock without overnight session', { overnightTradable: false }, whole, [preMarket, regular, afterHours]],
    ['a fraction', {}, half, [preMarket, regular, afterHours, overnight]],
    ['a fraction without extended hours', { fractionalEhEnabled: false }, half, [regular]],
    ['whole shares without fractions', { fractionable: false }, whole, [preMarket, regular, afterHours, overnight]],
    ['a fraction of a stock without', { fractionable: false }, half, []],
    ['a market order', {}, halfSell, [regular]],
    ['a market buy of a stock without fractions', { fractionable: false }, buy, []],
  ])('%s', (_name, flags, terms, sessions) => {
    expect(all.filter((session) => tradesIn(session, stock(flags), terms))).toEqual(sessions)
  })
})

describe('a fraction that could never execute', () => {
  const at = (time: string) => Date.parse(`${time}-05:00`)
  const refused = (flags: Partial<ListedSymbol>, terms: OrderTerms, time = '2026-01-15T10:00:00') =>
    requireTradableFraction(usCalendar, at(time), stock(flags), terms)

  it('is refused where only whole shares are traded', () => {
    const flags = { fractionable: false }
    expect(() => refused(flags, half)).toThrow(/AAPL is traded in whole shares only: quantity must be a whole number/)
    expect(() => refused(flags, halfSell)).toThrow(/quantity must be a whole number/)
    expect(() => refused(flags, buy)).toThrow(/buy it by a limit order with a whole quantity/)
    for (const terms of [whole, wholeSell]) expect(() => refused(flags, terms)).not.toThrow()
  })

  it('is one of a share, of which a token may be several', () => {
    const now = at('2026-01-15T10:00:00')
    const split = stock({ fractionable: false }, 2n * WAD)
    expect(() => requireTradableFraction(usCalendar, now, split, half)).not.toThrow()
    const quarter = { ...half, quantityWad: WAD / 4n }
    expect(() => requireTradableFraction(usCalendar, now, split, quarter)).toThrow(/whole number of shares/)
    const merged = stock({ fractionable: false }, WAD / 4n)
    expect(() => requireTradableFraction(usCalendar, now, merged, whole)).toThrow(/whole number of shares/)
  })

  it('is refused when its day has no session left that takes it', () => {
    const flags = { fractionalEhEnabled: false }
    const afterHours = '2026-01-15T17:00:00'
    expect(() => refused(flags, half, afterHours)).toThrow(
      /until the day of this order ends: .* the next regular session begins at 2026-01-16T14:30:00Z/,
    )
    expect(() => refused(flags, whole, afterHours)).not.toThrow()
    expect(() => refused({}, half, afterHours)).not.toThrow()
    // Overnight, pre-market, a weekend: the regular session of its day is still to come.
    for (const time of ['2026-01-15T21:00:00', '2026-01-15T05:00:00', '2026-01-15T10:00:00', '2026-01-17T12:00:00']) {
      expect(() => refused(flags, half, time)).not.toThrow()
    }
    expect(() => requireTradableFraction(alwaysOpen, at(afterHours), stock(flags), half)).not.toThrow()
  })
})
