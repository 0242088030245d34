import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { equalHex, HmacSha256 } from './hmac.ts'

describe('HmacSha256', () => {
  it('is the HMAC of node:crypto for any key and message', () => {
    const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((array) => Buffer.from(array))
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), bytes(300), bytes(40_000), (secret, head, body) => {
        const expected = createHmac('sha256', Buffer.from(secret, 'utf8')).update(head).update(body).digest('hex')
        expect(new HmacSha256(secret).hex(head.toString('latin1'), body)).toBe(expected)
      }),
    )
  })

  it.each([0, 1, 63, 64, 65, 128])('takes a key of %d bytes', (length) => {
    const secret = 'k'.repeat(length)
    const expected = createHmac('sha256', Buffer.from(secret)).update('ab').digest('hex')
    expect(new HmacSha256(secret).hex('a', Buffer.from('b'))).toBe(expected)
  })
})

describe('equalHex', () => {
  const hex = 'ab'.repeat(32)

  it('ignores case and nothing else', () => {
    expect(equalHex(hex, hex.toUpperCase())).toBe(true)
    expect(equalHex(hex, `${hex.slice(1)}a`)).toBe(false)
    for (const bad of ['', hex.slice(1), `${hex}a`, 'g'.repeat(64), ` ${hex.slice(1)}`]) {
      expect(equalHex(hex, bad)).toBe(false)
    }
  })
})
