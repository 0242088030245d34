import type { Client } from './client.ts'
import { type ErrorTable, VenueError } from './errors.ts'
import type { Attempt } from './repeat.ts'
import type { CallSpec, PreparedRequest } from './request.ts'

/** What the products differ in. */
export interface Product<Name extends string = string> {
  readonly name: Name
  readonly errors: ErrorTable
  /** The code of success. */
  readonly successCode: number
  readonly read: (text: string) => unknown
  /** A signed read that costs little, of products that take the same signed bytes once: it tells whether a key is accepted. */
  readonly keyRead?: CallSpec
  sign(client: Client, request: Pick<PreparedRequest, 'method' | 'uri' | 'body'>): Promise<Record<string, string>>
}

/** The envelopes of both products: `errMsg`, `uuid` and `t` are the stock API's, the others the perpetual API's. */
interface Envelope {
  readonly code: number
  readonly errMsg?: string
  readonly msg?: string
  readonly data: unknown
  readonly uuid?: string
  readonly requestId?: string
  readonly t?: number
  readonly blockInfo?: { readonly height: number; readonly timestamp: number }
}

/** An answer as what it means; one that is not the venue's own is none. */
export function answerOf(product: Product, response: Response, text: string, localMs: number): Attempt {
  const envelope = envelopeOf(product, text)
  if (!envelope) return { kind: 'lost', error: new Error(`HTTP ${response.status}, not an answer of the venue`) }
  const { status, headers } = response
  const requestId = envelope.uuid ?? envelope.requestId ?? ''
  if (envelope.code === product.successCode) {
    return {
      kind: 'done',
      data: envelope.data,
      info: { status, requestId, headers, block: envelope.blockInfo ?? null },
    }
  }
  const serverMs = serverTime(envelope, headers)
  const skewMs = serverMs === null ? null : serverMs - localMs
  return { kind: 'refused', error: errorOf(product.errors, envelope, response, requestId), skewMs }
}

function envelopeOf(product: Product, text: string): Envelope | null {
  try {
    const value = product.read(text) as Envelope | null
    return typeof value === 'object' && typeof value?.code === 'number' ? value : null
  } catch {
    return null
  }
}

function errorOf(table: ErrorTable, envelope: Envelope, response: Response, requestId: string): VenueError {
  const { status, headers } = response
  const { code } = envelope
  const reason = headers.get('x-error-reason')
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN)
  const Class = table.classes[`${status}/${code}`] ?? table.classes[code] ?? VenueError
  return new Class({
    status,
    code,
    reason,
    message: envelope.errMsg || envelope.msg || `HTTP ${status}, code ${code}`,
    requestId,
    detail: envelope.data,
    retryAfterMs: Number.isNaN(retryAfter) ? null : retryAfter * 1000,
    retryable: reason !== null && table.retryable.includes(reason),
  })
}

/** The venue's clock; the header has whole seconds only, of which the middle is nearest. */
function serverTime({ t }: Envelope, headers: Headers): number | null {
  if (t !== undefined) return t
  const date = Date.parse(headers.get('date') ?? '')
  return Number.isNaN(date) ? null : date + 500
}
