import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { parseQuery } from './query.ts'

const schema = Type.Object({ page: Type.Integer(), symbol: Type.String() })
const read = (raw: string) => ({ ...parseQuery(raw, schema) })

describe('parseQuery', () => {
  it.each([
    ['', {}],
    ['page=1&symbol=10', { page: 1, symbol: '10' }],
    ['page=-3', { page: -3 }],
    ['page=1.0', { page: '1.0' }],
    ['page=1e3', { page: '1e3' }],
    ['page=', { page: '' }],
    ['page', { page: '' }],
    ['page=9999999999999999', { page: '9999999999999999' }],
    ['symbol=a%20b+c%3D', { symbol: 'a b c=' }],
    ['symbol=a=b', { symbol: 'a=b' }],
    ['&page=1&', { page: 1 }],
    ['other=1', { other: '1' }],
  ])('%j', (raw, query) => {
    expect(read(raw)).toEqual(query)
  })

  it('keeps a name that means something to JavaScript an ordinary name', () => {
    expect(Object.keys(parseQuery('__proto__=1', schema))).toEqual(['__proto__'])
  })

  it.each([
    ['page=1&page=1', '"page" is given twice'],
    ['page=1&p%61ge=2', '"page" is given twice'],
    ['__proto__=1&__proto__=2', '"__proto__" is given twice'],
    ['symbol=%', 'broken percent-encoding'],
    ['symbol=%ff', 'broken percent-encoding'],
    ['symbol=%00', 'U+0000'],
  ])('refuses %j', (raw, problem) => {
    expect(() => parseQuery(raw, schema)).toThrow(problem)
  })
})
