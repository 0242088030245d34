import { describe, expect, it } from 'vitest'
import type { AppError } from '../lib/errors.ts'
import { SendQueue } from './send-queue.ts'

const limits = { atOnce: 2, atOnceOfKey: 1, waiting: 3, waitingOfKey: 2, waitMs: 10_000 }
const failureOf = async (work: Promise<unknown>): Promise<AppError> => {
  const failed = await work.then(
    () => null,
    (error: AppError) => error,
  )
  if (!failed) throw new Error('it was let in')
  return failed
}

describe('the queue of sends', () => {
  it('lets in as many as it may, and then whoever has waited longest', async () => {
    const queue = new SendQueue({ ...limits, atOnceOfKey: 2 })
    const ends = [await queue.enter('a'), await queue.enter('b')]
    const order: string[] = []
    const waiting = ['c', 'd'].map((key) => queue.enter(key).then((end) => [order.push(key), end] as const))
    ends[0]?.()
    const [, endC] = (await waiting[0]) ?? []
    expect(order).toEqual(['c'])
    endC?.()
    await waiting[1]
    expect(order).toEqual(['c', 'd'])
  })

  it('does not let one key keep the others waiting', async () => {
    const queue = new SendQueue(limits)
    await queue.enter('busy')
    const second = queue.enter('busy')
    await queue.enter('other')
    const third = queue.enter('busy')
    expect((await failureOf(queue.enter('busy'))).reason.name).toBe('sends_overloaded')
    // A place is left for another key.
    const later = queue.enter('third')
    expect((await failureOf(queue.enter('fourth'))).reason).toMatchObject({ kind: 'unavailable', retryable: true })
    for (const one of [second, third, later]) one.catch(() => {})
  })

  it('turns away at once who finds no place, and says when to come again', async () => {
    const queue = new SendQueue({ ...limits, atOnce: 1, waiting: 0 })
    const end = await queue.enter('a')
    const refused = await failureOf(queue.enter('b'))
    expect([refused.reason.name, refused.retryAfterSec]).toEqual(['sends_overloaded', 1])
    end()
    await queue.enter('b')
  })

  it('says that it is full only while no key would find a place', async () => {
    const queue = new SendQueue({ ...limits, waiting: 1 })
    const end = await queue.enter('a')
    const second = queue.enter('a')
    // One place of those that are worked at is left, for another key.
    expect(queue.refusal).toBeNull()
    const endB = await queue.enter('b')
    expect([queue.refusal?.reason.name, queue.refusal?.retryAfterSec]).toEqual(['sends_overloaded', 1])
    endB()
    expect(queue.refusal).toBeNull()
    end()
    await second
  })

  it('turns away who waits too long, and keeps no place for it', async () => {
    const queue = new SendQueue({ ...limits, atOnce: 1, waiting: 1, waitMs: 20 })
    const end = await queue.enter('a')
    expect((await failureOf(queue.enter('b'))).message).toContain('did not come within 20 ms')
    const next = queue.enter('c')
    end()
    const endNext = await next
    endNext()
    await queue.enter('d')
  })

  it('drops who goes away, and keeps no place for it', async () => {
    const queue = new SendQueue({ ...limits, atOnce: 1, waiting: 1 })
    const end = await queue.enter('a')
    const caller = new AbortController()
    const left = failureOf(queue.enter('b', caller.signal))
    caller.abort()
    expect((await left).reason.name).toBe('send_abandoned')
    const next = queue.enter('c')
    end()
    await next
    expect((await failureOf(queue.enter('d', caller.signal))).reason.name).toBe('send_abandoned')
  })
})
