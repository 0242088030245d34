import { describe, expect, it } from 'vitest'
import { brokerLimit8, readOrder, STATUSES } from './order-wire.ts'
import { decimal, parseWire, time } from './wire.ts'

const DOCUMENTED = {
  id: 'b',
  client_order_id: 'c',
  symbol: 'AAPL',
  side: 'buy',
  type: 'limit',
  qty: '2',
  notional: null,
  limit_price: '107',
  filled_qty: '0',
  submitted_at: '2021-03-16T18:38:01.937734Z',
  status: 'new',
}
const statusOf = (status: string, filled_qty = '0') => readOrder({ ...DOCUMENTED, status, filled_qty }).status

describe('statuses', () => {
  const open = ['new', 'accepted', 'pending_new', 'accepted_for_bidding', 'pending_review', 'held', 'partially_filled']
  open.push('pending_cancel', 'pending_replace', 'stopped', 'suspended', 'calculated')

  it.each(open)('%s is open', (status) => {
    expect(statusOf(status)).toBe('accepted')
    expect(statusOf(status, '0.000000001')).toBe('partially_filled')
  })

  it.each([
    ['filled', 'filled'],
    ['done_for_day', 'expired'],
    ['expired', 'expired'],
    ['canceled', 'canceled'],
    ['replaced', 'canceled'],
    ['rejected', 'rejected'],
  ])('%s is %s, whatever was filled', (status, expected) => {
    expect([statusOf(status), statusOf(status, '1')]).toEqual([expected, expected])
  })

  it('has a line for every documented one, and takes another for open', () => {
    expect(Object.keys(STATUSES)).toHaveLength(open.length + 6)
    expect(statusOf('brand_new')).toBe('accepted')
  })
})

describe('limits', () => {
  it.each([
    ['buy', 15_000_000_000n, 15_000_000_000n],
    ['buy', 15_000_999_999n, 15_000_000_000n],
    ['sell', 15_000_000_001n, 15_001_000_000n],
    ['buy', 100_000_000n, 100_000_000n],
    ['buy', 99_999_999n, 99_990_000n],
    ['sell', 99_990_001n, 100_000_000n],
    ['buy', 9_999n, 0n],
    ['sell', 1n, 10_000n],
  ] as const)('%s at %s is sent as %s', (side, limit8, expected8) => {
    expect(brokerLimit8(side, limit8)).toBe(expected8)
  })
})

describe('numbers and times', () => {
  const read = (literal: string, decimals: number) =>
    decimal(parseWire(Buffer.from(`{"x":${literal}}`)) as Record<string, unknown>, 'x', decimals)

  it('are read digit by digit, also where a float would change them', () => {
    expect(read('"0.123456789"', 18)).toBe(123_456_789n * 10n ** 9n)
    expect(read('4503599627370497.5', 8)).toBe(450_359_962_737_049_750_000_000n)
    expect(read('1.005', 8)).toBe(100_500_000n)
    expect(read('1e-5', 8)).toBe(1000n)
    expect(read('"1.500000000"', 1)).toBe(15n)
    expect(read('"-2.5"', 8)).toBe(-250_000_000n)
  })

  it.each(['"1.000000001"', '1e-9', '"abc"', 'null', '"1,5"', '""', 'true', '"0x10"'])('refuses %s', (literal) => {
    expect(() => read(literal, 8)).toThrow(/the field x/)
  })

  it('cuts what is finer than a millisecond off, so that nothing comes later than it was', () => {
    const at = (t: string) => time({ t }, 't')
    expect(at('2021-02-22T15:51:44.208999999Z')).toBe(Date.UTC(2021, 1, 22, 15, 51, 44, 208))
    expect(at('2021-02-22T10:51:44-05:00')).toBe(Date.UTC(2021, 1, 22, 15, 51, 44))
    for (const bad of ['2021-02-22', '2021-02-22T15:51:44', 'yesterday']) expect(() => at(bad)).toThrow(/no time/)
  })
})
