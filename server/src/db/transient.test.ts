import { describe, expect, it } from 'vitest'
import { isTransientDatabaseError } from './transient.ts'

const withCode = (code: unknown) => Object.assign(new Error('failed'), { code })

describe('failures of the database', () => {
  it.each([
    'CONNECTION_CLOSED',
    'CONNECTION_DESTROYED',
    'CONNECT_TIMEOUT',
    'ECONNRESET',
    'EPIPE',
    'EHOSTUNREACH',
    'EAI_AGAIN',
    '08006',
    '40P01',
    '40001',
    '53300',
    '55P03',
    '57P01',
    '57014',
    '25006',
    '25P03',
    '58030',
  ])('that may pass: %s', (code) => expect(isTransientDatabaseError(withCode(code))).toBe(true))

  it.each(['23505', '22003', '42P01', '55000', '25P02', 'UNDEFINED_VALUE', 'ERR_INVALID_ARG_TYPE', 3, undefined])(
    'that will not: %s',
    (code) => expect(isTransientDatabaseError(withCode(code))).toBe(false),
  )

  it('are no other errors', () => {
    expect(isTransientDatabaseError(new TypeError('x is not a function'))).toBe(false)
    expect(isTransientDatabaseError({ code: '40001' })).toBe(false)
  })
})
