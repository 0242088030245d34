import { describe, expect, it } from 'vitest'
import { AppError, defineReasons, type ErrorKind } from '../lib/errors.ts'
import { STOCK_FAILURES, stockEnvelope } from './envelope.ts'

const expected: [kind: ErrorKind, httpStatus: number, code: number][] = [
  ['unauthenticated', 400, 401],
  ['invalid', 400, 10000],
  ['not_found', 400, 10001],
  ['forbidden', 400, 10002],
  ['conflict', 400, 10002],
  ['key_reused', 422, 10002],
  ['upstream', 400, 10003],
  ['rate_limited', 429, 429],
  ['unavailable', 503, 500],
  ['internal', 500, 500],
]

function reasonOf(kind: ErrorKind) {
  return defineReasons({ some_reason: { kind, retryable: false, doc: 'A reason.' } }).some_reason
}

describe('stockEnvelope', () => {
  it('puts a payload into the five fields', () => {
    const text = stockEnvelope.success('an-id', 1_700_000_000_000).join('{"symbol":"AAPL","price":1.10}')
    expect(text).toBe('{"code":200,"errMsg":"","data":{"symbol":"AAPL","price":1.10},"uuid":"an-id","t":1700000000000}')
  })

  it.each(expected)('%s is HTTP %d with code %d', (kind, httpStatus, code) => {
    const answer = stockEnvelope.failure(new AppError(reasonOf(kind), 'what and why'), 'an-id', 5)
    expect(answer.httpStatus).toBe(httpStatus)
    expect(answer.body).toBe(`{"code":${code},"errMsg":"what and why","data":null,"uuid":"an-id","t":5}`)
  })

  it('names every kind', () => {
    expect(Object.keys(STOCK_FAILURES).sort()).toEqual(expected.map(([kind]) => kind).sort())
  })

  it('carries detail, and exact integers as text', () => {
    const detail = { error: 'InsufficientBalanceWad', args: [2n ** 100n] }
    const { body } = stockEnvelope.failure(new AppError(reasonOf('upstream'), 'reverted', { detail }), 'an-id', 5)
    expect(JSON.parse(body).data).toEqual({
      error: 'InsufficientBalanceWad',
      args: ['1267650600228229401496703205376'],
    })
  })
})
