import ccxt from 'ccxt'
import { describe, expect, it } from 'vitest'
import { type Answers, documented, offline, type Reply } from './exchange.ts'

// What a send comes to when answers are lost or say that nothing is known.

const SYMBOL = 'BTC/USDC:USDC'
const HASH = '0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b'
const sent = (status: string, failure: string | null = null): Reply => ({
  body: { code: 0, msg: '', data: { txHash: HASH, sendId: 's', status, failure } },
})
const refusal = (status: number, code: number, reason: string, msg = reason): Reply => ({
  status,
  headers: { 'x-error-reason': reason },
  body: { code, msg, data: {} },
})

/** Answers to sends in their order, the last one for good; everything else as the reference has it. */
const sending = (...replies: (Reply | Error)[]): Answers => {
  let next = 0
  return ({ method, target }) => {
    if (method === 'POST') return replies[Math.min(next++, replies.length - 1)] as Reply
    return documented('perp-openapi.json', method, target.split('?')[0] ?? '')
  }
}

const buy = (exchange: ReturnType<typeof offline>['exchange'], params = {}) =>
  exchange.createOrder(SYMBOL, 'market', 'buy', 0.01, undefined, params)

describe('a send of which nobody knows', () => {
  const UNKNOWN = [
    ['the connection was reset', new TypeError('fetch failed')],
    ['no answer came in time', Object.assign(new Error('aborted'), { name: 'AbortError' })],
    ['something else failed', new Error('unforeseen')],
    ['a proxy answered', { status: 502, body: '<html>' }],
    ['the venue does not know', refusal(500, 50_001, 'internal_error')],
    ['the node does not know', refusal(500, 50_001, 'transaction_unknown')],
    ['the answer is none', { body: 'ok' }],
    ['the answer has no sense', { body: '{"code":' }],
  ] as const
  it.each(UNKNOWN)('since %s, is a RequestTimeout that tells to repeat it under its key', async (_why, reply) => {
    const { exchange, asked } = offline(sending(reply as Reply), { options: { maxRetriesOnFailure: 3 } })
    const error = await buy(exchange, { clientOrderId: 'mine' }).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(ccxt.RequestTimeout)
    expect(error.message).toMatch(/not known whether createOrder .* params\.clientOrderId 'mine'/)
    expect(error.clientOrderId).toBe('mine')
    // Whether to ask again is the caller's to say.
    expect(asked.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })

  it('is repeated with the same text under the same key, and then is one order', async () => {
    const { exchange, asked } = offline(sending(new TypeError('fetch failed'), sent('Confirmed')))
    const error = await buy(exchange).catch((thrown) => thrown)
    await buy(exchange, { clientOrderId: error.clientOrderId })
    const posts = asked.filter(({ method }) => method === 'POST')
    expect(posts.map(({ body }) => body)).toEqual([posts[0]?.body, posts[0]?.body])
    expect(posts.map(({ headers }) => headers['Idempotency-Key'])).toEqual([error.clientOrderId, error.clientOrderId])
  })

  it('has a key of its own where none is given', async () => {
    const { exchange, asked } = offline(sending(sent('Confirmed')))
    await buy(exchange)
    await buy(exchange)
    const keys = asked.flatMap(({ headers, method }) => (method === 'POST' ? [headers['Idempotency-Key']] : []))
    expect(new Set(keys).size).toBe(2)
    expect(keys.every((key) => (key ?? '').length >= 32)).toBe(true)
  })

  it('that is not mined in time is one, too', async () => {
    const { exchange } = offline(sending(sent('Pending')))
    await expect(buy(exchange)).rejects.toThrow(/not known .* is not mined yet/)
  })
})

describe('a send that is under way', () => {
  it('is asked for under its key until it is mined, whatever is answered meanwhile', async () => {
    const { exchange, asked } = offline(
      sending(sent('Pending'), new TypeError('reset'), refusal(429, 42_901, 'rate_limited'), sent('Confirmed')),
    )
    await buy(exchange, { clientOrderId: 'mine' })
    const posts = asked.filter(({ method }) => method === 'POST')
    expect(posts).toHaveLength(4)
    expect(new Set(posts.map(({ headers, body }) => `${headers['Idempotency-Key']} ${body}`)).size).toBe(1)
  })

  const FAILED = [
    ['InsufficientReserve', ccxt.InsufficientFunds],
    ['TradeSlippage', ccxt.OrderNotFillable],
    ['anything else', ccxt.InvalidOrder],
  ] as const
  it.each(FAILED)('and fails by %s throws what that means', async (failure, error) => {
    const { exchange } = offline(sending(sent('Pending'), sent('Failed', failure)))
    await expect(buy(exchange)).rejects.toThrow(error)
  })
})

describe('a refusal', () => {
  const REFUSALS = [
    [refusal(429, 42_901, 'rate_limited'), ccxt.RateLimitExceeded],
    [refusal(500, 50_001, 'sends_overloaded'), ccxt.ExchangeNotAvailable],
    [refusal(500, 50_001, 'perp_chain_unreachable'), ccxt.ExchangeNotAvailable],
    [refusal(400, 40_302, 'delegation_not_enabled'), ccxt.AccountNotEnabled],
    [refusal(400, 40_301, 'permission_missing'), ccxt.PermissionDenied],
    [refusal(422, 42_201, 'idempotency_key_reused'), ccxt.DuplicateOrderId],
    [refusal(400, 40_401, 'perp_order_not_open'), ccxt.OrderNotFound],
    [refusal(400, 40_001, 'amount_invalid'), ccxt.InvalidOrder],
    [refusal(400, 40_003, 'a_new_reason'), ccxt.OperationRejected],
    [
      refusal(400, 40_003, 'would_revert', 'the transaction would revert: InsufficientReserve. More.'),
      ccxt.InsufficientFunds,
    ],
    [refusal(400, 40_003, 'would_revert', 'the transaction would revert: OrderOccupied. More.'), ccxt.InvalidOrder],
  ] as const
  it.each(REFUSALS)('%o says that nothing was done', async (reply, expected) => {
    const { exchange } = offline(sending(reply))
    const error = await buy(exchange).catch((thrown) => thrown)
    expect(error.constructor).toBe(expected)
    expect(error.message).not.toMatch(/not known/)
  })

  it('of an authentication has no reason', async () => {
    const { exchange } = offline(sending({ status: 401, body: { code: 40_101, msg: 'unauthenticated', data: {} } }))
    await expect(buy(exchange)).rejects.toThrow(ccxt.AuthenticationError)
  })

  it('before anything is sent is no unknown outcome', async () => {
    const { exchange } = offline(sending(sent('Confirmed')), { secret: undefined })
    await expect(buy(exchange)).rejects.toThrow(ccxt.AuthenticationError)
    const { exchange: chainless } = offline(sending(sent('Confirmed')), { options: { chainId: undefined } })
    await expect(buy(chainless)).rejects.toThrow(ccxt.ArgumentsRequired)
  })
})
