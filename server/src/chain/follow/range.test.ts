import { describe, expect, it } from 'vitest'
import { RpcError } from '../rpc-error.ts'
import { createRangeSize } from './range.ts'

const refusal = new RpcError('rpc_error', 'eth_getLogs', 'refused', {
  rpc: { code: -32005, message: 'block range is too large' },
})
const late = new RpcError('rpc_timeout', 'eth_getLogs', 'no answer')

describe('the size of a range', () => {
  it('grows to the most while answers are small', () => {
    const range = createRangeSize(1000)
    const sizes: number[] = []
    for (let step = 0; step < 9; step++) {
      sizes.push(range.blocks())
      range.succeeded(range.blocks(), 10)
    }
    expect(sizes).toEqual([8, 16, 32, 64, 128, 256, 512, 1000, 1000])
  })

  it('shrinks in proportion to answers that are too large, and does not grow on the last, short part', () => {
    const range = createRangeSize(1000)
    range.succeeded(50, 100_000)
    expect(range.blocks()).toBe(5)
    range.succeeded(3, 0)
    expect(range.blocks()).toBe(5)
    range.succeeded(5, 10_000_000)
    expect(range.blocks()).toBe(1)
  })

  it('does not try again what a provider has refused', () => {
    const range = createRangeSize(1000)
    range.succeeded(8, 0)
    expect(range.failed(refusal)).toBe(true)
    range.succeeded(8, 0)
    expect(range.blocks()).toBe(8)
  })

  it('shrinks on a time-out and recovers', () => {
    const range = createRangeSize(1000)
    expect(range.failed(late)).toBe(true)
    expect(range.blocks()).toBe(4)
    range.succeeded(4, 0)
    expect(range.blocks()).toBe(8)
  })

  it('gives up at one block, and at once on other failures', () => {
    const range = createRangeSize(2)
    expect(range.failed(new Error('unknown block'))).toBe(false)
    expect(range.failed(refusal)).toBe(true)
    expect(range.failed(refusal)).toBe(false)
    expect(range.blocks()).toBe(1)
  })
})
