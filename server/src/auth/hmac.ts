import { hash, timingSafeEqual } from 'node:crypto'

const BLOCK_BYTES = 64
const DIGEST_BYTES = 32
const SCRATCH_BYTES = 16 * 1024

const scratch = Buffer.alloc(SCRATCH_BYTES)
const outerScratch = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES)
const computedScratch = Buffer.alloc(DIGEST_BYTES)
const NO_SIGNATURE = Buffer.alloc(DIGEST_BYTES)

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

  /** The code over `head` followed by `body`; in `head` and in what this answers, characters are bytes, as in Node's header strings. */
  digest(head: string, body: Buffer): string {
    const length = BLOCK_BYTES + head.length + body.length
    const input = length <= SCRATCH_BYTES ? scratch : Buffer.alloc(length)
    input.set(this.#inner)
    input.write(head, BLOCK_BYTES, 'latin1')
    if (body.length > 0) input.set(body, BLOCK_BYTES + head.length)
    const inner = hash('sha256', input.subarray(0, length), 'binary')
    outerScratch.set(this.#outer)
    outerScratch.write(inner, BLOCK_BYTES, 'latin1')
    return hash('sha256', outerScratch, 'binary')
  }

  /** The same in lower-case hex. */
  hex(head: string, body: Buffer): string {
    return Buffer.from(this.digest(head, body), 'latin1').toString('hex')
  }
}

/** Compares a code made by `digest()` with one that was claimed, in constant time; false when none of its length is claimed. */
export function equalDigest(computed: string, claimed: Buffer | null): boolean {
  const hasLength = claimed?.length === DIGEST_BYTES
  computedScratch.write(computed, 'latin1')
  return timingSafeEqual(computedScratch, hasLength ? claimed : NO_SIGNATURE) && hasLength
}
