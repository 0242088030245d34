import { describe, expect, it } from 'vitest'
import { WAD } from '../../lib/wad.ts'
import { isReached, reducedBy } from './kept-order.ts'

const [SELL, BUY] = [1, 2] as const

describe('the mark reaches', () => {
  it.each([
    ['takeProfit', SELL, 99n, false],
    ['takeProfit', SELL, 100n, true],
    ['takeProfit', SELL, 101n, true],
    ['stopLoss', SELL, 101n, false],
    ['stopLoss', SELL, 100n, true],
    ['stopLoss', SELL, 99n, true],
    ['takeProfit', BUY, 101n, false],
    ['takeProfit', BUY, 100n, true],
    ['takeProfit', BUY, 99n, true],
    ['stopLoss', BUY, 99n, false],
    ['stopLoss', BUY, 100n, true],
    ['stopLoss', BUY, 101n, true],
  ] as const)('a %s of side %s at 100 with %s: %s', (kind, side, mark, expected) => {
    expect(isReached({ kind, side, triggerWad: 100n }, mark)).toBe(expected)
  })
})

describe('what is traded of a position', () => {
  it.each([
    [SELL, null, WAD, -WAD],
    [SELL, WAD / 2n, WAD, -WAD / 2n],
    [SELL, 2n * WAD, WAD, -WAD],
    [BUY, null, -WAD, WAD],
    [BUY, 1n, -WAD, 1n],
    [BUY, 2n * WAD, -WAD, WAD],
  ] as const)('by side %s and size %s, held %s, is %s', (side, sizeWad, held, expected) => {
    expect(reducedBy({ side, sizeWad }, held)).toBe(expected)
  })

  it.each([
    [SELL, null, 0n, 'has no position'],
    [BUY, WAD, 0n, 'has no position'],
    [SELL, null, -WAD, 'the position is short'],
    [BUY, WAD, WAD, 'the position is long'],
  ] as const)('by side %s and size %s, held %s, is nothing: %s', (side, sizeWad, held, words) => {
    expect(() => reducedBy({ side, sizeWad }, held)).toThrow(words)
  })
})
