import { type Client, signedTime } from '../core/client.ts'
import { base64, hmac, type Signer } from '../core/hmac.ts'

export interface PerpSignature {
  readonly signer: Signer
  /** Exact text of the timestamp header. */
  readonly timestamp: string
  readonly method: string
  /** Path and query, sorted by name. */
  readonly uri: string
  readonly body: string
}

/** Base64 HMAC over time, method, target and body, joined without anything between. */
export const perpSignature = async ({ signer, timestamp, method, uri, body }: PerpSignature): Promise<string> =>
  base64(await hmac(signer, `${timestamp}${method}${uri}${body}`))

/** The four headers of a request. */
export async function perpHeaders(
  client: Client,
  request: { readonly method: string; readonly uri: string; readonly body: string },
): Promise<Record<string, string>> {
  const { signer, chainId } = client.options
  if (!signer) throw new TypeError(`${request.method} ${request.uri} is signed: the client needs a signer`)
  const timestamp = String(signedTime(client))
  return {
    'x-api-key': signer.apiKey,
    'x-api-ts': timestamp,
    'x-api-sign': await perpSignature({ signer, timestamp, ...request }),
    'x-chain-id': String(chainId),
  }
}
