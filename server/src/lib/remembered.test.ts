import { expect, it, vi } from 'vitest'
import { remembered } from './remembered.ts'

it('works out each text once, and again once too many others came', () => {
  const of = vi.fn((text: string) => ({ text }))
  const known = remembered(of, 2)
  expect(known('a')).toBe(known('a'))
  expect(of).toHaveBeenCalledTimes(1)
  known('b')
  known('c')
  expect(known('a')).toEqual({ text: 'a' })
  expect(of).toHaveBeenCalledTimes(4)
})

it('remembers no long text, and nothing of what it throws', () => {
  const of = vi.fn((text: string) => {
    if (text === 'bad') throw new Error('bad')
    return text.length
  })
  const known = remembered(of, 10)
  const long = 'x'.repeat(513)
  for (const text of [long, long]) expect(known(text)).toBe(513)
  for (const text of ['bad', 'bad']) expect(() => known(text)).toThrow('bad')
  expect(of).toHaveBeenCalledTimes(4)
})
