import { httpReasons } from './reasons.ts'

// What every product's reference says of the server itself; authentication's part is the product's.

/** Why any request may fail, before or around its handler. */
export const COMMON_REASONS = [
  httpReasons.request_invalid,
  httpReasons.body_too_large,
  httpReasons.rate_limited,
  httpReasons.internal_error,
] as const

/** The messages of failures worth showing; `rateLimit` is the number of requests that one address may send in a window. */
export const commonMessages = (rateLimit: number, whom: string): Readonly<Record<string, string>> => ({
  request_invalid: 'unknown parameter colour: none is accepted here',
  rate_limited: `too many requests: ${whom} may send ${rateLimit} in a window; try again in 12 s`,
  internal_error: 'internal error',
})

/** The envelope's fields that the references show alike. */
export const EXAMPLE_REQUEST_ID = '11111111-1111-4111-8111-111111111111'
