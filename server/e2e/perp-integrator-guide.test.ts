import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { perpSignature } from '../../sdk/src/perp/signer.ts'
import { KEYS_OF_WALLET } from '../src/auth/wallet-keys.ts'
import { instrumentAbi } from '../src/chain/abi/instrument.ts'
import { linkMarketAbi } from '../src/chain/abi/link-market.ts'
import { DEFAULT_RATE_LIMIT } from '../src/http/rate-limit.ts'
import type { Command } from '../src/lib/testing-run.ts'
import { PERP_CODES, PERP_FAILURES } from '../src/perp/envelope.ts'
import { ProgramFolder, readGuide, root, signersOf, vectorsOf } from './guide-programs.ts'
import { type EmbeddedProcess, runEmbedded } from './venue.ts'

// The programs of docs/perp-integrator-guide.md, run as a reader would run them, in the order of the guide: first a key is made.

const guide = readGuide('perp-integrator-guide.md')

interface Vector {
  readonly name: string
  readonly secret: string
  readonly timestamp: string
  readonly method: string
  readonly uri: string
  readonly body: string
  readonly signature: string
}
const vectors = vectorsOf<Vector>('perp-signing.json')

const SIGNERS = signersOf('perp')
/** The arguments of `call` follow: method, target, JSON of the body or nothing, `Idempotency-Key` or nothing. */
const CALLERS: Readonly<Record<string, Command>> = {
  TypeScript: [
    'node',
    '--input-type=module',
    '-e',
    `import { call } from './perp.ts'
     const { BASE_URL: baseUrl, API_KEY: apiKey, API_SECRET: apiSecret, CHAIN_ID: chainId } = process.env
     const [method, target, body, key] = process.argv.slice(1)
     const answer = await call({ baseUrl, chainId, apiKey, apiSecret }, method, target, body ? JSON.parse(body) : undefined, key)
     console.log(JSON.stringify(answer))`,
    '--',
  ],
  Python: [
    'python3',
    '-c',
    `import json, os, sys, perp
e = os.environ
venue = {"baseUrl": e["BASE_URL"], "chainId": e["CHAIN_ID"], "apiKey": e["API_KEY"], "apiSecret": e["API_SECRET"]}
method, target, *more = sys.argv[1:]
body, key = [*more, "", ""][:2]
print(json.dumps(perp.call(venue, method, target, json.loads(body) if body else None, key or None)))`,
  ],
  shell: ['bash', '-c', 'set -euo pipefail; source ./perp.sh; call "$@"', 'call'],
}

let folder: ProgramFolder
let data: string
let venue: EmbeddedProcess
beforeAll(async () => {
  folder = await ProgramFolder.of(guide)
  data = await mkdtemp(join(tmpdir(), 'bourse-perp-guide-'))
  venue = await runEmbedded(join(data, 'data'))
  const { perp } = venue.dev as unknown as { perp: { baseUrl: string; chainId: number } }
  folder.environment = {
    ...folder.environment,
    BASE_URL: perp.baseUrl,
    CHAIN_ID: String(perp.chainId),
    BRAND: 'Bourse',
    RPC_URL: venue.dev.chain.rpcUrl,
    PRIVATE_KEY: venue.dev.accounts[6]?.privateKey,
  }
})
afterAll(async () => {
  await venue?.stop()
  await folder?.remove()
  await rm(data, { recursive: true, force: true })
})

it('the guide has its programs', () => {
  const files = [
    'perp.ts',
    'perp.py',
    'perp.sh',
    'wallet.ts',
    'open-account.ts',
    'round.ts',
    'round.py',
    'own-wallet.ts',
  ]
  expect([...guide.programs.keys()]).toEqual(files)
  expect(vectors.length).toBeGreaterThan(3)
})

it('a wallet makes a key, deposits and enables One Click', async () => {
  const output = await folder.succeed(['node', 'open-account.ts'])
  expect(output).toMatch(/^API_KEY=[0-9a-f]{32}\nAPI_SECRET=[0-9a-f]{64}$/)
  const key = Object.fromEntries(output.split('\n').map((line) => line.split('=', 2)))
  folder.environment = { ...folder.environment, ...key }
})

describe.each(Object.keys(SIGNERS))('signing in %s', (language) => {
  const signer = SIGNERS[language] as Command
  const caller = CALLERS[language] as Command

  it.each(vectors)('$name', async ({ secret, timestamp, method, uri, body, signature }) => {
    expect(await folder.succeed([...signer, secret, timestamp, method, uri, body])).toBe(signature)
  })

  it('sorts the query as the client library expects it', async () => {
    const request = { timestamp: '1700000000000', method: 'GET', body: '' }
    const library = { apiKey: 'key', secret: 'secret' }
    const uri = '/v4/public/trader/a?expiry=1&symbol=B%2FC&symbol=A'
    const right = await perpSignature({ ...request, signer: library, uri })
    const unsorted = '/v4/public/trader/a?symbol=B%2FC&expiry=1&symbol=A'
    expect(await folder.succeed([...signer, library.secret, request.timestamp, 'GET', unsorted, ''])).toBe(right)
  })

  it('is accepted by a running venue, with a query and with a body', async () => {
    const list = await folder.succeed([
      ...caller,
      'GET',
      '/v4/public/trader/position/list?symbol=BTC%2FUSDC&expiry=4294967295',
    ])
    expect(JSON.parse(list)).toMatchObject({ code: 0, data: [], blockInfo: { height: expect.any(Number) } })
    const body = JSON.stringify({ quote: 'USDC', amount: '1' })
    const built = await folder.succeed([...caller, 'POST', '/v4/public/trader/approve/prepare', body])
    expect(JSON.parse(built).data.transaction.chainId).toBe(31_337)
  })

  it('shows why a request was refused', async () => {
    const { output, problems } = await folder.run([...caller, 'GET', '/v4/public/trader/order/byId?orderId=1'])
    expect(output + problems).toMatch(/40401/)
  })

  it('sends an Idempotency-Key, which counts once', async () => {
    const key = randomUUID()
    const send = (amount: string) => {
      const body = JSON.stringify({ quote: 'USDC', amount })
      return folder.run([...caller, 'POST', '/v4/public/trader/account/withdraw', body, key])
    }
    const [first, again] = [await send('1'), await send('1')]
    const sent = JSON.parse(first.output)
    expect(sent.data.sendId).toMatch(/^[0-9a-f-]{36}$/)
    expect(JSON.parse(again.output).data.sendId).toBe(sent.data.sendId)
    expect(sent.blockInfo).toBeUndefined()
    const other = await send('2')
    expect(other.output + other.problems).toContain('42201')
  })
})

