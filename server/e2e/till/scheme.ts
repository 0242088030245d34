import { hashMessage } from 'viem'
import { authReasons } from '../../src/auth/reasons.ts'
import type { Verifier } from '../../src/auth/verifier.ts'
import type { Hex } from '../../src/chain/types.ts'
import { accountOf } from '../../src/delegation/signature.ts'
import type { Access } from '../../src/http/caller.ts'
import type { Scheme, SignedRequest } from '../../src/http/scheme.ts'
import { sortedJson } from '../../src/http/sorted-json.ts'
import { AppError } from '../../src/lib/errors.ts'

const WINDOW_MS = 30_000
const BASE64 = /^[A-Za-z0-9+/]{43}=$/

/** The one product type of its API keys. */
export const PRODUCT_TYPE = 'Till'

/** What a wallet sends for its money back. */
export interface RefundRequest {
  readonly wallet: string
  /** Units of the token. */
  readonly amount: string
  readonly signature: string
}

/** The text that the wallet signs (EIP-191). */
export const refundMessage = ({ wallet, amount }: Omit<RefundRequest, 'signature'>): string =>
  `Refund ${amount} to ${wallet.toLowerCase()}`

/**
 * The till's authentication: a base64 HMAC over time, method, path and the body, as its bytes or sorted. Without nonces: a write
 * that comes again is known by its signature.
 */
export const tillScheme = (verifier: Verifier, chainId: number): Scheme => ({
  authenticate(request: SignedRequest, access: Access) {
    const { method, uri, rawBody, clientIp } = request
    const timestamp = text(request, 'x-till-time')
    const sorted = rawBody.length === 0 ? null : sortedJson(rawBody)
    return verifier.verify({
      apiKey: text(request, 'x-till-key'),
      timestampMs: /^\d{1,15}$/.test(timestamp) ? Number(timestamp) : null,
      nonce: undefined,
      signature: signatureOf(request),
      signedHeads: [`${timestamp}${method}${uri}`],
      rawBody,
      signedBodies: sorted ? [rawBody, sorted] : [rawBody],
      clientIp,
      fromAnywhere: true,
      windowMs: WINDOW_MS,
      access,
      addressedHere: true,
      chainId,
      productType: PRODUCT_TYPE,
    })
  },
  async authenticateWallet(_request, body) {
    const request = body as RefundRequest
    const signer = await accountOf(hashMessage(refundMessage(request)), request.signature as Hex)
    if (signer !== request.wallet.toLowerCase()) throw new AppError(authReasons.unauthenticated, 'Unauthorized')
    return { wallet: signer as Hex }
  },
  repetition(request) {
    const signature = signatureOf(request)
    const untilMs = Number(text(request, 'x-till-time')) + WINDOW_MS
    return signature && { id: signature.toString('hex'), untilMs }
  },
})

function text({ headers }: SignedRequest, name: string): string {
  const value = headers[name]
  return typeof value === 'string' ? value : ''
}

/** The bytes of the signature, so that one has one name however it is spelled. */
function signatureOf(request: SignedRequest): Buffer | null {
  const signature = text(request, 'x-till-sign')
  return BASE64.test(signature) ? Buffer.from(signature, 'base64') : null
}
