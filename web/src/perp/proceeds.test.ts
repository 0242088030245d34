import { describe, expect, it } from 'vitest'
import { proceedsOf } from './proceeds.ts'
import { toWad } from './units.ts'

const position = (size: string, margin: string, unrealizedPnl: string) => ({
  size: size.startsWith('-') ? `-${toWad(size.slice(1))}` : toWad(size),
  margin: toWad(margin),
  unrealizedPnl: unrealizedPnl.startsWith('-') ? `-${toWad(unrealizedPnl.slice(1))}` : toWad(unrealizedPnl),
  entryPrice: '0',
  equity: '0',
  leverage: '0',
  liquidationPrice: '0',
})
const trade = { fee: toWad('1'), amount: '0', orders: [], markPrice: toWad('110') }
const FLAT = position('0', '0', '0')

describe('the proceeds of a close', () => {
  it('of a long are its margin and what the price brought, less the fee', () => {
    const before = position('4', '200', '40')
    const closed = proceedsOf({ ...trade, before, after: FLAT, notional: toWad('420') })
    expect(closed).toEqual({ realized: toWad('19'), out: toWad('219') })
  })

  it('of a short count the other way', () => {
    const before = position('-4', '200', '-40')
    const closed = proceedsOf({ ...trade, before, after: FLAT, notional: toWad('420') })
    expect(closed).toEqual({ realized: `-${toWad('21')}`, out: toWad('179') })
  })

  it('of a part are its result alone', () => {
    const [before, after] = [position('4', '200', '40'), position('3', '204', '30')]
    const closed = proceedsOf({ ...trade, before, after, notional: toWad('105') })
    expect(closed).toEqual({ realized: toWad('4'), out: null })
  })

  it('have what is paid in for it, without the margin of an order that then rests', () => {
    const before = position('4', '200', '40')
    const order = { oid: null, tick: 1, price: toWad('100'), size: toWad('1'), margin: toWad('50') }
    const made = { ...trade, before, after: FLAT, notional: toWad('420'), amount: toWad('57'), orders: [order] }
    expect(proceedsOf(made)?.out).toBe(toWad('226'))
  })

  it('are none of what grows, turns, or trades nothing', () => {
    const before = position('4', '200', '40')
    const notional = toWad('420')
    for (const size of ['5', '-1', '4']) {
      expect(proceedsOf({ ...trade, before, after: position(size, '1', '0'), notional })).toBeNull()
    }
    expect(proceedsOf({ ...trade, before, after: FLAT, notional: null })).toBeNull()
  })
})
