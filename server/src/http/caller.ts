import type { Hex } from '../chain/types.ts'

/** The permission of an API key. */
export type Access = 'READ_ONLY' | 'WRITABLE'

/**
 * Who may ask for an operation: an API key with this permission, whoever signs its body with a wallet, or anybody, limited by
 * address alone. `OPEN` is for anybody too, but whoever sends an API key's headers is checked as for `READ_ONLY`.
 */
export type RouteAccess = Access | 'WALLET' | 'PUBLIC' | 'OPEN'

/** The API key that makes a request, once the product's scheme has verified it. */
export interface Caller {
  /** The key whose records and limits these are; of a session, the wallet's oldest key. */
  readonly keyId: string
  /** The session's own key, where a session signed. */
  readonly sessionKey?: string
  readonly access: Access
  /** The wallet the key is bound to, lower-case; null when the key is unbound. */
  readonly userAddress: Hex | null
  /** When the secret was made by which the key has signed, Unix ms: a connection ends with its secret. */
  readonly secretMadeAtMs?: number
}

/** The wallet that signed a request's body. */
export interface WalletCaller {
  /** Lower-case. */
  readonly wallet: Hex
  readonly clientIp: string
  /** True for a page in a browser, which names its origin. */
  readonly isBrowser: boolean
}

/** Whom an operation of an access meets. */
export type CallerOf<A extends RouteAccess> = A extends 'PUBLIC'
  ? null
  : A extends 'OPEN'
    ? Caller | null
    : A extends 'WALLET'
      ? WalletCaller
      : Caller
