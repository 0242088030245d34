import type { Auth } from '../../auth/auth.ts'
import { authReasons } from '../../auth/reasons.ts'
import type { WalletScope } from '../../auth/wallet-key-store.ts'
import type { Hex } from '../../chain/types.ts'
import type { Caller } from '../../http/caller.ts'
import type { Venue } from '../../http/product.ts'
import { AppError } from '../../lib/errors.ts'

/** What the operations on API keys work with. */
export interface KeyContext {
  readonly venue: Pick<Venue, 'sql'>
  readonly chainId: number
  /** The `productType` in the scopes of the product's keys. */
  readonly productType: string
  readonly auth: Pick<Auth, 'masterKeys' | 'keys'>
}

/** The keys of a wallet in this product. */
export const scopeOf = (
  { chainId, productType }: Pick<KeyContext, 'chainId' | 'productType'>,
  wallet: Hex,
): WalletScope => ({
  chainId,
  productType,
  wallet,
})

/** The wallet that a key belongs to. Throws `key_not_bound`: an operator can make keys that belong to none. */
export function walletOf({ userAddress }: Caller): Hex {
  if (userAddress !== null) return userAddress
  const message = 'this API key belongs to no wallet: make one with POST /v4/public/trader/api-key/create'
  throw new AppError(authReasons.key_not_bound, message)
}

/** A wallet that a request names must be the key's own (perp-api 2A.0). Throws `key_not_bound`, `user_not_bound`. */
export function requireOwnAddress(caller: Caller, { address }: { readonly address?: string }): void {
  const wallet = walletOf(caller)
  if (address === undefined || address.toLowerCase() === wallet) return
  const message = `address must be ${wallet}, the wallet of this API key, or be left out; it was ${address}`
  throw new AppError(authReasons.user_not_bound, message, { detail: { field: 'address' } })
}
