import { expect, it, vi } from 'vitest'
import { shareNext } from './share-next.ts'

function controlled() {
  const runs: PromiseWithResolvers<number>[] = []
  const shared = shareNext(() => {
    const run = Promise.withResolvers<number>()
    runs.push(run)
    return run.promise
  })
  return { runs, shared }
}

const tick = () => new Promise((resolve) => setImmediate(resolve))

it('gives those who ask during a run the next one, together', async () => {
  const { runs, shared } = controlled()
  const first = shared()
  await tick()
  const [second, third] = [shared(), shared()]
  await tick()
  expect(runs).toHaveLength(1)
  runs[0]?.resolve(1)
  expect(await first).toBe(1)
  await tick()
  expect(runs).toHaveLength(2)
  runs[1]?.resolve(2)
  expect(await Promise.all([second, third])).toEqual([2, 2])
})

it('runs anew for each who asks when nothing runs', async () => {
  const { runs, shared } = controlled()
  for (const value of [1, 2]) {
    const asked = shared()
    await tick()
    runs.at(-1)?.resolve(value)
    expect(await asked).toBe(value)
  }
})

it('tells a failure to those who shared the run, and nobody else', async () => {
  const { runs, shared } = controlled()
  const failing = Promise.allSettled([shared(), shared()])
  await tick()
  const later = shared()
  runs[0]?.reject(new Error('gone'))
  expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await tick()
  runs[1]?.resolve(7)
  expect(await later).toBe(7)
})

it('keeps runs apart where it is told to, but never one that nothing came before', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  try {
    const startsMs: number[] = []
    const shared = shareNext(async () => startsMs.push(performance.now()), 10)
    const beganMs = performance.now()
    await shared()
    const waiting = [shared(), shared()]
    await vi.advanceTimersByTimeAsync(4)
    waiting.push(shared())
    await vi.advanceTimersByTimeAsync(6)
    expect(await Promise.all(waiting)).toEqual([2, 2, 2])
    await vi.advanceTimersByTimeAsync(50)
    await shared()
    expect(startsMs.map((ms) => ms - beganMs)).toEqual([0, 10, 60])
  } finally {
    vi.useRealTimers()
  }
})
