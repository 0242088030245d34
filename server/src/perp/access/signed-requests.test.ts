import { createHmac } from 'node:crypto'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createRpc } from '../../chain/rpc.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { CHAIN_ID, keyOf, type PerpApi, servePerp, type TestKey, testMasterKeys } from '../testing/key-api.ts'

// Attacks on the signature of a key: whatever is changed after signing, the request is nobody's and changes nothing.

const TRADER = '/v4/public/trader/'
const wallet = () => privateKeyToAccount(generatePrivateKey())

let database: TestDatabase
let api: PerpApi
let other: PerpApi
let key: TestKey
let target: TestKey
let stranger: TestKey
beforeAll(async () => {
  database = await testDatabase()
  // Accounts' signatures need no node.
  const world = { sql: database.sql, rpc: createRpc({ url: 'http://127.0.0.1:9' }) }
  const masterKeys = testMasterKeys()
  ;[api, other] = [await servePerp(world, masterKeys), await servePerp(world, masterKeys)]
  const owner = wallet()
  ;[key, target, stranger] = [await keyOf(api, owner), await keyOf(api, owner), await keyOf(api, wallet())]
  await other.auth.keys.refresh()
})
afterAll(async () => {
  await api?.close()
  await other?.close()
  await database?.drop()
})

interface Sent {
  readonly method: string
  readonly path: string
  readonly body: string
  readonly headers: Record<string, string>
}

/** A right request that gives the target key a label. */
function right(label: string, by = key, timestamp = String(Date.now())): Sent {
  const path = 'api-key/update'
  const body = JSON.stringify({ apiKey: target.apiKey, label })
  return { method: 'POST', path, body, headers: headers(by, timestamp, `POST${TRADER}${path}${body}`) }
}

const headers = ({ apiKey, apiSecret }: TestKey, timestamp: string, signed: string) => ({
  'x-api-key': apiKey,
  'x-api-ts': timestamp,
  'x-api-sign': createHmac('sha256', apiSecret).update(`${timestamp}${signed}`).digest('base64'),
  'x-chain-id': String(CHAIN_ID),
  'content-type': 'application/json',
})

async function send({ method, path, body, headers }: Sent, at = api) {
  const answer = await fetch(`${at.url}${TRADER}${path}`, { method, headers, ...(body === '' ? {} : { body }) })
  const { code, msg, data } = (await answer.json()) as { code: number; msg: string; data: { label?: string } }
  return { status: answer.status, code, msg, data, replayed: answer.headers.get('idempotent-replayed'), answer }
}

const label = async () =>
  (await database.sql`select label from api_keys where api_key = ${target.apiKey}`)[0]?.label as string
const changes = async () =>
  Number((await database.sql`select count(*) as n from operator_audit_log where action = 'api_key.update'`)[0]?.n)

let before: string
beforeEach(async () => {
  const prepared = await send(right(`start ${Math.random()}`))
  expect(prepared.status).toBe(200)
  before = await label()
})

const withHeaders = (sent: Sent, more: Record<string, string>): Sent => ({
  ...sent,
  headers: { ...sent.headers, ...more },
})

