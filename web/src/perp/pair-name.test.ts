import { describe, expect, it } from 'vitest'
import { pairName, pairPath } from './pair-name.ts'

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
