import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from './json.ts'

const parse = (text: string) => parseJson(Buffer.from(text, 'utf8'))

describe('numbers', () => {
  it.each([
    ['0', 0],
    ['7', 7],
    ['-7', -7],
    ['999999999999999', 999_999_999_999_999],
    ['1000000000000000', '1000000000000000'],
    ['-0', '-0'],
    ['1.0', '1.0'],
    ['0.1', '0.1'],
    ['1e3', '1e3'],
    ['1E+2', '1E+2'],
    ['123456789012345678901234567890.123456789', '123456789012345678901234567890.123456789'],
  ])('%s becomes %j', (literal, value) => {
    expect(parse(`{"a":${literal}}`)).toEqual({ a: value })
    expect(parse(`[{"b":[ ${literal} ]}]`)).toEqual([{ b: [value] }])
    expect(parse(literal)).toBe(value)
  })

  it('never changes the digits of any decimal literal', () => {
    const digits = fc.stringMatching(/^(0|[1-9]\d{0,40})(\.\d{1,40})?$/)
    fc.assert(
      fc.property(digits, fc.boolean(), (literal, negative) => {
        const sent = negative ? `-${literal}` : literal
        const { amount } = parse(`{"amount": ${sent} }`) as { amount: string | number }
        expect(String(amount)).toBe(sent)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('text', () => {
  it('reads any JSON value as JSON.parse does, numbers apart', () => {
    const plain = fc
      .jsonValue({ maxDepth: 4 })
      .map((value) => JSON.stringify(value, (_, v) => (typeof v === 'number' ? 1 : v)))
    const safe = plain.filter((text) => !/\\u0000|\\ud[89a-f]|"(__proto__|constructor|prototype)":/i.test(text))
    fc.assert(
      fc.property(safe, (text) => {
        expect(parse(text)).toEqual(JSON.parse(text))
      }),
      { numRuns: 2000 },
    )
  })

  it('keeps numbers, braces, commas and quotes inside strings', () => {
    const value = { 'a,"b': '{"a":1.5,"a":2}', c: '\\"', d: '1.50', 'e\\': ['"', '\\\\', ',1.0'] }
    expect(parse(JSON.stringify(value))).toEqual(value)
  })
})

describe('refuses', () => {
  it.each([
    ['{"a":1,"a":1}', 'field "a" is given twice'],
    ['{"a":1,"a":2}', 'field "a" is given twice'],
    ['{"a":{"b":1},"c":[{"d":1,"\\u0064":2}]}', 'field "d" is given twice'],
    ['{"a":1,"b":{"a":1},"a":3}', 'field "a" is given twice'],
    ['{"__proto__":{"x":1}}', 'unknown field __proto__'],
    ['{"\\u005f_proto__":1}', 'unknown field __proto__'],
    ['{"a":{"constructor":1}}', 'unknown field constructor'],
    ['{"a":{"prototype":1}}', 'unknown field prototype'],
    ['\uFEFF{}', 'byte order mark'],
    ['{"a":"\\u0000"}', 'U+0000'],
    ['{"a":"\\ud800"}', 'unpaired surrogate'],
    ['{"a":1,}', 'not valid JSON'],
    ["{'a':1}", 'not valid JSON'],
    ['{"a":01}', 'not valid JSON'],
    ['{"a":NaN}', 'not valid JSON'],
    ['{"a":1} x', 'not valid JSON'],
    ['{"a":"\n"}', 'not valid JSON'],
    [' ', 'not valid JSON'],
    [`${'['.repeat(17)}${']'.repeat(17)}`, 'deeper than 16'],
    [`${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}`, 'deeper than 16'],
  ])('%#: %s', (text, problem) => {
    expect(() => parse(text)).toThrow(problem)
  })

  it('bytes that are not UTF-8', () => {
    expect(() => parseJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow('not valid UTF-8')
    expect(() => parseJson(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))).toThrow('not valid UTF-8')
  })

  it('every repeated key, wherever it stands', () => {
    const keys = fc.uniqueArray(fc.stringMatching(/^[a-z"\\ ]{1,6}$/), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(keys, fc.nat(), (names, pick) => {
        const repeated = [...names, names[pick % names.length] ?? '']
        const text = `{${repeated.map((name) => `${JSON.stringify(name)}:1`).join(',')}}`
        expect(() => parse(text)).toThrow('is given twice')
      }),
    )
  })
})
