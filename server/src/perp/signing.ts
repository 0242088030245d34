import type { SignedRequest } from '../http/scheme.ts'
import { sortedJson } from '../http/sorted-json.ts'
import { remembered } from '../lib/remembered.ts'

/** Targets whose forms are remembered: to sort a query costs more than to sign it. */
const REMEMBERED = 1000
const NO_BYTES = Buffer.alloc(0)

/** The request's target in every form that clients of this API sign: its query sorted by name, in their encodings (perp-api 1.4). */
export const signedTargets = remembered(formsOf, REMEMBERED)

function formsOf(uri: string): readonly string[] {
  const start = uri.indexOf('?')
  // An empty query keeps its mark.
  if (start < 0 || start === uri.length - 1) return [uri]
  const path = uri.slice(0, start)
  const query = uri.slice(start + 1)
  const decoded = [...new URLSearchParams(query)].sort(([a], [b]) => compare(a, b))
  const browser = new URLSearchParams(decoded).toString()
  return [...new Set([sortedAsSent(query), browser, pythonForm(browser)])].map((form) => `${path}?${form}`)
}

/** What the timestamp, method and target make of a message; the body follows. */
export const signedHeads = (timestamp: string, method: string, uri: string): readonly string[] =>
  signedTargets(uri).map((target) => `${timestamp}${method}${target}`)

/**
 * The body in every form that clients of this API sign: as it was sent, with the keys of every object sorted, or with those of the
 * outermost one alone (perp-api 1.4). Each form has every key and value of the body, so that a signature stands for one content. A
 * DELETE is signed without a body.
 */
export function signedBodies({ method, rawBody }: Pick<SignedRequest, 'method' | 'rawBody'>): readonly Buffer[] {
  if (method === 'DELETE') return [NO_BYTES]
  const sorted = rawBody.length === 0 ? null : sortedJson(rawBody)
  // What is sorted at every level is so at the first.
  if (sorted === null || sorted.equals(rawBody)) return [rawBody]
  const outermost = sortedJson(rawBody, 1)
  const isOther = outermost !== null && !outermost.equals(sorted) && !outermost.equals(rawBody)
  return isOther ? [rawBody, sorted, outermost] : [rawBody, sorted]
}

/** The 32 bytes of a base64 signature; null when it is none. */
export function signatureBytes(base64: string): Buffer | null {
  return /^[A-Za-z0-9+/]{43}=$/.test(base64) ? Buffer.from(base64, 'base64') : null
}

/** The sender's own encoding, pairs sorted by decoded name; equal names keep their order. */
function sortedAsSent(query: string): string {
  const pairs = query.split('&').map((pair) => ({ pair, name: new URLSearchParams(pair).keys().next().value ?? '' }))
  return pairs
    .sort((a, b) => compare(a.name, b.name))
    .map(({ pair }) => pair)
    .join('&')
}

/** Python's urlencode leaves a tilde and encodes an asterisk, a browser the reverse; else they agree. */
const pythonForm = (form: string): string => form.replaceAll('*', '%2A').replaceAll('%7E', '~')

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
