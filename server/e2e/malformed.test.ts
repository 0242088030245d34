import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiDocument } from '../src/http/openapi.ts'
import { lengthOf } from '../src/lib/testing-campaign.ts'
import { type ApiInProcess, startApiInProcess } from './api-in-process.ts'
import { eventually } from './client.ts'
import { type MalformedRequest, malformedRequests, type Target, targetsOf } from './malformed-requests.ts'
import { RawClient } from './raw-client.ts'
import { Rows } from './rows.ts'
import { signedHeaders } from './signed-headers.ts'
import { startVenue, type Venue } from './venue.ts'

// Malformed headers, bodies, paths and numbers at every operation that is registered. A run says its seed, and
// BOURSE_SEED repeats it.

const SEED = Number(process.env.BOURSE_SEED ?? 20_260_101)
const CHAIN_ID = 31_337
/** In process: without sockets a hundred thousand take a minute, and a campaign that is short has a few of each kind. */
const REQUESTS = lengthOf({ short: 3000, whole: 100_000 })
const CHUNK = 1000
const AT_ONCE = 50
/** Over sockets, from addresses each of which may send 1,200 a minute. */
const SOCKET_REQUESTS = lengthOf({ short: 2000, whole: 3000 })
const ADDRESSES = ['127.0.0.21', '127.0.0.22', '127.0.0.23', '127.0.0.24']

let venue: Venue
let rows: Rows
let api: ApiInProcess
let targets: readonly Target[]
let clients: readonly RawClient[]
beforeAll(async () => {
  venue = await startVenue()
  rows = new Rows(venue.databaseUrl)
  const user = venue.accounts[0]?.address ?? ''
  const key = await venue.createKey({ access: 'WRITABLE', user, ips: ADDRESSES })
  const options = { baseUrl: venue.baseUrls[0] ?? '', chainId: CHAIN_ID, productType: 'Bourse', key }
  clients = ADDRESSES.map((localAddress) => new RawClient({ ...options, localAddress }))
  api = await startApiInProcess(venue, CHAIN_ID)
  const { aAAPL, USDC } = venue.contracts
  const known = { stockAddress: aAAPL, tokenAddress: USDC, depositTokenAddress: USDC, userAddress: user, userId: user }
  targets = targetsOf(openApiDocument(api.product), known)
})
afterAll(async () => {
  for (const client of clients ?? []) client.close()
  await api?.close()
  await rows?.close()
  await venue?.stop()
})

interface Answer {
  readonly status: number
  readonly text: string
  readonly reason: string | undefined
}

/** What every answer to a malformed request must be: no failure of the venue, and in the envelope. */
function faultOf({ status, text, reason }: Answer): string | null {
  const body = JSON.parse(text) as { code?: number; statusCode?: number; errMsg?: string; message?: string }
  const code = body.code ?? body.statusCode ?? 0
  if (status < 200 || status >= 500) return 'a failure of the venue'
  if (status === 200) return code === 200 ? null : 'no success in the envelope'
  if (code < 400) return 'no failure in the envelope'
  if ((body.errMsg ?? body.message ?? '') === '') return 'no message'
  return (code === 401) === (reason === undefined) ? null : 'a reason where none may be, or none where one must be'
}

interface Tally {
  readonly sent: Map<Target, number>
  readonly authenticated: Map<Target, number>
  readonly faults: string[]
}

async function sendAll(seed: number, count: number, send: (one: MalformedRequest) => Promise<Answer>): Promise<Tally> {
  const tally: Tally = { sent: new Map(), authenticated: new Map(), faults: [] }
  const add = (map: Map<Target, number>, target: Target) => map.set(target, (map.get(target) ?? 0) + 1)
  for (let chunk = 0; chunk * CHUNK < count; chunk++) {
    const requests = malformedRequests(targets, seed + chunk, CHUNK)
    for (let start = 0; start < CHUNK; start += AT_ONCE) {
      const some = requests.slice(start, start + AT_ONCE)
      const answers = await Promise.all(some.map(send))
      for (const [index, answer] of answers.entries()) {
        const one = some[index] as MalformedRequest
        add(tally.sent, one.target)
        if (!answer.text.includes('"code":401,')) add(tally.authenticated, one.target)
        const fault = faultOf(answer)
        if (fault) tally.faults.push(`${fault}: ${JSON.stringify(one.request)} ${one.spoiled} → ${answer.text}`)
      }
    }
  }
  return tally
}

