import type { Auth } from '../../auth/auth.ts'
import type { WalletScope } from '../../auth/wallet-key-store.ts'
import type { Hex } from '../../chain/types.ts'
import type { Venue } from '../../http/product.ts'

/** What the operations on API keys work with. */
export interface KeyContext {
  readonly venue: Pick<Venue, 'sql' | 'clock'>
  readonly chainId: number
  /** The `productType` in the scopes of the product's keys. */
  readonly productType: string
  readonly auth: Pick<Auth, 'masterKeys' | 'keys'>
  /** For how long a key lasts that a page in a browser makes. */
  readonly sessionMs: number
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
