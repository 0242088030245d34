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