const sum = (map: Map<Target, number>): number => [...map.values()].reduce((total, one) => total + one, 0)

/** Every operation got its share, and most requests got past the door. */
function expectSpread({ sent, authenticated, faults }: Tally, count: number): void {
  expect(faults.slice(0, 10), `seed ${SEED}`).toEqual([])
  expect(sum(sent)).toBe(count)
  expect(sum(authenticated)).toBeGreaterThan(count / 2)
  const share = count / targets.length
  for (const target of targets) {
    expect(sent.get(target) ?? 0, `${target.method} ${target.path}`).toBeGreaterThan(share / 2)
    expect(authenticated.get(target) ?? 0, `${target.method} ${target.path}`).toBeGreaterThan(share / 4)
  }
}

/** What `inject` makes of a target, since that is what reaches the server and so what must be signed. */
function targetOf(path: string): { url: string; uri: string } {
  const { pathname, search } = new URL(`/stock${path}`, 'http://localhost')
  const url = pathname + search
  return { url, uri: url.startsWith('/stock/') ? url.slice('/stock'.length) : url }
}

async function inject({ request, spoiled }: MalformedRequest): Promise<Answer> {
  const { method, path, body, headers } = request
  const { url, uri } = targetOf(path)
  const signed = signedHeaders({
    method,
    uri,
    body: body ?? '',
    key: api.key,
    chainId: CHAIN_ID,
    productType: 'Bourse',
  })
  const content = body === undefined ? {} : { 'content-type': 'application/json', payload: body }
  const { payload, ...type } = content as { payload?: string | Buffer }
  const answer = await api.app.inject({
    method: method as 'GET',
    url,
    headers: { ...type, ...signed, ...headers, ...(spoiled ? { [spoiled[0]]: spoiled[1] } : {}) },
    ...(payload === undefined ? {} : { payload }),
  })
  return { status: answer.statusCode, text: answer.payload, reason: answer.headers['x-error-reason']?.toString() }
}

/** The server answers a body that is too long before it has come, and may close the connection on whoever still sends. */
const LONGEST_SENT = 60_000
const shortened = ({ body }: MalformedRequest['request']) =>
  body === undefined ? {} : { body: body.slice(0, LONGEST_SENT) }

describe('malformed requests', () => {
  it(`${REQUESTS} of them meet no failure of the venue and change no row`, async () => {
    const before = await rows.untilQuiet(false)
    expectSpread(await sendAll(SEED, REQUESTS, inject), REQUESTS)
    expect(await rows.digest(false)).toEqual(before)
  }, 1_800_000)

  it(`${SOCKET_REQUESTS} of them over sockets neither`, async () => {
    const before = await rows.untilQuiet(false)
    let turn = 0
    const send = async ({ request, spoiled }: MalformedRequest): Promise<Answer> => {
      const client = clients[turn++ % clients.length] as RawClient
      const headers = { ...request.headers, ...(spoiled ? { [spoiled[0]]: spoiled[1] } : {}) }
      const { status, text, headers: got } = await client.signed({ ...request, ...shortened(request), headers })
      return { status, text, reason: got['x-error-reason']?.toString() }
    }
    expectSpread(await sendAll(SEED + 1_000_000, SOCKET_REQUESTS, send), SOCKET_REQUESTS)
    expect(await rows.digest(false)).toEqual(before)
  })

  it('are a fair trial: a sound request beside them is served', async () => {
    const [client] = clients
    const answer = await eventually(
      async () => client?.signed({ method: 'GET', path: '/api/v1/orders' }),
      (one) => one?.status === 200,
    )
    expect(answer?.body).toMatchObject({ code: 200, data: { total: 0, rows: [] } })
  })

  it('are the same for the same seed', () => {
    expect(malformedRequests(targets, SEED, 50)).toEqual(malformedRequests(targets, SEED, 50))
    expect(malformedRequests(targets, SEED, 50)).not.toEqual(malformedRequests(targets, SEED + 1, 50))
  })
})
