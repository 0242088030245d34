/** What an answer says of a failure. */
export interface Failure {
  readonly status: number
  readonly code: number
  readonly reason: string | null
  readonly message: string
  readonly requestId: string
  /** Machine-readable detail, such as the field that is wrong. */
  readonly detail: unknown
  /** What the header Retry-After says. */
  readonly retryAfterMs: number | null
  readonly retryable: boolean
}

/** The venue refused a request. Each code has a class of its own; `reason` tells further. */
export class VenueError<Reason extends string = string> extends Error implements Failure {
  override readonly name: string = 'VenueError'
  readonly status: number
  readonly code: number
  /** Why, as `x-error-reason` has it; null of an authentication that failed. The error pages explain each. */
  readonly reason: Reason | null
  readonly requestId: string
  readonly detail: unknown
  readonly retryAfterMs: number | null
  /** Whether the same request may succeed later. */
  readonly retryable: boolean

  constructor(failure: Failure) {
    super(failure.message)
    this.status = failure.status
    this.code = failure.code
    this.reason = failure.reason as Reason | null
    this.requestId = failure.requestId
    this.detail = failure.detail
    this.retryAfterMs = failure.retryAfterMs
    this.retryable = failure.retryable
  }
}

/** A request got no answer, and nothing can have happened by it. */
export class ConnectionFailed extends Error {
  override readonly name = 'ConnectionFailed'
}

/**
 * A write was sent, and nobody knows what became of it. With an `idempotencyKey`, the same call with that key asks again and
 * does nothing twice; without one, look into the lists first.
 */
export class UnknownOutcome extends Error {
  override readonly name: string = 'UnknownOutcome'
  /** Method and path of the request. */
  readonly operation: string
  readonly idempotencyKey: string | null

  constructor(operation: string, idempotencyKey: string | null, cause: unknown) {
    const next = idempotencyKey === null ? 'look it up before you repeat it' : 'repeat it with the same idempotencyKey'
    super(`it is not known whether ${operation} was carried out: ${next} (${messageOf(cause)})`, { cause })
    this.operation = operation
    this.idempotencyKey = idempotencyKey
  }

  /** Whether the same call can be made again without anything happening twice. */
  get canRepeat(): boolean {
    return this.idempotencyKey !== null
  }
}

/** The venue itself answered that it does not know; unlike `Unavailable`, after which nothing was done. */
export class SendUnconfirmed extends UnknownOutcome {
  override readonly name = 'SendUnconfirmed'
}

/** A product's classes of errors, by HTTP status and code or by code alone. */
export interface ErrorTable {
  readonly classes: Readonly<Record<string, new (failure: Failure) => VenueError>>
  /** Reasons that may pass by themselves. */
  readonly retryable: readonly string[]
}

/** Whether an error is the venue's, for this reason. */
export const hasReason = <Reason extends string>(error: unknown, reason: Reason): error is VenueError<Reason> =>
  error instanceof VenueError && error.reason === reason

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
