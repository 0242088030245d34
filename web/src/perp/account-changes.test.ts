import type { PerpMessage, Signal } from '@bourse/sdk/perp'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  changes,
  changesOf,
  changesSeldom,
  keptChanges,
  keptHere,
  noteChange,
  noteKept,
  noteSignal,
} from './account-changes.ts'

// The counts are of the page: each test begins where nothing has been noted for a while.
beforeAll(() => void vi.useFakeTimers())
beforeEach(() => void vi.advanceTimersByTime(20_000))
afterAll(() => void vi.useRealTimers())

const signal = (type: Signal['type']): PerpMessage<'portfolio'> => ({
  type: 'data',
  stream: 'portfolio',
  data: { type, userAddress: '0x' },
})

/** By how much counts have grown since. */
function grown(...counts: readonly { readonly value: number }[]): () => readonly number[] {
  const before = counts.map(({ value }) => value)
  return () => counts.map(({ value }, nth) => value - (before[nth] ?? 0))
}

const [gate, order, range, position] = (['gate', 'order', 'range', 'position'] as const).map(changesOf) as [
  typeof changes,
  typeof changes,
  typeof changes,
  typeof changes,
]

describe('a signal', () => {
  it('asks for the lists that it is about, and for no others', () => {
    const since = grown(order, range, changes)
    noteSignal(signal('order'))
    vi.advanceTimersByTime(30)
    expect(since()).toEqual([1, 0, 1])
  })

  it('counts once with the others of its block, also for a list that is of several parts', () => {
    const asked = vi.fn()
    const end = changes.subscribe(asked)
    asked.mockClear()
    for (const type of ['gate', 'order', 'position'] as const) noteSignal(signal(type))
    vi.advanceTimersByTime(30)
    expect(asked).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(5000)
    expect(asked).toHaveBeenCalledTimes(1)
    end()
  })

  it.each([
    ['is missed', { type: 'gap', after: null, next: null } as const],
    ['is about something unknown', signal('something new' as Signal['type'])],
  ])('that %s may be about anything', (_, message) => {
    const since = grown(gate, order, range, position)
    noteSignal(message)
    vi.advanceTimersByTime(30)
    expect(since()).toEqual([1, 1, 1, 1])
  })

  it('asks every ten seconds at most for what no signal is about', () => {
    const since = grown(changes, changesSeldom)
    for (let nth = 0; nth < 6; nth += 1) {
      noteSignal(signal('order'))
      vi.advanceTimersByTime(1500)
    }
    expect(since()).toEqual([6, 1])
    vi.advanceTimersByTime(2000)
    expect(since()).toEqual([6, 2])
  })
})

describe('what is done to kept orders', () => {
  it('asks for them alone, and what is done to anything else asks for no mark at positions', () => {
    const since = grown(keptHere, keptChanges, changes, position)
    noteKept()
    expect(since()).toEqual([1, 1, 0, 0])
    noteChange()
    expect(since()).toEqual([1, 2, 1, 1])
  })
})
