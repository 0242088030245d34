import { afterEach, describe, expect, it, vi } from 'vitest'
import { AppError } from '../lib/errors.ts'
import { HmacSha256 } from './hmac.ts'
import type { LiveKey } from './key-directory.ts'
import { memoryNonceStore, type NonceStore } from './nonce-store.ts'
import { type Credentials, Verifier } from './verifier.ts'

const NOW_MS = 1_700_000_000_000
const clock = { nowMs: () => NOW_MS }
const HEAD = 'GET\n/api/v1/config\n1700000000000\nn\n'
const hmac = new HmacSha256('secret')

const key: LiveKey = {
  apiKey: 'key',
  hmac,
  secretMadeAtMs: 1,
  active: true,
  expiresAtMs: null,
  ipWhitelist: new Set(['203.0.113.1']),
  scopes: [{ chainId: 1, productType: 'Bourse', access: 'WRITABLE' }],
  userAddress: '0x00000000000000000000000000000000000000ab',
  historyKey: null,
}
const keys = new Map<string, LiveKey>([
  ['key', key],
  ['reader', { ...key, apiKey: 'reader', scopes: [{ chainId: 1, productType: 'Bourse', access: 'READ_ONLY' }] }],
  ['disabled', { ...key, apiKey: 'disabled', active: false }],
  ['expired', { ...key, apiKey: 'expired', expiresAtMs: NOW_MS }],
  ['expiring', { ...key, apiKey: 'expiring', expiresAtMs: NOW_MS + 1 }],
  ['nowhere', { ...key, apiKey: 'nowhere', ipWhitelist: new Set() }],
  ['scopeless', { ...key, apiKey: 'scopeless', scopes: [] }],
])

const good: Credentials = {
  apiKey: 'key',
  timestampMs: NOW_MS,
  nonce: 'n',
  signature: Buffer.from(hmac.hex(HEAD, Buffer.alloc(0)), 'hex'),
  signedHeads: [HEAD],
  rawBody: Buffer.alloc(0),
  clientIp: '203.0.113.1',
  access: 'READ_ONLY',
  addressedHere: true,
  chainId: 1,
  productType: 'Bourse',
}

/** Every way to fail but the nonce used before, which needs a request before it. */
const failures: readonly [why: string, over: Partial<Credentials>][] = [
  ['key unknown', { apiKey: 'unknown' }],
  ['key unknown', { apiKey: null }],
  ['key disabled', { apiKey: 'disabled' }],
  ['key expired', { apiKey: 'expired' }],
  ['address not on the whitelist', { apiKey: 'nowhere' }],
  ['address not on the whitelist', { clientIp: '203.0.113.2' }],
  ['address not on the whitelist', { clientIp: '' }],
  ['chain or product header', { addressedHere: false }],
  ['scope', { apiKey: 'scopeless' }],
  ['scope', { chainId: 2 }],
  ['scope', { productType: 'bourse' }],
  ['scope', { apiKey: 'reader', access: 'WRITABLE' }],
  ['timestamp malformed', { timestampMs: null }],
  ['timestamp outside the window', { timestampMs: NOW_MS - 45_001 }],
  ['timestamp outside the window', { timestampMs: NOW_MS + 45_001 }],
  ['nonce malformed', { nonce: null }],
  ['signature', { signature: null }],
  ['signature', { signature: Buffer.alloc(32, 0xab) }],
  ['signature', { signature: Buffer.alloc(31) }],
  ['signature', { signedHeads: [`${HEAD} `] }],
  ['signature', { rawBody: Buffer.from(' ') }],
]

afterEach(() => {
  vi.restoreAllMocks()
})

function setUp(nonces: NonceStore = memoryNonceStore({ nowMs: () => NOW_MS - 60_000 })) {
  const find = vi.fn((apiKey: string) => keys.get(apiKey))
  const fresh = vi.fn((): Promise<void> | undefined => undefined)
  const consume = vi.spyOn(nonces, 'consume')
  const probe = vi.spyOn(nonces, 'probe')
  const hash = vi.spyOn(HmacSha256.prototype, 'digest')
  const verifier = new Verifier({ keys: { find, fresh }, nonces, clock })
  const costs = () => ({
    lookUps: find.mock.calls.length,
    hashes: hash.mock.calls.length,
    nonceLookUps: consume.mock.calls.length + probe.mock.calls.length,
  })
  return { verifier, fresh, consume, costs }
}

async function failureOf(verifier: Verifier, credentials: Credentials): Promise<AppError> {
  const error = await Promise.try(() => verifier.verify(credentials)).catch((thrown: unknown) => thrown)
  if (!(error instanceof AppError)) throw new Error('it was let in')
  return error
}

