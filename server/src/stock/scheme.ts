import type { Verifier } from '../auth/verifier.ts'
import type { Access } from '../http/caller.ts'
import type { Scheme, SignedRequest } from '../http/scheme.ts'
import { offeredValues } from '../http/stream-server.ts'
import { type SessionSettings, type SessionSignIn, signedInWallet } from './access/sign-in.ts'
import { decodedUri, payloadHead, sortedUri } from './signing.ts'

const HEADERS = ['x-api-key', 'x-api-ts', 'x-api-nonce', 'x-api-sign', 'x-api-chain-id', 'x-api-p']
const TIMESTAMP = /^[1-9]\d{0,14}$/
/** Visible ASCII except the comma, with which Node joins a repeated header. */
const TOKEN = /^[\x21-\x2b\x2d-\x7e]{1,128}$/

/** The one chain and product that this venue's stock API serves. */
export interface StockScope {
  readonly chainId: number
  /** Compared exactly, casing too (seed 5A). */
  readonly productType: string
}

/**
 * The stock API's authentication: six `x-api-` headers, and an HMAC over five lines (stock-api 1.6 to 1.8). The query counts as
 * it arrived, sorted by name; where it is percent-encoded, a signature over the decoded text is accepted too.
 */
export function stockScheme(verifier: Verifier, scope: StockScope, signIn?: SessionSettings): Scheme {
  const chainIdText = String(scope.chainId)
  return {
    isSigned: ({ headers }) => HEADERS.some((name) => headers[name] !== undefined),
    upgrade: (request) =>
      HEADERS.some((name) => request.headers[name] !== undefined) ? request : offered(request, scope),
    ...(signIn
      ? {
          authenticateWallet: (request, body, isHere) => signedInWallet(signIn, request, body as SessionSignIn, isHere),
        }
      : {}),
    authenticate(request: SignedRequest, access: Access) {
      const timestamp = header(request, 'x-api-ts', TIMESTAMP)
      const nonce = header(request, 'x-api-nonce', TOKEN)
      const signature = request.headers['x-api-sign']
      return verifier.verify({
        apiKey: header(request, 'x-api-key', TOKEN),
        timestampMs: timestamp === null ? null : Number(timestamp),
        nonce,
        signature: typeof signature === 'string' ? signatureBytes(signature) : null,
        signedHeads: heads(request, timestamp ?? '', nonce ?? ''),
        rawBody: request.rawBody,
        clientIp: request.clientIp,
        access: request.method === 'GET' ? access : 'WRITABLE',
        addressedHere:
          request.headers['x-api-chain-id'] === chainIdText && request.headers['x-api-p'] === scope.productType,
        chainId: scope.chainId,
        productType: scope.productType,
      })
    },
  }
}

/** What a browser offers as protocols in the place of headers, which it cannot set: `bourse, key.…, ts.…, nonce.…, sign.…`. */
function offered(request: SignedRequest, { chainId, productType }: StockScope): SignedRequest {
  const values = offeredValues(request, ['key', 'ts', 'nonce', 'sign'])
  if (values === null) return request
  const own = [...values].map(([name, value]) => [`x-api-${name}`, value] as const)
  const here = { 'x-api-chain-id': String(chainId), 'x-api-p': productType }
  return { ...request, headers: { ...request.headers, ...here, ...Object.fromEntries(own) } }
}

function heads(request: SignedRequest, timestamp: string, nonce: string): string[] {
  const { method, uri } = request
  const forms = [sortedUri(uri)]
  const decoded = decodedUri(uri)
  if (decoded !== null) forms.push(decoded)
  return forms.map((form) => payloadHead({ method, uri: form, timestamp, nonce }))
}

const SIGNATURE = /^[0-9a-fA-F]{64}$/

/** The 32 bytes of a signature in hex, in any case; null when it is none. */
const signatureBytes = (hex: string): Buffer | null => (SIGNATURE.test(hex) ? Buffer.from(hex, 'hex') : null)

function header(request: SignedRequest, name: string, form: RegExp): string | null {
  const value = request.headers[name]
  return typeof value === 'string' && form.test(value) ? value : null
}
