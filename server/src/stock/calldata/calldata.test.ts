import fc from 'fast-check'
import { decodeFunctionData, toFunctionSelector } from 'viem'
import { describe, expect, it } from 'vitest'
import { stockRouterAbi } from '../../chain/abi/stock-router.ts'
import type { Hex } from '../../chain/types.ts'
import { INT96_MAX, UINT96_MAX, UINT256_MAX } from '../../lib/decimal.ts'
import { calldataHash } from '../calldata-hash.ts'
import {
  cancelCalldata,
  depositAndOrderCalldata,
  depositCalldata,
  depositStockCalldata,
  type OrderTerms,
  orderCalldata,
  signedAmountWad,
  withdrawCalldata,
  withdrawStockCalldata,
} from './calldata.ts'

const ROUTER = '0x4f090d817fd83753988a7b0c1d76f170f8461be8'
const AAPL = '0x17683e492d0c8910f7c0157d04af31cb7a23ad71'
const USDC = '0x754704bc059f8c67012fed69bc8a327a5aafb603'
const DEADLINE = 0x6b49d264
const ORDER_ID: Hex = `0x${'ab'.repeat(32)}`

const word = (hex: string) => hex.replace(/^0x/, '').padStart(64, '0')
const negative = (low: string) => low.padStart(64, 'f')

const marketBuy = (notionalWad: bigint): OrderTerms => ({ type: 'Market', side: 'Buy', notionalWad })
const marketSell = (quantityWad: bigint): OrderTerms => ({ type: 'Market', side: 'Sell', quantityWad })
const limit = (side: 'Buy' | 'Sell', quantityWad: bigint, priceWad: bigint): OrderTerms => ({
  type: 'Limit',
  side,
  quantityWad,
  priceWad,
})
const million = { token: USDC, amountRaw: 1_000_000n } as const

const order = (terms: OrderTerms, deadline = DEADLINE) => orderCalldata(ROUTER, AAPL, terms, deadline)
const withDeposit = (terms: OrderTerms, deposit: { token: Hex; amountRaw: bigint } = million) =>
  depositAndOrderCalldata(ROUTER, AAPL, terms, deposit, DEADLINE)

const Q = word('0f4240')
const MINUS_Q = negative('f0bdc0')
const PRICE = word('09c8f0d1ab86020000')
const LIMIT_PRICE = 180_500_000_000_000_000_000n
const END = word('6b49d264')

// Selectors as they were observed on chain (stock-api 4.1), not as our ABI says.
describe('calldata, word by word', () => {
  it.each([
    ['deposit', depositCalldata(ROUTER, USDC, 1_000_000n), '0x3ae50b73', [word(USDC), Q]],
    ['deposit', depositCalldata(ROUTER, USDC, UINT96_MAX), '0x3ae50b73', [word(USDC), word('f'.repeat(24))]],
    ['withdraw', withdrawCalldata(ROUTER, USDC, 10n ** 18n), '0x8c8c3c9d', [word(USDC), word('0de0b6b3a7640000')]],
    ['depositStock', depositStockCalldata(ROUTER, AAPL, 1_000_000n), '0x27fd8b2b', [word(AAPL), Q]],
    ['withdrawStock', withdrawStockCalldata(ROUTER, AAPL, UINT256_MAX), '0x8c8bc974', [word(AAPL), 'f'.repeat(64)]],
    ['placeMarketOrder', order(marketBuy(1_000_000n)), '0xc0c16b76', [word(AAPL), Q, END]],
    ['placeMarketOrder', order(marketSell(1_000_000n)), '0xc0c16b76', [word(AAPL), MINUS_Q, END]],
    [
      'placeMarketOrder',
      order(marketSell(INT96_MAX), 4_294_967_295),
      '0xc0c16b76',
      [word(AAPL), `${'f'.repeat(40)}8${'0'.repeat(22)}1`, word('ffffffff')],
    ],
    [
      'placeLimitOrder',
      order(limit('Buy', 1_000_000n, LIMIT_PRICE)),
      '0x20c1b4d6',
      [word(AAPL), Q, PRICE, word('0'), END],
    ],
    [
      'placeLimitOrder',
      order(limit('Sell', 1_000_000n, LIMIT_PRICE)),
      '0x20c1b4d6',
      [word(AAPL), MINUS_Q, PRICE, word('0'), END],
    ],
    ['cancelLimitOrder', cancelCalldata(ROUTER, ORDER_ID), '0x4584eff6', ['ab'.repeat(32)]],
    // The two that are known whole, of a client of the live router.
    ['depositAndMarketBuy', withDeposit(marketBuy(1_000_000n)), '0x4e4bc420', [word(USDC), Q, word(AAPL), Q, END]],
    ['depositStockAndMarketSell', withDeposit(marketSell(1_000_000n)), '0x0e5d1a7a', [word(AAPL), Q, MINUS_Q, END]],
    [
      'depositAndLimitBuy',
      withDeposit(limit('Buy', 1_000_000n, LIMIT_PRICE)),
      '0xec4a2c48',
      [word(USDC), Q, word(AAPL), Q, PRICE, word('0'), END],
    ],
    [
      'depositStockAndLimitSell',
      withDeposit(limit('Sell', 1_000_000n, LIMIT_PRICE)),
      '0x3ed60570',
      [word(AAPL), Q, MINUS_Q, PRICE, word('0'), END],
    ],
  ])('%s', (method, calldata, selector, words) => {
    expect(calldata).toEqual({ method, to: ROUTER, data: `${selector}${words.join('')}`, valueWei: 0n })
  })

  it('the ABI of the deployed router has these selectors', () => {
    const selectors = Object.fromEntries(
      stockRouterAbi.flatMap((item) => (item.type === 'function' ? [[item.name, toFunctionSelector(item)]] : [])),
    )
    expect(selectors).toMatchObject({
      deposit: '0x3ae50b73',
      withdraw: '0x8c8c3c9d',
      depositStock: '0x27fd8b2b',
      withdrawStock: '0x8c8bc974',
      placeMarketOrder: '0xc0c16b76',
      placeLimitOrder: '0x20c1b4d6',
      cancelLimitOrder: '0x4584eff6',
      depositAndMarketBuy: '0x4e4bc420',
      depositAndLimitBuy: '0xec4a2c48',
      depositStockAndMarketSell: '0x0e5d1a7a',
      depositStockAndLimitSell: '0x3ed60570',
      stock: '0xbdf3c4ae',
      cashier: '0xed740e97',
    })
  })

  it('a value beyond its type is never cut', () => {
    for (const build of [
      () => depositCalldata(ROUTER, USDC, UINT96_MAX + 1n),
      () => depositStockCalldata(ROUTER, AAPL, UINT256_MAX + 1n),
      () => order(marketBuy(INT96_MAX + 1n)),
      () => order(marketBuy(1n), 2 ** 32),
      () => order(limit('Buy', 1n, UINT96_MAX + 1n)),
      () => withDeposit(marketBuy(1n), { token: USDC, amountRaw: UINT96_MAX + 1n }),
      () => cancelCalldata(ROUTER, '0xab'),
    ]) {
      expect(build).toThrow(RangeError)
    }
  })
})

