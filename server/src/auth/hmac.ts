import { hash, timingSafeEqual } from 'node:crypto'

const BLOCK_BYTES = 64
const DIGEST_BYTES = 32
const SCRATCH_BYTES = 16 * 1024

const scratch = Buffer.alloc(SCRATCH_BYTES)
const outerScratch = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES)
const left = Buffer.alloc(DIGEST_BYTES)
const right = Buffer.alloc(DIGEST_BYTES)

/**
 * HMAC-SHA256 under one key (RFC 2104), as two one-shot hashes over pads made once: creating native hash objects is what
 * costs in `createHmac`. The secret's UTF-8 bytes are the key (stock-api 1.7).
 */
export class HmacSha256 {
  readonly #inner = Buffer.alloc(BLOCK_BYTES, 0x36)
  readonly #outer = Buffer.alloc(BLOCK_BYTES, 0x5c)

  constructor(secret: string) {
    const bytes = Buffer.from(secret, 'utf8')
    const key = bytes.length > BLOCK_BYTES ? hash('sha256', bytes, 'buffer') : bytes
    for (const [i, byte] of key.entries()) {
      this.#inner[i] = 0x36 ^ byte
      this.#outer[i] = 0x5c ^ byte
    }
  }

  /** Lower-case hex of the code over `head` (characters are bytes, as in Node's header strings) followed by `body`. */
  hex(head: string, body: Buffer): string {
    const length = BLOCK_BYTES + head.length + body.length
    const input = length <= SCRATCH_BYTES ? scratch : Buffer.alloc(length)
    this.#inner.copy(input)
    input.write(head, BLOCK_BYTES, 'latin1')
    body.copy(input, BLOCK_BYTES + head.length)
    const digest = hash('sha256', input.subarray(0, length), 'binary')
    this.#outer.copy(outerScratch)
    outerScratch.write(digest, BLOCK_BYTES, 'latin1')
    return hash('sha256', outerScratch, 'hex')
  }
}

/**
 * Compares a code made by `hex()` with one that was claimed, in constant time and in any case; false when the claim is not
 * 64 hex digits.
 */
export function equalHex(computed: string, claimed: string): boolean {
  // Decoding stops at the first character that is no hex digit.
  const isHex = claimed.length === DIGEST_BYTES * 2 && right.write(claimed, 'hex') === DIGEST_BYTES
  left.write(computed, 'hex')
  return timingSafeEqual(left, right) && isHex
}
