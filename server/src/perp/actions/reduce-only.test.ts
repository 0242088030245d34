import { describe, expect, it } from 'vitest'
import { WAD } from '../../lib/wad.ts'
import { requireReduction, requireWithin } from './reduce-only.ts'

const thrownBy = (held: bigint, size: bigint) => () => requireReduction(held, size)

describe('a trade that only reduces', () => {
  it.each([
    [WAD, -1n],
    [WAD, -WAD],
    [-WAD, 1n],
    [-WAD, WAD],
  ])('is taken: held %s, traded %s', (held, size) => {
    expect(thrownBy(held, size)).not.toThrow()
  })

  it.each([
    [0n, 1n, 'has no position'],
    [0n, -1n, 'has no position'],
    [WAD, 1n, 'must be 1 (short)'],
    [-WAD, -1n, 'must be 2 (long)'],
    [WAD, -WAD - 1n, 'size must be at most 1,'],
    [-WAD, WAD + 1n, 'size must be at most 1,'],
  ])('is refused: held %s, traded %s', (held, size, words) => {
    expect(thrownBy(held, size)).toThrow(words)
  })
})

it('a close is of no more than the position', () => {
  expect(() => requireWithin(-WAD, WAD)).not.toThrow()
  expect(() => requireWithin(-WAD, WAD + 1n)).toThrow('size must be at most 1,')
})
