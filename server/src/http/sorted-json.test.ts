import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sortedJson } from './sorted-json.ts'

const sorted = (text: string, levels?: number) => sortedJson(Buffer.from(text), levels)?.toString() ?? null

describe('the sorted form of a body', () => {
  it.each([
    ['{"z":3,"a":1,"m":2}', '{"a":1,"m":2,"z":3}'],
    [' { "b" : [ 1 , { "d":1, "c" : 2 } ] , "a" : null } ', '{"a":null,"b":[1,{"c":2,"d":1}]}'],
    ['{"price":1.10,"size":"0.010","n":1E2}', '{"n":1E2,"price":1.10,"size":"0.010"}'],
    ['{"b":"a, {b}: \\"c\\" \\\\","a":""}', '{"a":"","b":"a, {b}: \\"c\\" \\\\"}'],
    ['{"\\u0062":1,"a":"\\u00e9"}', '{"a":"\\u00e9","\\u0062":1}'],
    ['{"a":2,"a":1}', '{"a":2,"a":1}'],
    ['[]', '[]'],
    ['{}', '{}'],
    ['"text"', '"text"'],
    ['-0.0', '-0.0'],
  ])('of %s is %s', (text, form) => {
    expect(sorted(text)).toBe(form)
  })

  it.each(['', '{', '{"a":1}}', 'nul', "{'a':1}", `${'['.repeat(17)}${']'.repeat(17)}`])('of %s is none', (text) => {
    expect(sorted(text)).toBeNull()
  })

  it.each([
    [' { "b" : [ 1 , { "d":1, "c" : 2 } ] , "a" : {"z":1, "y":2} } ', '{"a":{"z":1,"y":2},"b":[1,{"d":1,"c":2}]}'],
    [
      '{"\\u0062":{"n":1E2},"a":{"price":1.10,"a":"\\u00e9"}}',
      '{"a":{"price":1.10,"a":"\\u00e9"},"\\u0062":{"n":1E2}}',
    ],
    ['{"b":1,"a":{"d":2,"c":1},"a":{"d":1}}', '{"a":{"d":2,"c":1},"a":{"d":1},"b":1}'],
    ['[{"b":1,"a":2}]', '[{"b":1,"a":2}]'],
  ])('of %s, at the first level alone, is %s', (text, form) => {
    expect(sorted(text, 1)).toBe(form)
  })

  it('is what sorting the values gives, however the body is spelled', () => {
    const order = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(order)
      if (value === null || typeof value !== 'object') return value
      const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      return new Map(entries.map(([key, inner]) => [key, order(inner)]))
    }
    const write = (value: unknown): string => {
      if (value instanceof Map)
        return `{${[...value].map(([key, inner]) => `${JSON.stringify(key)}:${write(inner)}`).join(',')}}`
      return Array.isArray(value) ? `[${value.map(write).join(',')}]` : JSON.stringify(value)
    }
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.nat(3), (value, indent) => {
        expect(sorted(JSON.stringify(value, null, indent))).toBe(write(order(JSON.parse(JSON.stringify(value)))))
      }),
    )
  })
})