describe('a signed request is nobody’s', () => {
  it.each<[string, () => Sent]>([
    ['with another body', () => ({ ...right('mine'), body: right('yours').body })],
    ['with a field more in the body', () => moreFields(right('mine'))],
    ['with a name twice in the body', () => twice(right('mine'))],
    ['for another operation', () => ({ ...right('mine'), path: 'api-key/delete' })],
    ['with a query that was not signed', () => ({ ...right('mine'), path: 'api-key/update?chainId=31337' })],
    ['by another method', () => ({ ...right('mine'), method: 'DELETE' })],
    ['at another time', () => withHeaders(right('mine'), { 'x-api-ts': String(Date.now() + 1) })],
    ['with a time in seconds', () => right('mine', key, String(Math.floor(Date.now() / 1000)))],
    ['31 seconds old', () => right('mine', key, String(Date.now() - 31_000))],
    ['31 seconds of the future', () => right('mine', key, String(Date.now() + 31_000))],
    ['for another chain', () => withHeaders(right('mine'), { 'x-chain-id': '1' })],
    ['for this chain, spelled otherwise', () => withHeaders(right('mine'), { 'x-chain-id': '031337' })],
    ['in the name of another key of the wallet', () => withHeaders(right('mine'), { 'x-api-key': target.apiKey })],
    ['in the name of another wallet’s key', () => withHeaders(right('mine'), { 'x-api-key': stranger.apiKey })],
    ['of a key that there is not', () => withHeaders(right('mine'), { 'x-api-key': '0'.repeat(32) })],
    ['with a signature in hex', () => withHeaders(right('mine'), { 'x-api-sign': 'ab'.repeat(32) })],
    ['with an empty signature', () => withHeaders(right('mine'), { 'x-api-sign': '' })],
    ['with a signature and more', () => append(right('mine'))],
  ])('%s', async (_, attack) => {
    const counted = await changes()
    const refused = await send(attack())
    expect([refused.status, refused.code, refused.msg, refused.data]).toEqual([401, 40101, 'Unauthorized', {}])
    expect(refused.answer.headers.get('x-error-reason')).toBeNull()
    expect([await label(), await changes()]).toEqual([before, counted])
  })

  const moreFields = (sent: Sent) => ({ ...sent, body: sent.body.replace('}', ',"permissions":["read"]}') })
  const twice = (sent: Sent) => ({ ...sent, body: sent.body.replace('}', ',"label":"yours"}') })
  const append = (sent: Sent) => withHeaders(sent, { 'x-api-sign': `${sent.headers['x-api-sign']}AAAA` })
})

describe('a body with objects inside', () => {
  const path = 'order/preview'
  const body = '{"params":{"size":"0.01","instrument":"BTC/USDC"},"action":"none"}'
  const signedAs = (signed: string) =>
    send({ method: 'POST', path, body, headers: headers(key, String(Date.now()), `POST${TRADER}${path}${signed}`) })

  it.each([
    ['as it is sent', body],
    ['sorted throughout', '{"action":"none","params":{"instrument":"BTC/USDC","size":"0.01"}}'],
    ['with its outermost keys sorted', '{"action":"none","params":{"size":"0.01","instrument":"BTC/USDC"}}'],
  ])('is the caller’s when signed %s, and refused for what it says', async (_, signed) => {
    const { status, code, msg } = await signedAs(signed)
    expect([status, code]).toEqual([400, 40001])
    expect(msg).toContain('action')
  })

  it('is nobody’s when signed without what it holds inside', async () => {
    const { status, code } = await signedAs('{"action":"none","params":{}}')
    expect([status, code]).toEqual([401, 40101])
  })
})

describe('a signed request that is sent again', () => {
  it('is carried out once, and answered as the first time, in whichever process', async () => {
    const sent = right('once')
    const first = await send(sent)
    expect([first.status, first.data.label, first.replayed]).toEqual([200, 'once', null])
    expect((await send(right('after'))).status).toBe(200)
    const counted = await changes()
    for (const at of [api, other]) {
      const again = await send(sent, at)
      expect([again.status, again.data, again.replayed]).toEqual([200, first.data, 'true'])
    }
    // The second change stands: the first was not made anew.
    expect([await label(), await changes()]).toEqual(['after', counted])
  })

  it('is carried out once of 20 at the same time to two processes', async () => {
    const counted = await changes()
    const sent = right('twenty')
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => send(sent, index % 2 ? api : other)))
    expect(new Set(answers.map(({ status, data }) => `${status} ${data.label}`))).toEqual(new Set(['200 twenty']))
    expect(answers.filter(({ replayed }) => replayed === null)).toHaveLength(1)
    expect(await changes()).toBe(counted + 1)
  })

  it('is the same however its JSON is spelled', async () => {
    const sent = right('spelled')
    expect((await send(sent)).replayed).toBeNull()
    const counted = await changes()
    const { apiKey, label: text } = JSON.parse(sent.body)
    const again = await send({ ...sent, body: ` { "label" : ${JSON.stringify(text)}, "apiKey":"${apiKey}" } ` })
    expect([again.status, again.replayed, await changes()]).toEqual([200, 'true', counted])
  })

  it('is not what another key of the wallet sends with the same words', async () => {
    const mine = await send(right('first'))
    const theirs = await send(right('second', target))
    expect([mine.data.label, theirs.data.label, await label()]).toEqual(['first', 'second', 'second'])
  })
})
