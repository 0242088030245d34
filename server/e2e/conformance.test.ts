import { Check } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Auth } from '../src/auth/auth.ts'
import { loadValues } from '../src/config.ts'
import { openSendDesk } from '../src/delegation/send-desk.ts'
import type { OpenApiDocument } from '../src/http/openapi.ts'
import type { Route, Venue as StockVenue } from '../src/http/product.ts'
import { stock } from '../src/stock/index.ts'
import { AnswerRecord, answersWithBrokenPart } from './answer-record.ts'
import { buildFailures } from './build-failures.ts'
import type { ApiKey } from './client.ts'
import { OneClickUser } from './one-click-user.ts'
import { type RawAnswer, RawClient, type RawRequest } from './raw-client.ts'
import {
  failures,
  get,
  IDEMPOTENCY_KEY,
  type Known,
  oneClickRequests,
  post,
  remove,
  successfulRequests,
} from './requests.ts'
import { Rows } from './rows.ts'
import { Trader } from './trader.ts'
import { startVenue, type Venue } from './venue.ts'

const CHAIN_ID = 31_337

// A test sends hundreds of requests and looks at every table after each.
vi.setConfig({ testTimeout: 1_800_000 })

let venue: Venue
let rows: Rows
let client: RawClient
let reader: RawClient
let unbound: RawClient
let routes: readonly Route[]
let successes: readonly RawRequest[]
let known: Known
const record = new AnswerRecord()

beforeAll(async () => {
  venue = await startVenue()
  rows = new Rows(venue.databaseUrl)
  const user = venue.accounts[0]?.address ?? ''
  const key = await venue.createKey({ access: 'WRITABLE', user, ips: ['127.0.0.1', '127.0.0.11'] })
  client = rawClient(key, '127.0.0.11')
  reader = rawClient(await venue.createKey({ access: 'READ_ONLY', ips: ['127.0.0.12'] }), '127.0.0.12')
  unbound = rawClient(await venue.createKey({ access: 'WRITABLE', ips: ['127.0.0.13'] }), '127.0.0.13')
  // Only the shapes are needed; nothing is asked of this venue.
  const deployment = { chainId: CHAIN_ID, startBlock: 0n, contracts: venue.contracts }
  const shapes = { deployment } as StockVenue
  const served = stock.open(shapes, loadValues({})).serve({ auth: {} as Auth, desk: openSendDesk(shapes) })
  // Sessions are a wallet's, not a key's: server/src/stock/routes/session.test.ts.
  routes = served.routes.filter(({ path }) => !path.startsWith('/api/v1/session'))

  const trader = new Trader(venue, venue.client.as(key), 0)
  await trader.fund(10_000n)
  const deposit = await trader.cash('deposits', '2000')
  const withdrawal = await trader.cash('withdrawals', '100')
  const orderTx = await trader.place({ side: 'Buy', notional: '100' })
  const limitTx = await trader.placeLimit('Buy', '2', '10')
  const cancelTx = await trader.placeLimit('Buy', '1', '10')
  const filled = await untilIndexed(trader, orderTx, 'historyOrder')
  const stockWithdrawal = await trader.stock('withdrawals', '0.02')
  const stockDeposit = await trader.stock('deposits', '0.01')
  const oneClick = new OneClickUser(trader)
  await oneClick.enable()
  const sent = await oneClick.send('cash/withdrawals/send', { tokenAddress: venue.contracts.USDC, tokenAmount: '1' })
  await oneClick.untilMined(sent)
  known = {
    contracts: venue.contracts,
    user,
    order: filled.orderId ?? '',
    limitOrder: (await untilIndexed(trader, limitTx, 'openOrder')).orderId ?? '',
    orderToCancel: (await untilIndexed(trader, cancelTx, 'openOrder')).orderId ?? '',
    enabling: await oneClick.consent(),
    orderTx,
    send: sent.id,
    deposit: deposit.operationId ?? '',
    depositTx: deposit.txHash,
    withdrawal: withdrawal.operationId ?? '',
    withdrawalTx: withdrawal.txHash,
    stockDeposit: stockDeposit.operationId ?? '',
    stockDepositTx: stockDeposit.txHash,
    stockWithdrawal: stockWithdrawal.operationId ?? '',
    stockWithdrawalTx: stockWithdrawal.txHash,
  }
  successes = [...successfulRequests(known), ...oneClickRequests(known)]
})
afterAll(async () => {
  for (const one of [client, reader, unbound]) one?.close()
  await rows?.close()
  await venue?.stop()
})

