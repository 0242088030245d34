import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { limitedForSec, noteLimited } from './limited.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

describe('the wait for a venue that takes no more requests', () => {
  it('is counted down to its end, the longest of several', () => {
    noteLimited(2000)
    noteLimited(1500)
    expect(limitedForSec.value).toBe(2)
    vi.advanceTimersByTime(1000)
    expect(limitedForSec.value).toBe(1)
    vi.advanceTimersByTime(1000)
    expect(limitedForSec.value).toBeNull()
    expect(vi.getTimerCount()).toBe(0)
    noteLimited(500)
    expect(limitedForSec.value).toBe(1)
    vi.advanceTimersByTime(1000)
    expect(limitedForSec.value).toBeNull()
  })
})