it('takes equal writes of one millisecond for one, and refuses one with an Idempotency-Key of its own', async () => {
  const { BASE_URL, CHAIN_ID = '', API_KEY = '', API_SECRET = '' } = folder.environment
  const uri = '/v4/public/trader/account/withdraw'
  const body = JSON.stringify({ quote: 'USDC', amount: '3' })
  const timestamp = String(Date.now())
  const signer = { apiKey: API_KEY, secret: API_SECRET }
  const sign = await perpSignature({ signer, timestamp, method: 'POST', uri, body })
  const signed = { 'x-api-key': API_KEY, 'x-api-ts': timestamp, 'x-api-sign': sign, 'x-chain-id': CHAIN_ID }
  const key = randomUUID()
  const send = async (idempotencyKey: string) => {
    const headers = { ...signed, 'content-type': 'application/json', 'idempotency-key': idempotencyKey }
    const response = await fetch(`${BASE_URL}${uri}`, { method: 'POST', headers, body })
    const { code, data } = (await response.json()) as { code: number; data: { sendId: string } }
    const [replayed, reason] = ['idempotent-replayed', 'x-error-reason'].map((name) => response.headers.get(name))
    return { code, sendId: data.sendId, replayed, reason }
  }
  const [first, second, other] = [await send(key), await send(key), await send(randomUUID())]
  expect(first).toMatchObject({ code: 0, replayed: null })
  expect(second).toEqual({ code: 0, sendId: first.sendId, replayed: 'true', reason: null })
  expect(other).toEqual({ code: 40004, sendId: undefined, replayed: null, reason: 'signature_used' })
})

const ROUND = ['positions 0', 'limit order open', 'limit order canceled'].join('\n')

it('the round of a bot arrives in TypeScript', async () => {
  expect(await folder.succeed(['node', 'round.ts'])).toBe(ROUND)
})

it('the round of a bot arrives in Python', async () => {
  expect(await folder.succeed(['python3', 'round.py'])).toBe(ROUND)
})

it('a wallet previews, builds, signs and submits its own trades', async () => {
  const size = '20000000000000000'
  expect(await folder.succeed(['node', 'own-wallet.ts'])).toBe(`would hold ${size}\nclosed ${size} short`)
})

describe('what the guide says', () => {
  const read = (...path: string[]) => readFileSync(join(root, 'docs', ...path), 'utf8')
  const { info, paths } = JSON.parse(read('reference', 'perp-openapi.json'))
  const named = (pattern: RegExp, text = guide.text) => [...text.matchAll(pattern)].map(([, name = '']) => name)

  it('has each code with its HTTP status, and no other', () => {
    const told = [...guide.text.matchAll(/^\| (\d+) +\| (\d{3}) +\|/gm)].map(([, code, status]) => `${code} ${status}`)
    const failures = [...Object.values(PERP_FAILURES), ...Object.values(PERP_CODES)]
    const known = new Set(['0 200', ...failures.map(({ code, httpStatus }) => `${code} ${httpStatus}`)])
    expect(known.size).toBeGreaterThan(10)
    expect(told.toSorted()).toEqual([...known].toSorted())
  })

  it('names reasons that there are', () => {
    const known = read('errors', 'README.md')
    const reasons = named(/`([a-z]+(?:_[a-z]+)+)`/g).filter((name) => name !== 'personal_sign')
    expect(reasons.length).toBeGreaterThan(8)
    expect(reasons.filter((name) => !known.includes(`[\`${name}\`]`))).toEqual([])
  })

  it('names reverts that there are', () => {
    const known = [...instrumentAbi, ...linkMarketAbi].flatMap((item) => (item.type === 'error' ? item.name : []))
    const care = guide.text.slice(guide.text.indexOf('## What a bot must take care of'))
    const reverts = named(/`((?:[A-Z][a-z]+)+)`/g, care).filter((name) => name !== 'Failed' && name !== 'Pending')
    expect(reverts.length).toBeGreaterThan(8)
    expect(reverts.filter((name) => !(known as string[]).includes(name))).toEqual([])
  })

  it('names every action', () => {
    const { schema } = paths['/v4/public/trader/order/build'].post.requestBody.content['application/json']
    const actions = (schema.oneOf as { title: string }[]).map(({ title }) => title)
    expect(actions.length).toBeGreaterThan(10)
    for (const action of actions) expect(guide.text).toContain(`\`${action}\``)
  })

  it('has the limits that hold', () => {
    const [, ofKey] = /One API key may send (\d+) requests a minute/.exec(info.description) ?? []
    const ofAddress = DEFAULT_RATE_LIMIT.limit.toLocaleString('en')
    expect(guide.text).toContain(`${ofKey} requests a minute for each key, ${ofAddress} for each address`)
    expect(guide.text).toContain(`A wallet has at most ${KEYS_OF_WALLET};`)
  })
})