describe('verify', () => {
  it('lets in what passes every check', async () => {
    const { verifier } = setUp()
    expect(await verifier.verify(good)).toEqual({
      keyId: 'key',
      access: 'WRITABLE',
      userAddress: key.userAddress,
      secretMadeAtMs: 1,
    })
    const others: Partial<Credentials>[] = [
      { apiKey: 'reader' },
      { apiKey: 'expiring' },
      { nonce: 'n1', access: 'WRITABLE' },
      { nonce: 'n2', timestampMs: NOW_MS - 45_000 },
      { nonce: 'n3', timestampMs: NOW_MS + 45_000 },
      { nonce: 'n4', signedHeads: ['another form', HEAD] },
      { nonce: undefined },
      { nonce: undefined },
    ]
    for (const over of others) expect(await verifier.verify({ ...good, ...over })).toHaveProperty('keyId')
  })

  it.each(failures)('%s: fails like every other, at the same cost', async (why, over) => {
    const { verifier, costs, consume } = setUp()
    const error = await failureOf(verifier, { ...good, ...over })
    expect(error).toMatchObject({ message: 'Unauthorized', detail: {}, reason: { name: 'unauthenticated' } })
    expect((error.cause as Error).message).toBe(why)
    expect(costs()).toEqual({ lookUps: 1, hashes: 1, nonceLookUps: 1 })
    // The nonce is still free for the right request.
    expect(consume).not.toHaveBeenCalled()
    expect(await verifier.verify(good)).toHaveProperty('keyId', 'key')
  })

  it('a nonce used before: fails like every other, at the same cost', async () => {
    const nonces = memoryNonceStore({ nowMs: () => NOW_MS - 60_000 })
    nonces.consume('key', 'n', NOW_MS, 'WRITABLE')
    const { verifier, costs } = setUp(nonces)
    const error = await failureOf(verifier, good)
    expect(error).toMatchObject({ message: 'Unauthorized', detail: {}, reason: { name: 'unauthenticated' } })
    expect(costs()).toEqual({ lookUps: 1, hashes: 1, nonceLookUps: 1 })
  })

  it('costs one more hash for one more form of the URI, whatever fails', async () => {
    for (const [, over] of failures) {
      const { verifier, costs } = setUp()
      await failureOf(verifier, { ...good, ...over, signedHeads: [`${HEAD}x`, `${HEAD}y`] })
      expect(costs()).toEqual({ lookUps: 1, hashes: 2, nonceLookUps: 1 })
      vi.restoreAllMocks()
    }
  })

  it('takes 10,000 nonces of one key in one millisecond, each once', async () => {
    const { verifier } = setUp()
    const many = Array.from({ length: 10_000 }, (_, i) => ({ ...good, nonce: `n${i}` }))
    for (const credentials of many) expect(await verifier.verify(credentials)).toHaveProperty('keyId')
    for (const credentials of many.slice(0, 100)) await failureOf(verifier, credentials)
  })

  it('lets only one of many simultaneous uses of a nonce in', async () => {
    const { verifier } = setUp()
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => Promise.try(() => verifier.verify(good))))
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
  })
})

describe('when something does not answer', () => {
  const down = { consume: () => Promise.reject(new Error('down')), probe: () => Promise.reject(new Error('down')) }

  it('nobody is let in without the nonce store, and good and bad look alike', async () => {
    const { verifier } = setUp(down)
    for (const credentials of [good, { ...good, signature: null }]) {
      const error = await failureOf(verifier, credentials)
      expect(error.reason).toMatchObject({ name: 'authentication_unavailable', kind: 'unavailable', retryable: true })
      expect(error.message).toBe('the request could not be checked just now; try again later')
    }
  })

  it('a request from before the nonces are remembered is asked to come again, not called a stranger', async () => {
    const { verifier } = setUp(memoryNonceStore({ nowMs: () => NOW_MS + 1 }))
    const error = await failureOf(verifier, good)
    expect(error.reason.name).toBe('authentication_unavailable')
    const again = { ...good, timestampMs: NOW_MS + 1 }
    expect(await verifier.verify(again)).toHaveProperty('keyId')
  })

  it('a write that may have been let in before the nonces were lost is asked to come again, and a read is let in', async () => {
    const clockBefore = { nowMs: () => NOW_MS - 60_000 }
    const { verifier } = setUp(memoryNonceStore(clockBefore, { cover: () => undefined }, NOW_MS + 1))
    const write = { ...good, access: 'WRITABLE' } as const
    expect((await failureOf(verifier, write)).reason.name).toBe('authentication_unavailable')
    expect(await verifier.verify({ ...good, access: 'READ_ONLY' })).toHaveProperty('keyId')
    expect(await verifier.verify({ ...write, nonce: 'n2', timestampMs: NOW_MS + 1 })).toHaveProperty('keyId')
  })

  it('nobody is let in by keys that are too old', async () => {
    const { verifier, fresh } = setUp()
    fresh.mockReturnValue(Promise.reject(new Error('database down')))
    const error = await failureOf(verifier, good)
    expect(error.reason.name).toBe('authentication_unavailable')
    fresh.mockReturnValue(Promise.resolve())
    expect(await verifier.verify(good)).toHaveProperty('keyId')
  })
})
