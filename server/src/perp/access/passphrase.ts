import { timingSafeEqual } from 'node:crypto'
import type { HmacSha256 } from '../../auth/hmac.ts'

const NO_BYTES = Buffer.alloc(0)
const LENGTH = 32

/**
 * The passphrase of an API key for the `X-ACCESS-` headers: it follows from the secret, so that nothing more is kept, and says
 * nothing of it (perp-api 1.3).
 */
export const passphraseOf = (key: HmacSha256): string => key.hex('X-ACCESS-PASSPHRASE', NO_BYTES).slice(0, LENGTH)

/** Compares in constant time. */
export const isPassphrase = (key: HmacSha256, claimed: string): boolean =>
  timingSafeEqual(Buffer.from(passphraseOf(key)), Buffer.from(claimed.padEnd(LENGTH).slice(0, LENGTH))) &&
  claimed.length === LENGTH
