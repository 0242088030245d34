import { expect, it } from 'vitest'
import { mergeTrades } from './merge-trades.ts'

const trade = (id: string, timestamp: number) => ({ id, timestamp, price: '1', size: '1', side: 'long' as const })

it('lists trades newest first, each once, and drops the oldest', () => {
  const known = [trade('b', 2), trade('a', 1)]
  expect(mergeTrades(known, [trade('c', 3), trade('b', 2)]).map(({ id }) => id)).toEqual(['c', 'b', 'a'])
  const block = ['first', 'second', 'third'].map((id) => trade(id, 3))
  expect(mergeTrades(known, block).map(({ id }) => id)).toEqual(['third', 'second', 'first', 'b', 'a'])
  const many = Array.from({ length: 40 }, (_, index) => trade(String(index), index))
  expect(mergeTrades([], many)).toHaveLength(30)
  expect(mergeTrades([], many)[0]?.id).toBe('39')
})

it('drops trades that a reorganisation has undone, and keeps those of a block of the same second', () => {
  const known = [trade('undone', 4), trade('moved', 3), trade('stays', 2), trade('old', 1)]
  const anew = [trade('old', 1), trade('stays', 2), trade('moved', 5)]
  expect(mergeTrades(known, anew).map(({ id }) => id)).toEqual(['moved', 'stays', 'old'])
  expect(mergeTrades(known, [trade('next', 4)]).map(({ id }) => id)).toEqual([
    'next',
    'undone',
    'moved',
    'stays',
    'old',
  ])
})
