import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatUnits, INT96_MAX, UINT96_MAX } from '../../lib/decimal.ts'
import { AppError } from '../../lib/errors.ts'
import { type OrderFields, readOrder } from './order-terms.ts'

const buy: OrderFields = { side: 'Buy', type: 'Market', notional: '10' }
const sell: OrderFields = { side: 'Sell', type: 'Market', quantity: '1.25' }
const limitBuy: OrderFields = { side: 'Buy', type: 'Limit', quantity: '2', price: '180.50', timeInForce: 'DAY' }
const limitSell: OrderFields = { ...limitBuy, side: 'Sell' }
const { price: _price, ...priceless } = limitBuy
const { quantity: _quantity, ...quantityless } = limitBuy
const { timeInForce: _timeInForce, ...timeless } = limitBuy

function failure(fields: OrderFields): { reason: string; field: unknown; message: string } {
  try {
    readOrder(fields)
  } catch (error) {
    if (error instanceof AppError) {
      return { reason: error.reason.name, field: error.detail.field, message: error.message }
    }
    throw error
  }
  throw new Error('it was accepted')
}

describe('a market order', () => {
  it('is a buy by notional or a sell by quantity, exact to 18 decimals', () => {
    expect(readOrder(buy)).toEqual({ type: 'Market', side: 'Buy', notionalWad: 10n * 10n ** 18n })
    expect(readOrder(sell)).toEqual({ type: 'Market', side: 'Sell', quantityWad: 1_250_000_000_000_000_000n })
    expect(readOrder({ ...buy, notional: 7 })).toMatchObject({ notionalWad: 7n * 10n ** 18n })
    expect(readOrder({ ...sell, quantity: '0.000000000000000001' })).toMatchObject({ quantityWad: 1n })
    const largest = '39614081257.132168796771975167'
    expect(readOrder({ ...buy, notional: largest })).toMatchObject({ notionalWad: (1n << 95n) - 1n })
  })

  it.each<[OrderFields, string, string, RegExp]>([
    [{ side: 'Buy', type: 'Market' }, 'notional_missing', 'notional', /notional is required for a market buy/],
    [{ side: 'Sell', type: 'Market' }, 'quantity_missing', 'quantity', /quantity is required for a market sell/],
    [{ ...buy, price: '1' }, 'field_not_applicable', 'price', /has no price/],
    [{ ...buy, timeInForce: 'DAY' }, 'field_not_applicable', 'timeInForce', /has no timeInForce/],
    [{ ...buy, quantity: '1' }, 'field_not_applicable', 'quantity', /placed by notional, not by quantity/],
    [{ ...sell, notional: '1' }, 'field_not_applicable', 'notional', /placed by quantity, not by notional/],
    [{ ...buy, notional: '0' }, 'amount_invalid', 'notional', /greater than zero/],
    [{ ...buy, notional: '0.0000000000000000001' }, 'amount_invalid', 'notional', /at most 18 decimals, got 19/],
    [{ ...sell, quantity: '-1' }, 'amount_invalid', 'quantity', /must not be negative/],
    [{ ...sell, quantity: '1e3' }, 'amount_invalid', 'quantity', /must not use an exponent/],
    [
      { ...buy, notional: '39614081257.132168796771975168' },
      'amount_invalid',
      'notional',
      /must be at most 39614081257/,
    ],
    [{ ...buy, notional: ' 10' }, 'amount_invalid', 'notional', /plain decimal number/],
    [{ ...buy, notional: 'Infinity' }, 'amount_invalid', 'notional', /plain decimal number/],
    [{ ...buy, notional: '1,000' }, 'amount_invalid', 'notional', /plain decimal number/],
    [{ ...buy, notional: '٣' }, 'amount_invalid', 'notional', /plain decimal number/],
    [{ ...buy, notional: '9'.repeat(101) }, 'amount_invalid', 'notional', /at most 100 characters/],
  ])('%j is refused as %s', (fields, reason, field, message) => {
    expect(failure(fields)).toEqual({ reason, field, message: expect.stringMatching(message) })
  })
})

