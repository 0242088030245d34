import { decodeFunctionData } from 'viem'
import { describe, expect, it } from 'vitest'
import { cancelCall, multicall, ownTransaction, placeCall, tradeCall } from '../../../server/src/perp/calldata/calls.ts'
import { addWords, cancelWord, removeWords, tokenWord, tradeWords } from '../../../server/src/perp/calldata/words.ts'
import { INSTRUMENT, wordsOfCall, wordsOfInstrument } from './words-of-calls.ts'

const PERPETUAL = 4_294_967_295
const TOKEN = '0xfbfbfddd6e35da57b7b0f9a2c10e34be70b3a4e9'
const units = (address: string) => (address === TOKEN ? { symbol: 'USDC', decimals: 6 } : null)
const pair = { base: 'BTC', quote: 'USDC' }
const none = () => null
const time = { expiry: PERPETUAL, deadlineSec: 0 }

const read = (name: string, args: readonly unknown[]) => Object.fromEntries(wordsOfCall(name, args, units, pair) ?? [])

describe('the packed words that the venue builds, read back', () => {
  it('of a trade and of an order', () => {
    const words = tradeWords({ ...time, tick: -100, amount: -5n * 10n ** 17n, size: -(10n ** 17n) })
    const shown = { side: 'sell', size: '-0.1 BTC', 'margin moved': '-0.5 USDC', expiry: 'perpetual', deadline: 'none' }
    expect(read('trade', [words])).toMatchObject({ ...shown, 'worst average price': '-100 (price 0.99005033)' })
    expect(read('place', [words])).toMatchObject({ ...shown, price: '-100 (price 0.99005033)' })
  })

  it.each([
    [50n, 'margin added'],
    [-50n, 'margin taken out'],
  ])('of margin alone, without a side and a price: %s', (amount, name) => {
    const words = tradeWords({ ...time, tick: 0, amount: amount * 10n ** 18n, size: 0n })
    const shown = { expiry: 'perpetual', pair: 'BTC/USDC', [name]: '50 USDC', deadline: 'none' }
    expect(read('trade', [words])).toEqual(shown)
  })

  it('of a deposit in the token’s own decimals', () => {
    expect(read('deposit', [tokenWord(TOKEN, 12_500_000n)])).toEqual({ token: `USDC ${TOKEN}`, amount: '12.5 USDC' })
    expect(wordsOfCall('withdraw', [tokenWord(TOKEN, 7n)], none)).toEqual([
      ['token', TOKEN],
      ['amount', '7 of its smallest unit'],
    ])
  })

  it('of liquidity', () => {
    const limits = { lower: -50, upper: 50 }
    const added = addWords({ ...time, limits, amount: 2n * 10n ** 18n, deltaLower: 100, deltaUpper: 150 })
    expect(read('add', [added])).toMatchObject({ margin: '2 USDC', 'ticks above': '150', 'ticks below': '100' })
    const removed = removeWords({ ...time, limits, owner: TOKEN, tickLower: -150, tickUpper: 100 })
    const shown = read('remove', [removed])
    expect(shown).toMatchObject({ owner: TOKEN })
    expect(shown['lower edge']).toContain('-150 ')
    expect(shown['upper edge']).toContain('100 ')
  })

  it('of a cancel, without the empty places', () => {
    expect(read('cancel', [cancelWord(time, [0, 200])])['orders at']).toBe('0 (price 1.0000000), 200 (price 1.0202003)')
  })
})

describe('calls of one transaction', () => {
  const terms = { ...time, tick: -100, amount: 5n * 10n ** 17n, size: 10n ** 17n }
  const trade = tradeCall(TOKEN, terms)
  const place = placeCall(TOKEN, { ...terms, tick: 200, amount: 10n ** 18n, size: 2n * 10n ** 17n })
  const shown = (data: `0x${string}`) => {
    const { functionName, args } = decodeFunctionData({ abi: INSTRUMENT, data })
    return wordsOfInstrument(functionName, args, units, pair)
  }

  it('are told one by one, as each is alone', () => {
    const told = shown(ownTransaction(TOKEN, [trade, place]).data)
    expect(told).toHaveLength(14)
    expect(Object.fromEntries(told ?? [])).toMatchObject({
      'call 1': 'trade',
      '1: side': 'buy',
      '1: size': '0.1 BTC',
      '1: worst average price': '-100 (price 0.99005033)',
      '1: margin moved': '0.5 USDC',
      'call 2': 'place',
      '2: size': '0.2 BTC',
      '2: price': '200 (price 1.0202003)',
      '2: margin moved': '1 USDC',
    })
  })

  it.each([
    ['one is of a function that the app does not know', cancelCall(TOKEN, time, [0]).relayed],
    ['one holds calls in turn', multicall([trade.own])],
    ['one is no call', '0x'],
  ] as const)('are all refused where %s', (_, other) => {
    expect(shown(multicall([trade.own, other]))).toBeNull()
  })

  it('are refused where there are none', () => {
    expect(shown(multicall([]))).toBeNull()
  })
})

it('knows no other call, which the guard then refuses', () => {
  expect(wordsOfCall('sweep', [`0x${'0'.repeat(64)}`], none)).toBeNull()
})
