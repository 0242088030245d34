import type { Auth } from '../auth/auth.ts'
import { HmacSha256 } from '../auth/hmac.ts'
import type { Caller } from '../http/caller.ts'
import type { Scheme, SignedRequest } from '../http/scheme.ts'
import { offeredValues } from '../http/stream-server.ts'
import { andThen } from '../lib/and-then.ts'
import { AppError } from '../lib/errors.ts'
import type { KeyUses } from './access/key-uses.ts'
import { isPassphrase } from './access/passphrase.ts'
import { type SignInRequest, type SignInSettings, signedInWallet } from './access/sign-in.ts'
import { perpReasons } from './reasons.ts'
import { signatureBytes, signedBodies, signedHeads } from './signing.ts'
import { PERP_PRODUCT } from './variables.ts'

/** How far a timestamp may be from the venue's clock, to either side (perp-api 1.5). */
const WINDOW_MS = 30_000
const MM_PREFIX = '/v4/public/mm/'
const UNIX_MS = /^[1-9]\d{12}$/
const ISO_MS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
const TOKEN = /^[\x21-\x2b\x2d-\x7e]{1,128}$/
const HEADERS = ['x-api-key', 'x-api-sign', 'x-api-ts', 'x-access-key', 'x-access-sign', 'x-access-timestamp']

/** What the headers of a request say. */
interface Presented {
  readonly apiKey: string | null
  /** As sent; it is part of what is signed. */
  readonly timestamp: string | null
  readonly timestampMs: number | null
  readonly signature: Buffer | null
  /** Undefined in the set of headers that has none. */
  readonly passphrase: string | null | undefined
}

type SchemeAuth = Pick<Auth, 'verifier'> & { readonly keys: Pick<Auth['keys'], 'find'> }

/**
 * The perpetual API's authentication: `X-Api-` headers, or below /v4/public/mm/ the older `X-ACCESS-` ones with a passphrase, and a
 * base64 HMAC over timestamp, method, target and body, which is signed as it is sent or in a sorted form (perp-api 1.3 to 1.5).
 * There is no nonce: a write sent again is answered with its first answer.
 */
export function perpScheme(
  { verifier, keys }: SchemeAuth,
  signIn: SignInSettings,
  uses: Pick<KeyUses, 'note'>,
): Scheme {
  const { chainId } = signIn
  const nobody = new HmacSha256('')
  const chainIdText = String(chainId)

  function authenticate(request: SignedRequest): Caller | Promise<Caller> {
    const { apiKey, timestamp, timestampMs, signature, passphrase } = presented(request)
    const knows = passphrase === undefined || isPassphrase(keys.find(apiKey ?? '')?.hmac ?? nobody, passphrase ?? '')
    const chain = request.headers['x-chain-id']
    const verified = verifier.verify({
      apiKey,
      timestampMs,
      nonce: undefined,
      signature: knows ? signature : null,
      signedHeads: signedHeads(timestamp ?? '', request.method, request.uri),
      rawBody: request.rawBody,
      signedBodies: signedBodies(request),
      clientIp: request.clientIp,
      fromAnywhere: true,
      windowMs: WINDOW_MS,
      // Whoever may read may be told that trading is not allowed to the key.
      access: 'READ_ONLY',
      addressedHere: chain === chainIdText || (chain === undefined && passphrase !== undefined),
      chainId,
      productType: PERP_PRODUCT,
    })
    return andThen(verified, (caller) => {
      uses.note(caller.keyId)
      return caller
    })
  }

  const isSigned = ({ headers }: SignedRequest) => HEADERS.some((name) => headers[name] !== undefined)

  return {
    isSigned,
    upgrade: (request) => (isSigned(request) ? request : offered(request, chainIdText)),
    authenticate,
    permit(caller, access) {
      if (access === 'READ_ONLY' || caller.access === 'WRITABLE') return
      throw new AppError(perpReasons.permission_missing, 'this API key may only read: it lacks the permission trade')
    },
    authenticateWallet: (_request, body) => signedInWallet(signIn, body as SignInRequest),
    repetition(request) {
      const { signature, timestampMs } = presented(request)
      if (signature === null || timestampMs === null) return null
      return { id: signature.toString('hex'), untilMs: timestampMs + WINDOW_MS }
    },
  }
}

function presented({ uri, headers }: SignedRequest): Presented {
  const isMm = uri.startsWith(MM_PREFIX) && headers['x-access-key'] !== undefined
  return isMm ? presentedToMm(headers) : presentedByKey(headers)
}

type Headers = SignedRequest['headers']

function presentedByKey(headers: Headers): Presented {
  const timestamp = formed(headers['x-api-ts'], UNIX_MS)
  return {
    apiKey: textOf(headers['x-api-key']),
    timestamp,
    timestampMs: timestamp === null ? null : Number(timestamp),
    signature: signatureOf(headers['x-api-sign']),
    passphrase: undefined,
  }
}

function presentedToMm(headers: Headers): Presented {
  const timestamp = formed(headers['x-access-timestamp'], ISO_MS)
  const timestampMs = timestamp === null ? Number.NaN : Date.parse(timestamp)
  return {
    apiKey: textOf(headers['x-access-key']),
    timestamp,
    timestampMs: Number.isNaN(timestampMs) ? null : timestampMs,
    signature: signatureOf(headers['x-access-sign']),
    passphrase: formed(headers['x-access-passphrase'], TOKEN),
  }
}

/**
 * What a browser offers as protocols in the place of headers, which it cannot set: `bourse, key.…, ts.…, sign.…`. The signature is in
 * the alphabet of URLs and without its padding, since a protocol's name holds neither slash nor equals sign.
 */
function offered(request: SignedRequest, chainId: string): SignedRequest {
  const values = offeredValues(request, ['key', 'ts', 'sign'])
  if (values === null) return request
  const own = [...values].map(([name, value]) => {
    return [`x-api-${name}`, name === 'sign' ? Buffer.from(value, 'base64url').toString('base64') : value] as const
  })
  return { ...request, headers: { ...request.headers, 'x-chain-id': chainId, ...Object.fromEntries(own) } }
}

type Header = Headers[string]

/** A header in any form: only issued keys exist, so its form need not be judged. */
const textOf = (value: Header): string | null => (typeof value === 'string' ? value : null)

const formed = (value: Header, form: RegExp): string | null =>
  typeof value === 'string' && form.test(value) ? value : null

const signatureOf = (value: Header): Buffer | null => (typeof value === 'string' ? signatureBytes(value) : null)
