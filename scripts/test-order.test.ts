import { describe, expect, it } from 'vitest'
import { spread } from './test-order.ts'

describe('files that wait', () => {
  it('come apart from each other among those that compute', () => {
    expect(spread(['a', 'b', 'c'], [1, 2, 3, 4, 5, 6, 7].map(String))).toEqual('a 1 2 3 b 4 5 6 c 7'.split(' '))
  })

  it('are all there where the others are few, and so are the others where none waits', () => {
    expect(spread(['a', 'b', 'c'], ['1'])).toEqual(['a', '1', 'b', 'c'])
    expect(spread([], ['1', '2'])).toEqual(['1', '2'])
  })
})
