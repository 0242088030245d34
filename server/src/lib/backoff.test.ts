import { expect, it } from 'vitest'
import { Backoff } from './backoff.ts'

it('waits 5 s, then twice as long after each failure, up to 10 minutes', () => {
  const backoff = new Backoff()
  let nowMs = 0
  expect(backoff.isDue('a', nowMs)).toBe(true)
  for (const delayMs of [5, 10, 20, 40, 80, 160, 320, 600, 600].map((sec) => sec * 1000)) {
    backoff.fail('a', nowMs)
    expect(backoff.isDue('a', nowMs + delayMs - 1)).toBe(false)
    expect(backoff.waiting(nowMs + delayMs - 1)).toEqual(['a'])
    nowMs += delayMs
    expect(backoff.isDue('a', nowMs)).toBe(true)
    expect(backoff.waiting(nowMs)).toEqual([])
  }
  expect(backoff.failures('a')).toBe(9)
  expect(backoff.isDue('b', 0)).toBe(true)
})

it('takes another longest wait', () => {
  const backoff = new Backoff(7000)
  for (const _ of [1, 2, 3]) backoff.fail('a', 0)
  expect(backoff.isDue('a', 6999)).toBe(false)
  expect(backoff.isDue('a', 7000)).toBe(true)
})

it('forgets what is done, and what has not failed for long', () => {
  const backoff = new Backoff()
  backoff.fail('a', 0)
  backoff.fail('b', 0)
  backoff.keepOnly(['b'])
  expect([backoff.failures('a'), backoff.failures('b')]).toEqual([0, 1])
  backoff.fail('c', 605_000)
  expect(backoff.failures('b')).toBe(1)
  backoff.fail('c', 605_001)
  expect(backoff.failures('b')).toBe(0)
  expect(backoff.failures('c')).toBe(2)
  backoff.fail('d', 605_001)
  backoff.forget('c')
  expect([backoff.failures('c'), backoff.failures('d')]).toEqual([0, 1])
})
