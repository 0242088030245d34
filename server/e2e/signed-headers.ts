import { createHmac, randomUUID } from 'node:crypto'
import type { ApiKey } from './client.ts'

/** A request as a client signs it, whatever its bytes are. */
interface ToSign {
  readonly method: string
  readonly uri: string
  readonly body: string | Buffer
  readonly key: ApiKey
  readonly chainId: number
  readonly productType: string
}

/** The six headers that sign a request (stock-api 1.7), made without any code of the server. */
export function signedHeaders({ method, uri, body, key, chainId, productType }: ToSign): Record<string, string> {
  const [timestamp, nonce] = [String(Date.now()), randomUUID()]
  const hmac = createHmac('sha256', key.apiSecret)
  hmac.update([method, sortedQuery(uri), timestamp, nonce, ''].join('\n')).update(body)
  return {
    'x-api-key': key.apiKey,
    'x-api-ts': timestamp,
    'x-api-nonce': nonce,
    'x-api-sign': hmac.digest('hex'),
    'x-api-chain-id': String(chainId),
    'x-api-p': productType,
  }
}

function sortedQuery(uri: string): string {
  const mark = uri.indexOf('?')
  if (mark < 0) return uri
  const pairs = uri.slice(mark + 1).split('&')
  const name = (pair: string) => pair.split('=', 1)[0] ?? ''
  const compare = (a: string, b: string) => (name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : 0)
  return `${uri.slice(0, mark)}?${pairs.sort(compare).join('&')}`
}
