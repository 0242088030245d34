import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeChanges } from './together.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

describe('changes', () => {
  it('count at once, and those that follow within a second once more', () => {
    const { changes, note } = makeChanges()
    note()
    expect(changes.value).toBe(1)
    for (let nth = 0; nth < 500; nth += 1) note()
    expect(changes.value).toBe(1)
    vi.advanceTimersByTime(1000)
    expect(changes.value).toBe(2)
    vi.advanceTimersByTime(5000)
    expect(changes.value).toBe(2)
    note()
    expect(changes.value).toBe(3)
  })
})