async function untilIndexed(trader: Trader, txHash: `0x${string}`, as: 'openOrder' | 'historyOrder') {
  for (;;) {
    const order = await trader.order(txHash)
    if (order[as]) return order
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

const rawClient = (key: ApiKey, localAddress: string) =>
  new RawClient({
    baseUrl: venue.baseUrls[0] ?? '',
    chainId: CHAIN_ID,
    productType: 'Bourse',
    key,
    localAddress,
    onAnswer: record.note,
  })

/** The operation that a request is for: of two that fit, the one without a parameter there. */
function routeOf({ method, path }: RawRequest): Route {
  const parts = (path.split('?')[0] ?? '').split('/')
  const fits = routes.filter((route) => {
    const pattern = route.path.split('/')
    return (
      route.method === method &&
      pattern.length === parts.length &&
      pattern.every((part, index) => part.startsWith(':') || part === parts[index])
    )
  })
  const [best] = fits.sort((a, b) => a.path.split(':').length - b.path.split(':').length)
  if (!best) throw new Error(`no operation for ${method} ${path}`)
  return best
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

function expectEnvelope(answer: RawAnswer, code: number): void {
  expect(Object.keys(answer.body).sort()).toEqual(['code', 'data', 'errMsg', 't', 'uuid'])
  expect(answer.body).toMatchObject({ code, uuid: expect.stringMatching(UUID), t: expect.any(Number) })
  expect(answer.headers['x-request-id']).toBe(answer.body.uuid)
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(answer.headers['ratelimit-limit']).toBe('1200')
  expect(Number(answer.headers['ratelimit-remaining'])).toBeLessThan(1200)
  expect(Number(answer.headers['ratelimit-reset'])).toBeGreaterThan(0)
}

function expectSuccess(request: RawRequest, answer: RawAnswer): void {
  expect([answer.status, answer.body?.errMsg], `${request.method} ${request.path}`).toEqual([200, ''])
  expectEnvelope(answer, 200)
  expect(Check(routeOf(request).schema.data, answer.body.data), `${request.path}: ${answer.text}`).toBe(true)
}

/** Sends, expects this failure, and that no row has changed. */
async function expectFailure(request: RawRequest, code: number, reason: string, message: RegExp, by = client) {
  const before = await rows.digest()
  const answer = await by.signed(request)
  expect([answer.status, answer.body?.code, answer.body?.errMsg]).toEqual([400, code, expect.stringMatching(message)])
  expect(answer.headers['x-error-reason']).toBe(reason)
  expectEnvelope(answer, code)
  expect(await rows.digest()).toEqual(before)
}

/** The one answer to every authentication failure. */
function expectUnauthorized(answer: RawAnswer): void {
  expect([answer.status, answer.body?.code, answer.body?.errMsg, answer.body?.data]).toEqual([
    400,
    401,
    'Unauthorized',
    null,
  ])
  expect(answer.headers['x-error-reason']).toBeUndefined()
  expectEnvelope(answer, 401)
}

describe('every operation', () => {
  it('succeeds, in the shape that its schema documents', async () => {
    for (const request of successes) expectSuccess(request, await client.signed(request))
    expect(new Set(successes.map((request) => routeOf(request).path)).size).toBe(
      new Set(routes.map(({ path }) => path)).size,
    )
    expect(routes).toHaveLength(51)
    // What was sent is still on its way through chain, keeper and broker.
    await rows.untilQuiet(true)
  })

  it('is open to a READ_ONLY key exactly when it is a GET; the refusal says nothing', async () => {
    const before = await rows.digest()
    for (const request of successes) {
      const answer = await reader.signed(request)
      if (request.method !== 'GET') expectUnauthorized(answer)
      // This key has recorded and sent nothing.
      else if (/^\/api\/v1\/(orders\/tx|sends)\//.test(request.path)) expect(answer.body.code).toBe(10_001)
      // It is bound to no wallet.
      else if (request.path === '/api/v1/1ct/status') expect(answer.body.code).toBe(10_002)
      else expectSuccess(request, answer)
    }
    expect(await rows.digest()).toEqual(before)
  })

  it('refuses a wrong signature, a wrong chain and a wrong product with one answer', async () => {
    const before = await rows.digest()
    for (const request of successes) {
      for (const headers of [{ 'x-api-sign': '00'.repeat(32) }, { 'x-api-chain-id': '1' }, { 'x-api-p': 'bourse' }]) {
        expectUnauthorized(await client.signed({ ...request, headers }))
      }
      // Whoever says nothing of a key may ask for what is open to everybody.
      if (routeOf(request).access === 'OPEN') expectSuccess(request, await client.send(request))
      else expectUnauthorized(await client.send(request))
      expectUnauthorized(await unboundFromElsewhere(request))
    }
    expect(await rows.digest()).toEqual(before)
  })

  it('refuses parameters that it does not know', async () => {
    for (const request of successes.filter(({ path }) => !path.includes('?'))) {
      await expectFailure(
        { ...request, path: `${request.path}?colour=red` },
        10_000,
        'request_invalid',
        /unknown parameter colour/,
      )
    }
  })

  it('that takes a body refuses none, an unknown field, and what is no JSON object', async () => {
    const taking = successes.filter((request) => routeOf(request).schema.body !== undefined)
    for (const { method, path, body } of taking) {
      await expectFailure({ method, path }, 10_000, 'request_invalid', /body/)
      await expectFailure({ method, path, body: '[]' }, 10_000, 'request_invalid', /the body must be a JSON object/)
      await expectFailure({ method, path, body: '{"a":' }, 10_000, 'request_invalid', /not valid JSON/)
      const extended = JSON.stringify({ ...JSON.parse(String(body)), colour: 'red' })
      await expectFailure({ method, path, body: extended }, 10_000, 'request_invalid', /unknown field colour/)
    }
  })
})

const unboundFromElsewhere = async (request: RawRequest) => {
  const headers = unbound.sign(request)
  return client.send({ ...request, headers: { ...headers, 'content-type': 'application/json' } })
}

describe('each failure has its own message and changes nothing', () => {
  it.each([...failures, ...buildFailures])('%i %s %s', async (code, reason, message, request) => {
    await expectFailure(request(known), code, reason, message)
  })

  it('cancelling an order that belongs to another key', async () => {
    const request = remove(`/orders/${known.limitOrder}/calldata`)
    await expectFailure(request, 10_002, 'order_not_owned', /does not belong to this API key/, unbound)
  })

  it('recording another wallet’s transaction, or one that an unbound key did not build', async () => {
    const user = venue.accounts[1]?.address ?? ''
    const stranger = rawClient(await venue.createKey({ access: 'WRITABLE', user, ips: ['127.0.0.14'] }), '127.0.0.14')
    const transactions = {
      'orders/tx': known.orderTx,
      'cash/deposits/tx': known.depositTx,
      'cash/withdrawals/tx': known.withdrawalTx,
      'stock/deposits/tx': known.stockDepositTx,
      'stock/withdrawals/tx': known.stockWithdrawalTx,
    }
    for (const [path, txHash] of Object.entries(transactions)) {
      const request = post(`/${path}`, { txHash })
      await expectFailure(request, 10_002, 'transaction_of_other_user', /made by another wallet/, stranger)
      await expectFailure(request, 10_002, 'transaction_of_other_user', /did not build the calldata/, unbound)
      const same = rawClient(
        await venue.createKey({ access: 'WRITABLE', user: venue.accounts[0]?.address ?? '', ips: ['127.0.0.15'] }),
        '127.0.0.15',
      )
      await expectFailure(request, 10_002, 'transaction_of_other_key', /recorded by another API key/, same)
      same.close()
    }
    stranger.close()
  })
})

it('an Idempotency-Key that was used for another request is refused by every operation that takes one', async () => {
  const writes = successes.filter(({ path, headers }) => /\/(send|enable|disable|tx)(\?|$)/.test(path) && !headers)
  // Cancel-all takes none: a cancel that is under way keeps out a second.
  const taking = writes.filter(({ method, path }) => method !== 'GET' && !path.startsWith('/api/v1/orders/send?'))
  for (const request of taking) {
    const before = await rows.digest()
    const answer = await client.signed({ ...request, headers: { 'idempotency-key': IDEMPOTENCY_KEY } })
    expect([answer.status, answer.body.code, answer.headers['x-error-reason']]).toEqual([
      ...[422, 10_002, 'idempotency_key_reused'],
    ])
    expect(await rows.digest()).toEqual(before)
  }
  const [first] = oneClickRequests(known).filter(({ headers }) => headers !== undefined) as [RawRequest]
  const other = { ...first, body: String(first.body).replace('10.5', '10.6') }
  expect((await client.signed(other)).status).toBe(422)
  const replay = await client.signed(first)
  expect([replay.status, replay.headers['idempotent-replayed']]).toEqual([200, 'true'])
})

it('more than 1,200 requests of one address in a minute are refused, and those of another are not', async () => {
  const flood = rawClient({ apiKey: 'x', apiSecret: 'x' }, '127.0.0.99')
  const answers: RawAnswer[] = []
  const refusals = () => answers.filter(({ status }) => status === 429)
  // Until a window is used up: where the machine is slow, one may end before that.
  while (refusals().length === 0) {
    answers.push(...(await Promise.all(Array.from({ length: 55 }, () => flood.send(get('/config'))))))
  }
  const refused = refusals()
  const left = answers
    .filter(({ status }) => status !== 429)
    .map(({ headers }) => Number(headers['ratelimit-remaining']))
  const times = (remaining: number) => left.filter((one) => one === remaining).length
  // Each of the 1,200 places of that window was given to one request, and none of it to more.
  expect([new Set(left).size, Math.min(...left), times(0)]).toEqual([1200, 0, 1])
  for (let remaining = 0; remaining < 1200; remaining++) {
    expect(times(remaining)).toBeLessThanOrEqual(times(1199))
  }
  for (const answer of refused) {
    expectEnvelope(answer, 429)
    expect(answer.headers).toMatchObject({ 'ratelimit-remaining': '0', 'x-error-reason': 'rate_limited' })
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  }
  expect((await client.signed(get('/config'))).status).toBe(200)
  flood.close()
})

describe('the OpenAPI document', () => {
  const document = async () =>
    (await (await fetch(new URL('/openapi.json', venue.baseUrls[0]))).json()) as OpenApiDocument

  it('says what every answer above was, field by field, and its reason', async () => {
    expect(record.size).toBeGreaterThan(500)
    expect(record.problems(await document())).toEqual([])
  })

  it('is exact also where a part of the venue is broken', async () => {
    const deployment = { chainId: CHAIN_ID, startBlock: 0n, contracts: venue.contracts }
    for (const [part, status] of [
      ['rate limit', 429],
      ['key directory', 503],
      ['unforeseen', 500],
    ] as const) {
      for await (const { request, answer } of answersWithBrokenPart(part, successes, deployment)) {
        expect([answer.status, answer.body.data], answer.text).toEqual([status, null])
        record.note(request, answer)
      }
    }
    expect(record.problems(await document())).toEqual([])
  })

  it('has no operation, and of none a status, that is not shown by an answer above', async () => {
    const missing = record.missing(await document())
    expect(missing.filter((one) => !one.includes(' /api/v1/session'))).toEqual([])
  })
})
