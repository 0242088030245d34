import { randomBytes } from 'node:crypto'
import type { Access, Caller } from '../http/caller.ts'
import { andThen } from '../lib/and-then.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { equalDigest, HmacSha256 } from './hmac.ts'
import type { KeyDirectory, LiveKey } from './key-directory.ts'
import { type NonceStore, TIMESTAMP_WINDOW_MS } from './nonce-store.ts'
import { authReasons } from './reasons.ts'

/** What a request presents, as a product's scheme read it. A header that is missing or malformed is null. */
export interface Credentials {
  readonly apiKey: string | null
  readonly timestampMs: number | null
  /** Any text unique per key; undefined in a scheme that has none. */
  readonly nonce: string | null | undefined
  /** As claimed. */
  readonly signature: Buffer | null
  /** Every text that the signature may be over, without the body; characters are bytes. */
  readonly signedHeads: readonly string[]
  readonly rawBody: Buffer
  /** Every form of the body that the signature may be over; the raw bytes alone unless given. */
  readonly signedBodies?: readonly Buffer[]
  readonly clientIp: string
  /** True in an API whose keys work from every address; else the key's list decides. */
  readonly fromAnywhere?: boolean
  /** How far the timestamp may be from the venue's clock, to either side; 45 s unless given, and at most. */
  readonly windowMs?: number
  readonly access: Access
  /** False when the request names another chain or product than the one it reached. */
  readonly addressedHere: boolean
  readonly chainId: number
  readonly productType: string
}

export interface VerifierOptions {
  readonly keys: Pick<KeyDirectory, 'find' | 'fresh'>
  readonly nonces: NonceStore
  /** Wall clock. */
  readonly clock: Clock
}

const MISSING_NONCE = '-'

/**
 * Checks credentials against the keys (stock-api 1.8). Every failure costs the same look-ups and hashes (a secret nobody knows
 * stands in for an unknown key) and is the same error; its `cause`, for the log alone, says which check failed.
 */
export class Verifier {
  readonly #options: VerifierOptions
  readonly #nobody: LiveKey = {
    apiKey: '',
    hmac: new HmacSha256(randomBytes(32).toString('hex')),
    secretMadeAtMs: 0,
    active: false,
    expiresAtMs: null,
    ipWhitelist: new Set(),
    scopes: [],
    userAddress: null,
    historyKey: null,
  }

  constructor(options: VerifierOptions) {
    this.#options = options
  }

  /**
   * The caller, at once where keys and nonces are in this process. Throws or rejects with `unauthenticated`, or with
   * `authentication_unavailable` when they cannot be looked up.
   */
  verify(credentials: Credentials): Caller | Promise<Caller> {
    const stale = this.#options.keys.fresh()
    return stale ? available(stale).then(() => this.#judge(credentials)) : this.#judge(credentials)
  }

  #judge(credentials: Credentials): Caller | Promise<Caller> {
    const { keys, nonces } = this.#options
    const key = keys.find(credentials.apiKey ?? '') ?? this.#nobody
    const scope = key.scopes.find(
      (row) =>
        row.chainId === credentials.chainId &&
        row.productType === credentials.productType &&
        (row.access === 'WRITABLE' || credentials.access === 'READ_ONLY'),
    )
    const failure = this.#failure(credentials, key, scope !== undefined)
    if (failure !== null || !scope) {
      const looked = nonces.probe(key.apiKey, credentials.nonce ?? MISSING_NONCE)
      return andThen(looked instanceof Promise ? available(looked) : looked, () => {
        throw unauthenticated(failure ?? 'scope')
      })
    }
    const caller = callerOf(key, scope.access)
    if (typeof credentials.nonce !== 'string' || credentials.timestampMs === null) return caller
    // Only a request that passed everything else uses up its nonce.
    const { nonce, timestampMs, access } = credentials
    return andThen(this.#consume(key.apiKey, nonce, timestampMs, access), (unused) => {
      if (!unused) throw unauthenticated('nonce used before')
      return caller
    })
  }

  #consume(apiKey: string, nonce: string, timestampMs: number, access: Access): boolean | Promise<boolean> {
    try {
      const consumed = this.#options.nonces.consume(apiKey, nonce, timestampMs, access)
      return typeof consumed === 'boolean' ? consumed : available(consumed)
    } catch (cause) {
      throw unavailable(cause)
    }
  }

  /** The first check that fails, or null. All hashes are computed whatever fails. */
  #failure(credentials: Credentials, key: LiveKey, scopeFits: boolean): string | null {
    const nowMs = this.#options.clock.nowMs()
    let signed = false
    for (const head of credentials.signedHeads) {
      for (const body of credentials.signedBodies ?? [credentials.rawBody]) {
        signed = equalDigest(key.hmac.digest(head, body), credentials.signature) || signed
      }
    }
    if (key === this.#nobody) return 'key unknown'
    if (!key.active) return 'key disabled'
    if (key.expiresAtMs !== null && key.expiresAtMs <= nowMs) return 'key expired'
    if (credentials.fromAnywhere !== true && !key.ipWhitelist.has(credentials.clientIp))
      return 'address not on the whitelist'
    if (!credentials.addressedHere) return 'chain or product header'
    if (!scopeFits) return 'scope'
    if (credentials.timestampMs === null) return 'timestamp malformed'
    if (Math.abs(nowMs - credentials.timestampMs) > (credentials.windowMs ?? TIMESTAMP_WINDOW_MS))
      return 'timestamp outside the window'
    if (credentials.nonce === null) return 'nonce malformed'
    return signed ? null : 'signature'
  }
}

const callerOf = ({ apiKey, historyKey, userAddress, secretMadeAtMs }: LiveKey, access: Access): Caller =>
  historyKey === null
    ? { keyId: apiKey, access, userAddress, secretMadeAtMs }
    : { keyId: historyKey, sessionKey: apiKey, access, userAddress, secretMadeAtMs }

function unauthenticated(why: string): AppError {
  return new AppError(authReasons.unauthenticated, 'Unauthorized', { cause: new Error(why) })
}

async function available<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    throw unavailable(cause)
  }
}

function unavailable(cause: unknown): AppError {
  const message = 'the request could not be checked just now; try again later'
  return new AppError(authReasons.authentication_unavailable, message, { cause })
}
