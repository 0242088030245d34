import { describe, expect, it } from 'vitest'
import type { Hex } from '../../chain/types.ts'
import { type Instruments, type ListedInstrument, namedInstrument } from './catalogue.ts'

const FIRST = `0x${'a1'.repeat(20)}` as const
const SECOND = `0x${'b2'.repeat(20)}` as const
const listed = (address: Hex, symbol: string) => ({ address, symbol }) as ListedInstrument
const instruments: Instruments = {
  block: { height: 1n, timestampSec: 1n },
  list: [listed(FIRST, 'BTC/USDC'), listed(SECOND, 'BTC/USDC')],
}

describe('an instrument that a body names', () => {
  it('by an address is the one at that address, of those with one symbol too', () => {
    expect(namedInstrument(instruments, SECOND).address).toBe(SECOND)
    expect(namedInstrument(instruments, `0x${'B2'.repeat(20)}`).address).toBe(SECOND)
  })

  it('by a symbol is the first of those that have it', () => {
    expect(namedInstrument(instruments, 'BTC/USDC').address).toBe(FIRST)
  })

  it.each([`0x${'c3'.repeat(20)}`, 'DOGE/USDC', '0xBTC/USDC'])('is refused where there is none: %s', (named) => {
    expect(() => namedInstrument(instruments, named)).toThrow(new RegExp(`${named}; there is BTC/USDC`))
  })
})
