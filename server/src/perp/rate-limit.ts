import type { KeyRateLimit } from '../http/product.ts'

/** Requests of one API key (perp-api 1.7). */
export const KEY_RATE_LIMIT: KeyRateLimit = { limit: 120, windowMs: 60_000, headers: 'ratelimit' }
