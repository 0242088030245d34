import { describe, expect, it } from 'vitest'
import { Turns } from './turns.ts'

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
