import { afterEach, describe, expect, it } from 'vitest'
import { instrumentName, knowSymbols, pairAt, pairName, pairPath } from './pair-name.ts'

describe('a pair', () => {
  it('without an end is called by its symbol', () => {
    expect(pairName({ symbol: 'BTC/USDC', expiry: 4_294_967_295 })).toBe('BTC/USDC')
    expect(pairPath({ symbol: 'BTC/USDC', expiry: 4_294_967_295 })).toBe('/perp/trade/BTC%2FUSDC')
  })

  it('that ends is called by the day, too', () => {
    expect(pairName({ symbol: 'BTC/USDC', expiry: 1_798_185_600 })).toBe('BTC/USDC 2026-12-25')
    expect(pairPath({ symbol: 'BTC/USDC', expiry: 1_798_185_600 })).toBe('/perp/trade/BTC%2FUSDC%202026-12-25')
  })
})

describe('pairs of two instruments of one symbol', () => {
  const expiry = 4_294_967_295
  const first = { symbol: 'BTC/USDC', expiry, instrumentAddr: `0x${'1'.repeat(40)}` }
  const second = { symbol: 'BTC/USDC', expiry, instrumentAddr: `0x${'2'.repeat(40)}` }
  const other = { symbol: 'ETH/USDC', expiry, instrumentAddr: `0x${'3'.repeat(40)}` }
  const dated = { ...first, expiry: 1_798_185_600 }

  afterEach(() => knowSymbols([]))

  it('have the ends of their addresses in their names', () => {
    knowSymbols([first, dated, second, other])
    expect([first, second, dated, other].map(pairName)).toEqual([
      'BTC/USDC 0x1111…1111',
      'BTC/USDC 0x2222…2222',
      'BTC/USDC 2026-12-25 0x1111…1111',
      'ETH/USDC',
    ])
    expect(pairName({ symbol: 'BTC/USDC', expiry })).toBe('BTC/USDC')
  })

  it('are found by these, and the first by the name that it had alone', () => {
    const listed = [first, second, other]
    expect(pairAt(listed, 'BTC/USDC')).toBe(first)
    knowSymbols(listed)
    expect(pairAt(listed, 'BTC/USDC 0x2222…2222')).toBe(second)
    expect(pairAt(listed, 'BTC/USDC')).toBe(first)
    expect(pairAt(listed, 'DOGE/USDC')).toBeUndefined()
  })

  it('are not taken for two where an instrument has several pairs', () => {
    knowSymbols([first, dated])
    expect(pairName(first)).toBe('BTC/USDC')
  })
})

describe('an instrument that a row tells by its address', () => {
  it('is called by its symbol, and by the address where the venue does not list it', () => {
    knowSymbols([{ symbol: 'SOL/USDC', instrumentAddr: `0x${'aB'.repeat(20)}` }])
    expect(instrumentName(`0x${'ab'.repeat(20)}`)).toBe('SOL/USDC')
    expect(instrumentName(`0x${'9'.repeat(40)}`)).toBe('0x9999…9999')
    knowSymbols([])
  })
})
