import { describe, expect, it } from 'vitest'
import { orderOf, spendable } from './order-terms.ts'

const stock = { contractAddress: '0x1111111111111111111111111111111111111111' }
const values = { side: 'Buy', type: 'Market', amount: '100', price: '' } as const

describe('the order of a ticket', () => {
  it('spends in a market buy and counts tokens otherwise', () => {
    expect(orderOf(stock, values)).toEqual({
      stockAddress: stock.contractAddress,
      side: 'Buy',
      type: 'Market',
      notional: '100',
    })
    expect(orderOf(stock, { ...values, side: 'Sell' })).toMatchObject({ quantity: '100' })
  })

  it('has price and duration when it is limited', () => {
    expect(orderOf(stock, { ...values, type: 'Limit', price: '180.5' })).toMatchObject({
      quantity: '100',
      price: '180.5',
      timeInForce: 'DAY',
    })
  })

  it.each([{ amount: '' }, { amount: '0' }, { amount: '1e3' }, { type: 'Limit' as const, price: '' }])(
    'is none with %j',
    (wrong) => expect(orderOf(stock, { ...values, ...wrong })).toBeNull(),
  )

  it('leaves room for the fee', () => {
    expect(spendable('1001', '0.001')).toBe('1000')
    expect(spendable('100', '0.0015')).toBe('99.850224663005491762')
    expect(spendable('100', '0')).toBe('100')
  })
})
