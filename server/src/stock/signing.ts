import { randomUUID } from 'node:crypto'
import { HmacSha256 } from '../auth/hmac.ts'

/** What the five signed lines are made of. */
export interface SignedLines {
  readonly method: string
  readonly uri: string
  /** Exact text of the timestamp header. */
  readonly timestamp: string
  /** Exact text of the nonce header. */
  readonly nonce: string
}

/** The signed payload up to the body: four lines and the newline before the body (stock-api 1.7). */
export function payloadHead(lines: SignedLines): string {
  return `${lines.method}\n${lines.uri}\n${lines.timestamp}\n${lines.nonce}\n`
}

/** The URI with its query sorted by parameter name; equal names keep their order, nothing is decoded. */
export function sortedUri(uri: string): string {
  const start = uri.indexOf('?')
  if (start < 0) return uri
  const path = uri.slice(0, start)
  const query = uri.slice(start + 1)
  return query === '' ? path : `${path}?${sortPairs(query.split('&')).join('&')}`
}

function sortPairs(pairs: string[]): string[] {
  return pairs.length < 2 ? pairs : pairs.sort((a, b) => compare(nameOf(a), nameOf(b)))
}

function nameOf(pair: string): string {
  const equals = pair.indexOf('=')
  return equals < 0 ? pair : pair.slice(0, equals)
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/**
 * The sorted URI with its query decoded, for clients that sign the plain text and let their HTTP library encode it. Null when
 * nothing is encoded, and when the decoded text could be read as another query.
 */
export function decodedUri(uri: string): string | null {
  const start = uri.indexOf('?')
  if (start < 0 || !/[%+]/.test(uri.slice(start))) return null
  const pairs: string[] = []
  for (const pair of uri.slice(start + 1).split('&')) {
    const parts = pair.split('=').map(decodePlain)
    if (parts.length > 2 || parts.includes(null)) return null
    pairs.push(parts.join('='))
  }
  return `${uri.slice(0, start)}?${sortPairs(pairs).join('&')}`
}

/** Decoded text as UTF-8 bytes in latin1 characters, the form of every string off the wire; null when it is ambiguous. */
function decodePlain(text: string): string | null {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '))
    return /[&=%+#?\p{Cc}]/u.test(decoded) ? null : Buffer.from(decoded, 'utf8').toString('latin1')
  } catch {
    return null
  }
}

export interface RequestToSign {
  readonly method: string
  /** Path from `/api/v1/…` with its query as it will be sent. */
  readonly uri: string
  /** The exact body text; empty when there is none. */
  readonly body?: string
  readonly apiKey: string
  readonly apiSecret: string
  readonly chainId: number
  readonly productType: string
  /** Wall clock, milliseconds. */
  readonly timestampMs: number
  readonly nonce?: string
}

/** The headers that sign a stock request (stock-api 1.6 and 1.7), as a client makes them. */
export function signRequest(request: RequestToSign): Record<string, string> {
  const timestamp = String(request.timestampMs)
  const nonce = request.nonce ?? randomUUID()
  const head = payloadHead({ method: request.method, uri: sortedUri(request.uri), timestamp, nonce })
  const signature = new HmacSha256(request.apiSecret).hex(
    Buffer.from(head, 'utf8').toString('latin1'),
    Buffer.from(request.body ?? '', 'utf8'),
  )
  return {
    'x-api-key': request.apiKey,
    'x-api-ts': timestamp,
    'x-api-nonce': nonce,
    'x-api-sign': signature,
    'x-api-chain-id': String(request.chainId),
    'x-api-p': request.productType,
  }
}
