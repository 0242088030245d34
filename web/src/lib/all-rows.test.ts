import { describe, expect, it } from 'vitest'
import { failureWords } from '../strings.ts'
import { allRows } from './all-rows.ts'

/** A list of times, newest first, in pages of two; `meanwhile` happens after each answer. */
function list(times: number[], meanwhile: (nth: number) => void = () => {}) {
  let answers = 0
  return async (page: number, { endTime = Number.POSITIVE_INFINITY }: { endTime?: number }) => {
    const fitting = times.filter((time) => time <= endTime)
    const answer = { rows: fitting.slice(page * 2 - 2, page * 2), total: fitting.length }
    meanwhile(++answers)
    return answer
  }
}
const itself = (time: number) => time

describe('all rows of a list', () => {
  it('are those of all pages', async () => {
    expect(await allRows(list([5, 4, 3, 2, 1]), itself)).toEqual([5, 4, 3, 2, 1])
    expect(await allRows(list([4, 3, 2, 1]))).toEqual([4, 3, 2, 1])
    expect(await allRows(list([]), itself)).toEqual([])
  })

  it('are each there once while newer ones come in all the time', async () => {
    const times = [5, 4, 3, 2, 1]
    const rows = await allRows(
      list(times, (nth) => times.unshift(5 + nth)),
      itself,
    )
    expect(rows.toReversed()).toEqual(rows.map((_, nth) => nth + 1))
  })

  it('are read again where rows came or went, and their times are not told', async () => {
    const times = [4, 3, 2, 1]
    expect(await allRows(list(times, (nth) => nth === 1 && times.unshift(5)))).toEqual([5, 4, 3, 2, 1])
    expect(await allRows(list(times, (nth) => nth === 1 && times.shift()))).toEqual([4, 3, 2, 1])
  })

  it('are not answered in part', async () => {
    const times = [4, 3, 2, 1]
    const changing = allRows(list(times, (nth) => times.unshift(4 + nth)))
    await expect(changing).rejects.toThrow(failureWords.listChanges)
    const cut = allRows(async (page) => {
      if (page === 2) throw new Error('offline')
      return { rows: [1], total: 2 }
    })
    await expect(cut).rejects.toThrow('offline')
  })
})