describe('what is decoded is what was asked for', () => {
  const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes): Hex => `0x${hex(bytes)}`)
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
  const positive = (max: bigint) => fc.oneof(fc.bigInt(1n, max), fc.constantFrom(1n, max))
  const deadline = fc.integer({ min: 1, max: 4_294_967_295 })
  const terms: fc.Arbitrary<OrderTerms> = fc.oneof(
    positive(INT96_MAX).map(marketBuy),
    positive(INT96_MAX).map(marketSell),
    fc
      .tuple(fc.constantFrom('Buy' as const, 'Sell' as const), positive(INT96_MAX), positive(UINT96_MAX))
      .map(([side, quantity, price]) => limit(side, quantity, price)),
  )
  const decoded = (data: Hex) => {
    const { functionName, args } = decodeFunctionData({ abi: stockRouterAbi, data })
    return [functionName, (args ?? []).map((arg) => (typeof arg === 'string' ? arg.toLowerCase() : arg))]
  }
  const tail = (one: OrderTerms, end: number) =>
    one.type === 'Limit' ? [signedAmountWad(one), one.priceWad, 0, end] : [signedAmountWad(one), end]

  it('of orders, with and without deposit', () => {
    fc.assert(
      fc.property(address, address, terms, positive(UINT96_MAX), deadline, (stock, cash, one, amountRaw, end) => {
        const plain = orderCalldata(ROUTER, stock, one, end)
        expect(decoded(plain.data)).toEqual([plain.method, [stock, ...tail(one, end)]])
        const buying = one.side === 'Buy'
        const token = buying ? cash : stock
        const combined = depositAndOrderCalldata(ROUTER, stock, one, { token, amountRaw }, end)
        const front = buying ? [cash, amountRaw, stock] : [stock, amountRaw]
        expect(decoded(combined.data)).toEqual([combined.method, [...front, ...tail(one, end)]])
        expect(signedAmountWad(one) > 0n).toBe(buying)
      }),
      { numRuns: 2000 },
    )
  })

  it('of moves and cancels', () => {
    const orderId = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes): Hex => `0x${hex(bytes)}`)
    fc.assert(
      fc.property(address, positive(UINT96_MAX), positive(UINT256_MAX), orderId, (token, small, large, id) => {
        expect(decoded(depositCalldata(ROUTER, token, small).data)).toEqual(['deposit', [token, small]])
        expect(decoded(withdrawCalldata(ROUTER, token, small).data)).toEqual(['withdraw', [token, small]])
        expect(decoded(depositStockCalldata(ROUTER, token, large).data)).toEqual(['depositStock', [token, large]])
        expect(decoded(withdrawStockCalldata(ROUTER, token, large).data)).toEqual(['withdrawStock', [token, large]])
        expect(decoded(cancelCalldata(ROUTER, id).data)).toEqual(['cancelLimitOrder', [id]])
      }),
      { numRuns: 500 },
    )
  })
})

it('a calldata hash binds recipient, value and every byte', () => {
  const base = calldataHash(ROUTER, 0n, '0x3ae50b73')
  const others = [
    calldataHash(USDC, 0n, '0x3ae50b73'),
    calldataHash(ROUTER, 1n, '0x3ae50b73'),
    calldataHash(ROUTER, 0n, '0x3ae50b7300'),
    calldataHash(ROUTER, 0n, '0x'),
  ]
  expect(new Set([base, ...others]).size).toBe(5)
  expect(calldataHash(ROUTER, 0n, '0x3ae50b73')).toBe(base)
})
