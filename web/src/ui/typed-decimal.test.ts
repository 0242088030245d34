import { describe, expect, it } from 'vitest'
import { type Keyboard, readings, type Typed, typedText } from './typed-decimal.ts'

const DESK: Keyboard = { commaIsPoint: false, isPhone: false }
const PHONE: Keyboard = { commaIsPoint: false, isPhone: true }
const GERMAN: Keyboard = { commaIsPoint: true, isPhone: false }
const GERMAN_PHONE: Keyboard = { commaIsPoint: true, isPhone: true }

const put = (data: string | null, inputType = 'insertText') => ({ data, inputType })

/** Key by key, at the end of what the field shows. */
function type(keys: string, keyboard: Keyboard, held: Typed | null = null): Typed {
  let typed: Typed = held ?? { shown: '', value: '', sign: null }
  for (const key of keys) typed = typedText(typed.shown + key, put(key), typed, keyboard)
  return typed
}

const paste = (text: string, keyboard: Keyboard): string =>
  typedText(text, put(null, 'insertFromPaste'), null, keyboard).value

const OF = (shown: string, value = shown) => expect.objectContaining({ shown, value })

describe('a comma that is typed', () => {
  it.each([
    ['0,5', '0.5'],
    ['0,500', '0.500'],
    ['1,25', '1.25'],
    ['1,2500', '1.2500'],
  ])('%s is a decimal on a phone', (keys, value) => {
    expect(type(keys, PHONE)).toEqual(OF(value))
  })

  it.each(['91,000', '25,000', '1,250', '1,234,567', '1,234.5', '1,0,0'])('%s is none on a phone', (keys) => {
    const { value } = type(keys, PHONE)
    expect(value).toContain(',')
  })

  it('parts thousands at a desk whose language has it so', () => {
    expect(type('0,5', DESK)).toEqual(OF('0,5'))
    expect(type('91,000', DESK)).toEqual(OF('91,000'))
  })

  it.each([GERMAN, GERMAN_PHONE])('is the point of a language that writes it so: %j', (keyboard) => {
    expect(type('0,5', keyboard)).toEqual(OF('0.5'))
    expect(type('1,250', keyboard)).toEqual(OF('1.250'))
  })
})

describe('a point that is typed', () => {
  it.each([
    ['0.500', DESK],
    ['1.250', DESK],
    ['1.250', PHONE],
    ['0.500', GERMAN],
    ['1.25', GERMAN],
    ['1.2500', GERMAN_PHONE],
    ['0.500', GERMAN_PHONE],
  ])('%s is a decimal: %j', (keys, keyboard) => {
    expect(type(keys, keyboard)).toEqual(OF(keys))
  })

  it.each([GERMAN, GERMAN_PHONE])('is none where it may part thousands by the language: %j', (keyboard) => {
    expect(type('91.000', keyboard)).toEqual(OF('91.000', '91,000'))
    expect(type('1.250', keyboard)).toEqual(OF('1.250', '1,250'))
    expect(type('0', keyboard, type('1.250', keyboard))).toEqual(OF('1.2500'))
    expect(paste('91.000', keyboard)).toBe('91,000')
  })

  it('is left to whoever put it there: a price of the market may be changed by a digit', () => {
    const price = { shown: '190.12', value: '190.12', sign: null }
    expect(type('5', GERMAN, price)).toEqual(OF('190.125'))
  })
})

it('takes a pasted comma for nothing', () => {
  expect([PHONE, DESK, GERMAN].map((keyboard) => paste('1,25', keyboard))).toEqual(['1,25', '1,25', '1,25'])
})

it('tells both numbers that are possible', () => {
  expect(readings('91,000')).toEqual(['91000', '91.0000'])
  expect(readings('91.000')).toBeNull()
})
