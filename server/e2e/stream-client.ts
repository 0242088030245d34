import type { ApiKey } from './client.ts'
import { signedHeaders } from './signed-headers.ts'

export const STREAM_URI = '/api/v1/stream'

/** The six headers of the upgrade request, signed as a GET without a body (docs/streams.md). */
export const streamHeaders = (key: ApiKey, chainId = 31_337, productType = 'Bourse'): Record<string, string> =>
  signedHeaders({ method: 'GET', uri: STREAM_URI, body: '', key, chainId, productType })

/** Where the stream of a base URL is. */
export const streamUrl = (baseUrl: string): string => `${baseUrl.replace(/^http/, 'ws')}${STREAM_URI}`
