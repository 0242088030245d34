import { describe, expect, it } from 'vitest'
import { concurrencyLimit, inParallel, Turns } from './turns.ts'

describe('turns', () => {
  it('lets so many of one name go on, the others in the order in which they came', async () => {
    const turns = new Turns(2)
    const begun: number[] = []
    const take = (nth: number) =>
      turns.take('key').then((end) => {
        begun.push(nth)
        return end
      })
    const [first, second, third, fourth] = [take(1), take(2), take(3), take(4)]
    const ends = await Promise.all([first, second])
    expect(begun).toEqual([1, 2])
    ends[1]?.()
    const endThird = await third
    expect(begun).toEqual([1, 2, 3])
    endThird()
    await fourth
    expect(begun).toEqual([1, 2, 3, 4])
  })

  it('keeps names apart, and begins anew when all are done', async () => {
    const turns = new Turns(1)
    const end = await turns.take('one')
    const other = await turns.take('another')
    end()
    other()
    const again = turns.take('one')
    await expect(again).resolves.toBeTypeOf('function')
  })
})

describe('concurrencyLimit', () => {
  it('lets what waits leave when its signal aborts, and the next one go on', async () => {
    const limit = concurrencyLimit(1)
    const over = new AbortController()
    const first = Promise.withResolvers<void>()
    const ended = [limit(() => first.promise)]
    const begun: string[] = []
    const second = limit(async () => void begun.push('second'), over.signal)
    ended.push(limit(async () => void begun.push('third')))
    over.abort(new Error('too late'))
    await expect(second).rejects.toThrow('too late')
    first.resolve()
    await Promise.all(ended)
    await expect(limit(async () => void begun.push('second'), over.signal)).rejects.toThrow('too late')
    expect(begun).toEqual(['third'])
  })
})

describe('inParallel', () => {
  it('does so many at once, and answers in the order of the items', async () => {
    let active = 0
    let most = 0
    const results = await inParallel([30, 10, 20, 5, 1], 2, async (ms) => {
      most = Math.max(most, ++active)
      await new Promise((resolve) => setTimeout(resolve, ms))
      active--
      return ms
    })
    expect([results, most, active]).toEqual([[30, 10, 20, 5, 1], 2, 0])
  })

  it('ends only when all have ended, and then with the first failure', async () => {
    const ended: number[] = []
    const work = inParallel([1, 2, 3], 3, async (item) => {
      await new Promise((resolve) => setTimeout(resolve, item * 5))
      ended.push(item)
      if (item < 3) throw new Error(`item ${item}`)
    })
    await expect(work).rejects.toThrow('item 1')
    expect(ended).toEqual([1, 2, 3])
  })
})
