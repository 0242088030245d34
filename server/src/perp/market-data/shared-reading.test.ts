import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { sharedReading } from './shared-reading.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

function readings() {
  const begun: PromiseWithResolvers<{ block: { height: bigint; timestampSec: bigint } }>[] = []
  const read = sharedReading(() => {
    begun.push(Promise.withResolvers())
    return (begun.at(-1) as (typeof begun)[number]).promise
  })
  const end = (nth: number, height: bigint) => begun[nth]?.resolve({ block: { height, timestampSec: 0n } })
  return { begun, read, end }
}

it('is shared by those who ask at the same time, and given at once for a short while', async () => {
  const { begun, read, end } = readings()
  const asked = [read(), read()]
  end(0, 7n)
  const [first, second] = await Promise.all(asked)
  expect(first).toBe(second)
  expect(read()).toBe(first)
  vi.advanceTimersByTime(101)
  expect(read()).toBeInstanceOf(Promise)
  expect(begun).toHaveLength(2)
})

it('is read once more, together, for those who know of a later block', async () => {
  const { begun, read, end } = readings()
  const early = read(7n)
  const late = [read(8n), read(8n)]
  end(0, 7n)
  expect((await early).block.height).toBe(7n)
  expect(begun).toHaveLength(2)
  end(1, 8n)
  expect((await Promise.all(late)).map(({ block }) => block.height)).toEqual([8n, 8n])
  // Where the chain has not come so far, the newest there is.
  const ahead = read(9n)
  end(2, 8n)
  expect((await ahead).block.height).toBe(8n)
})

it('tells a failure to those who waited for it, and reads anew for the next', async () => {
  const { begun, read, end } = readings()
  const waiting = Promise.allSettled([read(), read()])
  begun[0]?.reject(new Error('gone'))
  expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const next = read()
  end(1, 7n)
  expect((await next).block.height).toBe(7n)
})
