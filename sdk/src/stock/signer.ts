import { type Client, signedTime } from '../core/client.ts'
import { hex, hmac, type Signer } from '../core/hmac.ts'
import type { CallSpec } from '../core/request.ts'

/** What a key is tried with: it is signed, changes nothing and asks for no permission. */
export const KEY_READ: CallSpec = ['read', 'GET', '/api/v1/clock', [], false, 'open']

export interface StockSignature {
  readonly signer: Signer
  readonly method: string
  /** Path and query, sorted by name. */
  readonly uri: string
  readonly body: string
  /** Unix milliseconds. */
  readonly timestamp: string
  readonly nonce: string
}

/** Hex HMAC over five lines: method, path with its query sorted, time, nonce, body. */
export const stockSignature = async (one: StockSignature): Promise<string> =>
  hex(await hmac(one.signer, [one.method, sortedUri(one.uri), one.timestamp, one.nonce, one.body].join('\n')))

/** The query sorted by name as it is encoded; equal names keep their order, and a lone question mark falls away. */
export function sortedUri(uri: string): string {
  const start = uri.indexOf('?')
  if (start < 0) return uri
  const name = (pair: string): string => pair.split('=', 1)[0] ?? ''
  const pairs = uri.slice(start + 1).split('&')
  pairs.sort((a, b) => (name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : 0))
  return uri.slice(0, start) + (pairs.join('') === '' ? '' : `?${pairs.join('&')}`)
}

/** The six headers of a request. */
export async function stockHeaders(
  client: Client,
  productType: string,
  request: { readonly method: string; readonly uri: string; readonly body: string },
): Promise<Record<string, string>> {
  const { signer, chainId } = client.options
  if (!signer) throw new TypeError(`${request.method} ${request.uri} is signed: the client needs a signer`)
  const [timestamp, nonce] = [String(signedTime(client)), crypto.randomUUID()]
  return {
    'x-api-key': signer.apiKey,
    'x-api-ts': timestamp,
    'x-api-nonce': nonce,
    'x-api-sign': await stockSignature({ signer, ...request, timestamp, nonce }),
    'x-api-chain-id': String(chainId),
    'x-api-p': productType,
  }
}
