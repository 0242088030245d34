import type { Hex } from '../chain/types.ts'

/** The permission of an API key. */
export type Access = 'READ_ONLY' | 'WRITABLE'

/**
 * Who may ask for an operation: an API key with this permission, whoever signs its body with a wallet, or anybody, limited by
 * address alone.
 */
export type RouteAccess = Access | 'WALLET' | 'PUBLIC'

/** The API key that makes a request, once the product's scheme has verified it. */
export interface Caller {
  readonly keyId: string
  readonly access: Access
  /** The wallet the key is bound to, lower-case; null when the key is unbound. */
  readonly userAddress: Hex | null
}

/** The wallet that signed a request's body. */
export interface WalletCaller {
  /** Lower-case. */
  readonly wallet: Hex
}

/** Whom an operation of an access meets. */
export type CallerOf<A extends RouteAccess> = A extends 'PUBLIC' ? null : A extends 'WALLET' ? WalletCaller : Caller
