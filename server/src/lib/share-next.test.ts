import { expect, it } from 'vitest'
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

it('gathers those who ask until it is told to begin', async () => {
  const begin = Promise.withResolvers<void>()
  let runs = 0
  const shared = shareNext(
    async () => ++runs,
    () => begin.promise,
  )
  const first = shared()
  await tick()
  const second = shared()
  expect(runs).toBe(0)
  begin.resolve()
  expect(await Promise.all([first, second])).toEqual([1, 1])
  expect(await shared()).toBe(2)
})

it('says while it gathers how many have asked for the run, and of the next run anew', async () => {
  const counts: number[] = []
  const shared = shareNext(
    async () => {},
    async (asked) => {
      await tick()
      counts.push(asked())
    },
  )
  await Promise.all([shared(), shared(), shared()])
  await shared()
  expect(counts).toEqual([3, 1])
})
