import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { oneWithin } from './one-within.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

it('is true for the first who asks, and for the next one only once the time is over', () => {
  const turn = oneWithin(250)
  expect([turn(), turn(), turn()]).toEqual([true, false, false])
  vi.advanceTimersByTime(249)
  expect(turn()).toBe(false)
  vi.advanceTimersByTime(1)
  expect([turn(), turn()]).toEqual([true, false])
})
