import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { requireOwnOrigin } from './origin.ts'

const from = (headers: Record<string, string>, socket: { encrypted?: boolean; remoteAddress?: string } = {}) =>
  ({ headers, socket: { remoteAddress: '203.0.113.9', ...socket } }) as unknown as IncomingMessage
const own = requireOwnOrigin(['https://trade.example'], ['10.0.0.1'])
const refused = (request: IncomingMessage) => own(request)?.reason.name ?? null

describe('the origin of a page', () => {
  it.each([
    ['is not sent by a program', from({ host: 'venue.example' })],
    ['is that of the host', from({ host: 'venue.example:8080', origin: 'http://venue.example:8080' })],
    [
      'is that of the host behind a proxy that ends TLS',
      from({ host: 'venue.example', origin: 'https://venue.example' }),
    ],
    [
      'is that of the host by TLS',
      from({ host: 'venue.example:443', origin: 'https://venue.example' }, { encrypted: true }),
    ],
    ['is that of an IPv6 host', from({ host: '[::1]:8080', origin: 'http://[::1]:8080' })],
    ['is listed', from({ host: 'inner:8080', origin: 'https://trade.example' })],
  ])('%s', (_, request) => {
    expect(refused(request)).toBeNull()
  })

  it.each([
    ['another host’s', { host: 'venue.example', origin: 'https://evil.example' }],
    ['another port’s', { host: 'venue.example:8080', origin: 'http://venue.example:8081' }],
    ['that of a name that begins like the host', { host: 'venue.example', origin: 'https://venue.example.evil.org' }],
    ['none, as of a sandboxed page', { host: 'venue.example', origin: 'null' }],
    ['listed by another scheme', { host: 'inner', origin: 'http://trade.example' }],
    ['no origin at all', { host: 'venue.example', origin: 'venue.example' }],
  ])('is refused when it is %s', (_, headers) => {
    expect(refused(from(headers))).toBe('origin_refused')
  })

  it('is refused by plain HTTP when the venue was reached by TLS', () => {
    const headers = { host: 'venue.example', origin: 'http://venue.example' }
    expect(refused(from(headers, { encrypted: true }))).toBe('origin_refused')
    expect(refused(from({ ...headers, 'x-forwarded-proto': 'https' }, { remoteAddress: '10.0.0.1' }))).toBe(
      'origin_refused',
    )
    expect(refused(from({ ...headers, 'x-forwarded-proto': 'https' }))).toBeNull()
  })
})
