/**
 * What kind of failure a reason is. Each product's envelope maps a kind to its HTTP status and wire code, so that the
 * modules below the products never know a product's wire format.
 */
export type ErrorKind =
  | 'unauthenticated'
  | 'forbidden'
  | 'invalid'
  | 'not_found'
  | 'conflict'
  | 'key_reused'
  | 'rate_limited'
  | 'upstream'
  | 'unavailable'
  | 'internal'

/** One row of the table of reasons: the stable name of a failure and what a caller may do about it. */
export interface Reason {
  /** Stable snake_case name; travels in `x-error-reason` and names the error page. */
  readonly name: string
  readonly kind: ErrorKind
  /** True when the same request may succeed later without a change. */
  readonly retryable: boolean
  /** Text of the error page: what happened and what would be right. */
  readonly doc: string
}

/** A module's reasons, keyed by name. */
export type Reasons<Name extends string> = { readonly [K in Name]: Reason & { readonly name: K } }

/** Builds a module's table of reasons; the key is the reason's name. */
export function defineReasons<const Name extends string>(
  table: { readonly [K in Name]: Omit<Reason, 'name'> },
): Reasons<Name> {
  const entries = Object.entries<Omit<Reason, 'name'>>(table).map(([name, reason]) => [name, { name, ...reason }])
  return Object.fromEntries(entries) as Reasons<Name>
}

/** The one error class of the venue. `message` is for the caller; `detail` travels with it; `cause` is for the log only. */
export class AppError extends Error {
  readonly reason: Reason
  readonly detail: Readonly<Record<string, unknown>>
  /** When to try again, seconds; null where nothing is known of it. */
  readonly retryAfterSec: number | null

  constructor(
    reason: Reason,
    message: string,
    options: { cause?: unknown; detail?: Record<string, unknown>; retryAfterSec?: number } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AppError'
    this.reason = reason
    this.detail = options.detail ?? {}
    this.retryAfterSec = options.retryAfterSec ?? null
  }
}