describe('a limit order', () => {
  it('is a quantity at a price for the day, exact to 18 decimals', () => {
    const terms = { type: 'Limit', quantityWad: 2n * 10n ** 18n, priceWad: 180_500_000_000_000_000_000n }
    expect(readOrder(limitBuy)).toEqual({ ...terms, side: 'Buy' })
    expect(readOrder(limitSell)).toEqual({ ...terms, side: 'Sell' })
    expect(readOrder({ ...limitBuy, quantity: 3, price: 7 })).toMatchObject({
      quantityWad: 3n * 10n ** 18n,
      priceWad: 7n * 10n ** 18n,
    })
    const dust = '0.000000000000000001'
    expect(readOrder({ ...limitBuy, quantity: dust, price: dust })).toMatchObject({ quantityWad: 1n, priceWad: 1n })
  })

  it.each<[OrderFields, string, string, RegExp]>([
    [priceless, 'price_missing', 'price', /price is required for a limit order: USD per token/],
    [quantityless, 'quantity_missing', 'quantity', /quantity is required for a limit order: the stock tokens to buy/],
    [{ ...quantityless, side: 'Sell' }, 'quantity_missing', 'quantity', /the stock tokens to sell/],
    [timeless, 'time_in_force_missing', 'timeInForce', /required for a limit order, and DAY is the only one/],
    ...['GTC', 'OPG', 'IOC', 'FOK', 'GTX', 'GTD', 'CLS', 'day', ' DAY', '', '0'].map(
      (timeInForce): [OrderFields, string, string, RegExp] => [
        { ...limitBuy, timeInForce },
        'time_in_force_unsupported',
        'timeInForce',
        new RegExp(`must be DAY, .* got "${timeInForce}"`),
      ],
    ),
    [{ ...limitBuy, notional: '10' }, 'field_not_applicable', 'notional', /by quantity and price, not by notional/],
    [{ ...limitBuy, price: '0' }, 'amount_invalid', 'price', /price must be greater than zero/],
    [{ ...limitBuy, price: '-180.5' }, 'amount_invalid', 'price', /must not be negative/],
    [{ ...limitBuy, price: '1e2' }, 'amount_invalid', 'price', /must not use an exponent/],
    [{ ...limitBuy, price: '0.0000000000000000001' }, 'amount_invalid', 'price', /at most 18 decimals, got 19/],
    [{ ...limitBuy, price: '79228162515' }, 'amount_invalid', 'price', /must be at most 79228162514/],
    [{ ...limitBuy, quantity: '0.00' }, 'amount_invalid', 'quantity', /greater than zero/],
    [{ ...limitBuy, quantity: '39614081258' }, 'amount_invalid', 'quantity', /must be at most 39614081257/],
    [
      { ...limitBuy, quantity: '1000000', price: '79229' },
      'order_too_large',
      'quantity',
      /quantity × price is more USD/,
    ],
  ])('%j is refused as %s', (fields, reason, field, message) => {
    expect(failure(fields)).toEqual({ reason, field, message: expect.stringMatching(message) })
  })
})

describe('any input', () => {
  const wad = (max: bigint) => fc.oneof(fc.bigInt(1n, max), fc.bigInt(1n, 10n ** 24n))

  it('that is sound is read exactly', () => {
    fc.assert(
      fc.property(
        wad(INT96_MAX),
        fc.bigInt(1n, 10n ** 23n),
        fc.constantFrom('Buy', 'Sell'),
        (quantity, price, side) => {
          fc.pre((quantity * price + 10n ** 18n - 1n) / 10n ** 18n <= UINT96_MAX)
          const fields = { quantity: formatUnits(quantity, 18), price: formatUnits(price, 18), timeInForce: 'DAY' }
          expect(readOrder({ type: 'Limit', side: side as 'Buy', ...fields })).toEqual({
            type: 'Limit',
            side,
            quantityWad: quantity,
            priceWad: price,
          })
          const market = side === 'Buy' ? { notional: fields.quantity } : { quantity: fields.quantity }
          const terms = readOrder({ type: 'Market', side: side as 'Buy', ...market })
          expect('notionalWad' in terms ? terms.notionalWad : terms.quantityWad).toBe(quantity)
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('that is not gets a reason with its field, never another error and never a rounded figure', () => {
    const amount = fc.oneof(
      fc.string({ maxLength: 30 }),
      fc.double().map(String),
      fc.integer(),
      fc.bigInt().map(String),
      fc.constantFrom('1', '0', '-0', '+1', '1.', '.5', '0x10', '1_000', '1e400', 'NaN', `0.${'0'.repeat(17)}1`),
    )
    const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 3 })
    const anything = fc.record({
      side: fc.constantFrom('Buy', 'Sell'),
      type: fc.constantFrom('Market', 'Limit'),
      quantity: optional(amount),
      notional: optional(amount),
      price: optional(amount),
      timeInForce: optional(fc.constantFrom('DAY', 'GTC', 'day', '')),
    })
    const PLAIN = /^\d+(\.\d{1,18})?$/
    fc.assert(
      fc.property(anything, (any) => {
        const fields = JSON.parse(JSON.stringify(any)) as OrderFields
        try {
          readOrder(fields)
        } catch (error) {
          expect(error).toBeInstanceOf(AppError)
          expect((error as AppError).reason.kind).toBe('invalid')
          expect(Object.keys(fields).concat(['quantity', 'notional', 'price', 'timeInForce'])).toContain(
            (error as AppError).detail.field,
          )
          return
        }
        const { quantity, notional, price, timeInForce } = fields
        const used = fields.type === 'Limit' ? [quantity, price] : [fields.side === 'Buy' ? notional : quantity]
        for (const value of used) expect(String(value)).toMatch(PLAIN)
        expect([quantity, notional, price].filter((value) => value !== undefined)).toHaveLength(used.length)
        expect(timeInForce).toBe(fields.type === 'Limit' ? 'DAY' : undefined)
      }),
      { numRuns: 5000 },
    )
  })
})
