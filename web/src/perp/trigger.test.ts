import { describe, expect, it } from 'vitest'
import { isReached } from '../../../server/src/perp/kept/kept-order.ts'
import { isLiquidatedBefore, KINDS, nearestFirst, resultAt, triggerFault } from './trigger.ts'
import { toWad } from './units.ts'

const mark = toWad('60000')

describe('the price of a take-profit or a stop-loss', () => {
  it.each([
    ['takeProfit', true, '60000.01', null],
    ['takeProfit', true, '60000', 'above'],
    ['takeProfit', true, '59999.99', 'above'],
    ['stopLoss', true, '59999.99', null],
    ['stopLoss', true, '60000', 'below'],
    ['stopLoss', true, '60000.01', 'below'],
    ['takeProfit', false, '59999.99', null],
    ['takeProfit', false, '60000', 'below'],
    ['stopLoss', false, '60000.01', null],
    ['stopLoss', false, '60000', 'above'],
  ] as const)('of a %s (long: %s) at %s: %s', (kind, isLong, text, fault) => {
    expect(triggerFault(text, { kind, isLong, mark })).toBe(fault)
  })

  it.each(['', '0', '-1', '1,000', 'much', '1e5', '1.0000000000000000001'])(
    'is none that can be read: "%s"',
    (text) => {
      expect(triggerFault(text, { kind: 'takeProfit', isLong: true, mark })).toBe('unreadable')
    },
  )

  it('is on no side of a mark that is not known', () => {
    for (const kind of KINDS) expect(triggerFault('1', { kind, isLong: true, mark: '0' })).toBe(null)
  })

  it('is wrong where the venue refuses it, and nowhere else', () => {
    for (const kind of KINDS) {
      for (const isLong of [true, false]) {
        for (const text of ['1', '59999.999999999999999999', '60000', '60000.000000000000000001', '500000']) {
          const reached = isReached({ kind, side: isLong ? 1 : 2, triggerWad: BigInt(toWad(text)) }, BigInt(mark))
          expect(triggerFault(text, { kind, isLong, mark }) !== null, `${kind} ${isLong} ${text}`).toBe(reached)
        }
      }
    }
  })
})

describe('the result at a price', () => {
  const held = { isLong: true, size: toWad('0.1'), entryPrice: toWad('60000') }

  it('is that of the size, of a short the other way round', () => {
    expect(resultAt('66000', held)).toBe(toWad('600'))
    expect(resultAt('57000', held)).toBe(`-${toWad('300')}`)
    expect(resultAt('57000', { ...held, isLong: false })).toBe(toWad('300'))
    expect(resultAt('66000', { ...held, isLong: false })).toBe(`-${toWad('600')}`)
    expect(resultAt('60000', held)).toBe('0')
  })

  it('has all its digits', () => {
    const tiny = { ...held, size: toWad('123456789.123456789') }
    expect(resultAt('60000.000000001', tiny)).toBe('123456789123456789')
  })
})

describe('the mark at which the position is liquidated', () => {
  it('comes before a price behind it', () => {
    const long = { isLong: true, liquidationPrice: toWad('50000') }
    expect(['50001', '50000', '49999'].map((text) => isLiquidatedBefore(text, long))).toEqual([false, true, true])
    const short = { isLong: false, liquidationPrice: toWad('70000') }
    expect(['69999', '70000', '70001'].map((text) => isLiquidatedBefore(text, short))).toEqual([false, true, true])
  })

  it('is none where it is 0', () => {
    expect(isLiquidatedBefore('1', { isLong: true, liquidationPrice: '0' })).toBe(false)
    expect(isLiquidatedBefore('1', { isLong: false, liquidationPrice: '0' })).toBe(false)
  })
})

describe('several orders of one kind', () => {
  const orders = ['9', '100', '20'].flatMap((price) => KINDS.map((kind) => ({ kind, triggerPrice: toWad(price) })))
  const prices = (kind: (typeof KINDS)[number], isLong: boolean) =>
    nearestFirst(orders, kind, isLong).map(({ triggerPrice }) => triggerPrice)
  const [nine, twenty, hundred] = ['9', '20', '100'].map(toWad)

  it('begin with the one that the mark comes to first', () => {
    expect(prices('takeProfit', true)).toEqual([nine, twenty, hundred])
    expect(prices('stopLoss', true)).toEqual([hundred, twenty, nine])
    expect(prices('takeProfit', false)).toEqual([hundred, twenty, nine])
    expect(prices('stopLoss', false)).toEqual([nine, twenty, hundred])
  })
})
