import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { equalDigest, HmacSha256 } from './hmac.ts'

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

describe('equalDigest', () => {
  const bytes = createHmac('sha256', 'key').digest()
  const digest = bytes.toString('latin1')

  it('takes the same bytes and nothing else', () => {
    expect(equalDigest(digest, bytes)).toBe(true)
    const others = bytes.map((byte, at) => (at === 31 ? byte ^ 1 : byte))
    for (const bad of [others, bytes.subarray(1), Buffer.concat([bytes, bytes]), Buffer.alloc(0), null]) {
      expect(equalDigest(digest, bad && Buffer.from(bad))).toBe(false)
    }
  })

  it('takes no claim for a digest of zeros', () => {
    expect(equalDigest('\0'.repeat(32), null)).toBe(false)
    expect(equalDigest('\0'.repeat(32), Buffer.alloc(32))).toBe(true)
  })
})
