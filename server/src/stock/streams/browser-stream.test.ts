import { once } from 'node:events'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type { Rpc } from '../../chain/rpc.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { listen } from '../../http/server.ts'
import { signRequest } from '../signing.ts'
import { type SessionApi, serveSessions, sessionRequest } from '../testing/session-api.ts'

const URI = '/api/v1/stream'
const HERE = { ip: '127.0.0.1' }

let database: TestDatabase
let api: SessionApi
let url: string
const sockets: WebSocket[] = []
beforeAll(async () => {
  database = await testDatabase()
  api = await serveSessions(database.sql, {} as Rpc)
  url = await listen(api.app, { host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  for (const socket of sockets) socket.terminate()
  await api?.close()
  await database?.drop()
})

async function opened() {
  const { status, data } = await api.signIn(await sessionRequest(privateKeyToAccount(generatePrivateKey())), HERE)
  expect(status).toBe(200)
  return data as { apiKey: string; apiSecret: string }
}

/** What a browser offers in the place of headers. */
function protocols(key: { apiKey: string; apiSecret: string }, nonce = crypto.randomUUID()): string[] {
  const parts = { method: 'GET', uri: URI, body: '', ...key, chainId: 31_337, productType: 'Bourse' }
  const headers: Record<string, string> = { ...signRequest({ ...parts, timestampMs: Date.now(), nonce }) }
  return ['bourse', ...['key', 'ts', 'nonce', 'sign'].map((name) => `${name}.${headers[`x-api-${name}`]}`)]
}

function connect(offered: readonly string[], origin = url): WebSocket {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/stock${URI}`, [...offered], { origin })
  socket.on('error', () => {})
  sockets.push(socket)
  return socket
}

async function refusal(socket: WebSocket) {
  const [, response] = await once(socket, 'unexpected-response')
  let text = ''
  for await (const chunk of response) text += chunk
  return { reason: response.headers['x-error-reason'], code: JSON.parse(text).code, text }
}

async function answerTo(socket: WebSocket, channel: string) {
  const seen = new Promise<Record<string, unknown>>((resolve) => {
    socket.on('message', (data) => {
      const message = JSON.parse(String(data))
      if (message.channel === channel && ['snapshot', 'error'].includes(message.type)) resolve(message)
    })
  })
  socket.send(JSON.stringify({ op: 'subscribe', channel }))
  return seen
}

describe('the stream from a browser', () => {
  it('is signed by what it offers as protocols, of which the name alone comes back', async () => {
    const key = await opened()
    const socket = connect(protocols(key))
    await once(socket, 'open')
    expect(socket.protocol).toBe('bourse')
    expect(await answerTo(socket, 'orders')).toMatchObject({ type: 'snapshot', data: [] })
  })

  it('is refused with a wrong signature, a nonce that was used, and for another site’s page', async () => {
    const key = await opened()
    const wrong = await refusal(connect(protocols({ ...key, apiSecret: '0'.repeat(64) })))
    expect([wrong.code, wrong.reason]).toEqual([401, undefined])
    const offered = protocols(key)
    await once(connect(offered), 'open')
    expect((await refusal(connect(offered))).code).toBe(401)
    const hostile = await refusal(connect(protocols(key), 'https://evil.example'))
    expect([hostile.code, hostile.reason]).toEqual([10_002, 'origin_refused'])
    expect(hostile.text).not.toContain(key.apiKey)
  })

  it('needs no signature, and has no key’s channels then', async () => {
    for (const offered of [[], ['bourse']]) {
      const socket = connect(offered)
      await once(socket, 'open')
      expect(socket.protocol).toBe(offered[0] ?? '')
      const refused = await answerTo(socket, 'orders')
      expect(refused).toMatchObject({ type: 'error', reason: 'channel_private' })
      expect(refused.message).toMatch(/an API key signs/)
    }
  })
})

describe('market data', () => {
  it('needs no key, and is refused to whoever signs wrongly', async () => {
    const open = await api.unsigned('/api/v1/corporate-action')
    expect([open.status, open.code]).toEqual([200, 200])
    for (const headers of [{ 'x-api-key': 'somebody' }, { 'x-api-sign': '00' }, { 'x-api-p': 'Bourse' }]) {
      expect((await api.unsigned('/api/v1/corporate-action', headers)).code).toBe(401)
    }
    for (const uri of ['/api/v1/orders', '/api/v1/sessions', '/api/v1/nothing']) {
      expect((await api.unsigned(uri)).code).toBe(401)
    }
  })
})
