import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { untilAnswer } from './until-answer.ts'

// Time passes here only as a test says, so that two seconds are two seconds on every machine.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** Answers when it ended, in milliseconds after it began, and with what; `look` says what there is after so long. */
async function ended(look: (afterMs: number) => string | null, lateMs = 0): Promise<[number, string | null]> {
  const startedAtMs = Date.now()
  vi.setSystemTime(startedAtMs + lateMs)
  const answer = untilAnswer(
    startedAtMs,
    async () => look(Date.now() - startedAtMs),
    (value) => value !== null,
  ).then((value): [number, string | null] => [Date.now() - startedAtMs, value])
  await vi.advanceTimersByTimeAsync(60_000)
  return answer
}

it('answers at once when there is an answer', async () => {
  expect(await ended(() => 'a hash')).toEqual([0, 'a hash'])
})

it('answers within two seconds with what there is, when no answer comes', async () => {
  expect(await ended(() => null)).toEqual([1800, null])
})

it('answers soon after an answer is there', async () => {
  for (const thereMs of [1, 30, 500, 1000, 1799]) {
    const [afterMs, answer] = await ended((nowMs) => (nowMs >= thereMs ? 'a hash' : null))
    expect(answer).toBe('a hash')
    expect(afterMs).toBeGreaterThanOrEqual(thereMs)
    expect(afterMs).toBeLessThanOrEqual(Math.min(1800, thereMs + 200))
  }
})

it('looks once when the time was over before', async () => {
  let looks = 0
  expect(await ended(() => (++looks === 1 ? 'a hash' : null), 5000)).toEqual([5000, 'a hash'])
})
