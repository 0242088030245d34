import { describe, expect, it } from 'vitest'
import type { Hex } from '../../chain/types.ts'
import {
  addWords,
  batchWords,
  cancelWord,
  fillWord,
  orderKeyOf,
  rangeIdOf,
  removeWords,
  tokenWord,
  tradeSizeOf,
  tradeWords,
} from './words.ts'

// Made by the published client's encoders (perp-protocol 1.2).

const OWNER: Hex = `0x${'11'.repeat(20)}`
const WAD = 10n ** 18n
const time = { expiry: 4_294_967_295, deadlineSec: 1_700_000_000 }
const limits = { lower: -50, upper: 60 }

describe('the packed arguments', () => {
  it('are those of the published client', () => {
    expect(tokenWord(OWNER, 1_000_000n)).toBe('0x0000000000000000000f42401111111111111111111111111111111111111111')
    expect(tradeWords({ ...time, tick: -100, amount: 5n * WAD, size: -2n * WAD })).toEqual([
      '0x0000000000000000000000000000000000000000006553f100ffff9cffffffff',
      '0xffffffffffffffffe43e9298b138000000000000000000004563918244f40000',
    ])
    expect(tradeWords({ ...time, tick: 80_000, amount: 300n * WAD, size: WAD })).toEqual([
      '0x0000000000000000000000000000000000000000006553f100013880ffffffff',
      '0x00000000000000000de0b6b3a7640000000000000000001043561a8829300000',
    ])
    expect(tradeWords({ ...time, tick: 0, amount: -7n * WAD, size: 0n })).toEqual([
      '0x0000000000000000000000000000000000000000006553f100000000ffffffff',
      '0x00000000000000000000000000000000ffffffffffffffff9edb01166c440000',
    ])
    for (const size of [-2n * WAD, 0n, WAD]) {
      expect(tradeSizeOf(tradeWords({ ...time, tick: -100, amount: -5n * WAD, size }))).toBe(size)
    }
    expect(addWords({ ...time, limits, amount: 100n * WAD, deltaLower: 1000, deltaUpper: 2000 })).toEqual([
      '0x0000000000000000000000000000000000006553f100ffffce00003cffffffff',
      '0x000000000000000000000003e80007d000000000000000056bc75e2d63100000',
    ])
    expect(removeWords({ ...time, limits, owner: OWNER, tickLower: -1000, tickUpper: 2000 })).toEqual([
      '0x0000000000000000000000000000000000006553f100ffffce00003cffffffff',
      '0x0000000000000007d0fffc181111111111111111111111111111111111111111',
    ])
    expect(fillWord(time.expiry, OWNER, { tick: -5, nonce: 3 })).toBe(
      '0x0000000003fffffb1111111111111111111111111111111111111111ffffffff',
    )
    expect(cancelWord(time, [-5, 10])).toBe('0x6553f1007fffff7fffff7fffff7fffff7fffff7fffff00000afffffbffffffff')
    const orders = [-5, 10, 15, 20].map((tick, index) => ({ tick, ratio: 1000 * (index + 1) }))
    expect(batchWords({ ...time, size: 10n * WAD, leverage: 3n * WAD, orders })).toEqual([
      '0x00000000000000000000000f0bb800000a07d0fffffb03e86553f100ffffffff',
      '0x00007fffff00007fffff00007fffff00007fffff00007fffff00000000140fa0',
      '0x00000000000000008ac7230489e80000000000000000000029a2241af62c0000',
    ])
  })

  it('name orders and ranges', () => {
    expect(orderKeyOf(281_474_892_824_579n)).toEqual({ tick: -5, nonce: 3 })
    expect(rangeIdOf(-1000, 2000)).toBe(281_458_199_496_656n)
  })

  it('cut nothing off: what does not fit is refused', () => {
    expect(() => tokenWord(OWNER, 1n << 96n)).toThrow('does not fit 96 bits')
    expect(() => tokenWord(OWNER, -1n)).toThrow('does not fit 96 bits')
    expect(() => tradeWords({ ...time, tick: 1 << 23, amount: 0n, size: 0n })).toThrow('does not fit')
    expect(() => tradeWords({ ...time, tick: 0, amount: 0n, size: 1n << 127n })).toThrow('does not fit')
    expect(() => tradeWords({ ...time, deadlineSec: 2 ** 32, tick: 0, amount: 0n, size: 0n })).toThrow('does not fit')
    expect(() =>
      cancelWord(
        time,
        Array.from({ length: 9 }, () => 1),
      ),
    ).toThrow(RangeError)
  })
})
