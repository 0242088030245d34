import { describe, expect, it } from 'vitest'
import { worthOf } from './worth.ts'

describe('what positions are worth together', () => {
  it('is their sum, and nothing is 0', () => {
    expect(worthOf([{ marketValue: '1.5' }, { marketValue: '2.25' }])).toBe('3.75')
    expect(worthOf([])).toBe('0')
  })

  it('is not known where one has no quote: it is not worth nothing', () => {
    expect(worthOf([{ marketValue: '1.5' }, { marketValue: null }, { marketValue: '2' }])).toBeNull()
  })
})
