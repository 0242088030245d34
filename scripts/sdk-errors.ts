// The error classes of the client library: one for each code of a product, with the reasons that it may have.
import type { DocumentedError, OpenApiDocument } from '../server/src/http/openapi.ts'

/** By HTTP status and code where two share a code, else by code. */
const CLASSES: Readonly<Record<string, Readonly<Record<string, readonly [name: string, doc: string]>>>> = {
  stock: {
    401: ['Unauthenticated', 'Key, signature, clock, address or scope were not accepted; which of them is not told.'],
    10000: ['InvalidRequest', 'The request is wrong, and its message says what would be right.'],
    10001: ['NotFound', 'What the request names is not there, or not yet.'],
    10002: ['Refused', 'The request is right, but what it asks for is not possible now or not allowed.'],
    10003: ['ChainUnavailable', 'The chain could not be asked; nothing was sent.'],
    '422/10002': ['IdempotencyKeyReused', 'Another request was sent with this Idempotency-Key.'],
    429: ['RateLimited', 'Too many requests; `retryAfterMs` says how long to wait.'],
    500: ['Unavailable', 'The venue cannot answer now.'],
  },
  perp: {
    40001: ['InvalidRequest', 'The request is wrong, and its message says what would be right.'],
    40002: ['InstrumentUnknown', 'The venue has no such instrument or pair.'],
    40003: ['WouldRevert', 'The chain would refuse it now, with the revert that the message names; nothing was sent.'],
    40004: ['Refused', 'The request is right, but what stands excludes it now: a nonce is used, a budget is spent.'],
    40101: ['Unauthenticated', 'Key, signature, clock or chain were not accepted; which of them is not told.'],
    40102: ['WalletSignatureInvalid', 'The signature is not the wallet’s over the text.'],
    40301: ['Forbidden', 'The API key may not do this.'],
    40302: ['OneClickNotEnabled', 'The wallet has not enabled One Click.'],
    40303: ['HttpsRequired', 'Plain HTTP is answered on the venue’s own machine only.'],
    40401: ['NotFound', 'What the request names is not there.'],
    42201: ['IdempotencyKeyReused', 'Another request was sent with this Idempotency-Key.'],
    42901: ['RateLimited', 'Too many requests; `retryAfterMs` says how long to wait.'],
    50001: ['Unavailable', 'The venue cannot answer now.'],
  },
}

/** The source of a product's error classes. Throws when the document has a code that has no class. */
export function errorsSource(head: string, product: string, document: OpenApiDocument): string {
  const classes = CLASSES[product] ?? {}
  const reasons = new Map<string, Set<string>>()
  const retryable = new Set<string>()
  for (const error of allErrors(document)) {
    const key = keyOf(classes, error)
    if (!classes[key]) throw new Error(`${product} has no class of error for HTTP ${error.status}, code ${error.code}`)
    reasons.set(key, (reasons.get(key) ?? new Set()).add(error.reason))
    if (error.retryable) retryable.add(error.reason)
  }
  const declared = Object.entries(classes).map(([key, [name, doc]]) => {
    const union =
      [...(reasons.get(key) ?? [])]
        .sort()
        .map((reason) => `'${reason}'`)
        .join(' | ') || 'never'
    return `/** ${doc} Code ${key.split('/').at(-1)}. */\nexport class ${name} extends VenueError<${union}> {\n  override readonly name = '${name}'\n}\n`
  })
  const every = [...new Set([...reasons.values()].flatMap((some) => [...some]))].sort()
  const table = Object.entries(classes).map(([key, [name]]) => `'${key}': ${name}`)
  return `${head}import { type ErrorTable, VenueError } from '../core/errors.ts'

${declared.join('\n')}
/** Every reason for which a request fails. */
export type Reason = ${every.map((reason) => `'${reason}'`).join(' | ')}

export const ERRORS: ErrorTable = {
  classes: { ${table.join(', ')} },
  retryable: [${[...retryable]
    .sort()
    .map((reason) => `'${reason}'`)
    .join(', ')}],
}
`
}

function allErrors(document: OpenApiDocument): DocumentedError[] {
  return Object.values(document.paths).flatMap((item) => Object.values(item).flatMap((one) => [...one['x-errors']]))
}

const keyOf = (classes: Readonly<Record<string, unknown>>, { status, code }: DocumentedError): string =>
  `${status}/${code}` in classes ? `${status}/${code}` : String(code)
