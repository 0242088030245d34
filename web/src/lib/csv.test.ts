import { describe, expect, it } from 'vitest'
import { csvOf } from './csv.ts'

describe('csvOf', () => {
  it('quotes what has commas, quotes or line breaks', () => {
    expect(
      csvOf(
        ['a', 'b'],
        [
          ['1,5', 'say "hi"'],
          ['two\nlines', null],
        ],
      ),
    ).toBe('a,b\r\n"1,5","say ""hi"""\r\n"two\nlines",')
  })

  it('keeps negative numbers and disarms formulas', () => {
    expect(csvOf(['x'], [['-1.5'], ['=1+1'], ['-cmd']])).toBe("x\r\n-1.5\r\n'=1+1\r\n'-cmd")
  })

  it('keeps what begins like a negative number for one only where nothing follows', () => {
    const rows = [['-2+3'], ["-2+3+cmd|' /C calc'!A0"], ['-7,=1'], ['-1.5e3'], [-7], ['-0.000000000000000001']]
    expect(csvOf(['x'], rows)).toBe(
      ['x', "'-2+3", "'-2+3+cmd|' /C calc'!A0", `"'-7,=1"`, "'-1.5e3", '-7', '-0.000000000000000001'].join('\r\n'),
    )
  })
})
