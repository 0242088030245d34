import { describe, expect, it } from 'vitest'
import { dayPrices } from './summary.ts'

describe('the prices of a day', () => {
  const trades = { openWad: 90n, highWad: 95n, lowWad: 90n, closeWad: 92n }
  it.each([
    ['begin above all trades', 100n, { openWad: 100n, highWad: 100n, lowWad: 90n, lastWad: 92n }],
    ['begin below all trades', 80n, { openWad: 80n, highWad: 95n, lowWad: 80n, lastWad: 92n }],
    ['begin with the first trade of all', null, { openWad: 90n, highWad: 95n, lowWad: 90n, lastWad: 92n }],
  ] as const)('%s', (_, beforeWad, prices) => {
    expect(dayPrices({ ...trades, beforeWad }, 70n)).toEqual(prices)
  })

  it('are the last one where nothing was traded, and the curve’s where nothing ever was', () => {
    const nothing = { openWad: null, highWad: null, lowWad: null, closeWad: null }
    const all = (wad: bigint) => ({ openWad: wad, highWad: wad, lowWad: wad, lastWad: wad })
    expect(dayPrices({ ...nothing, beforeWad: 100n }, 70n)).toEqual(all(100n))
    expect(dayPrices({ ...nothing, beforeWad: null }, 70n)).toEqual(all(70n))
  })
})
