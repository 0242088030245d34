import type { Auth } from '../../../auth/auth.ts'
import { boundUser } from '../../../auth/bound-user.ts'
import type { WalletScope } from '../../../auth/wallet-key-store.ts'
import type { Hex } from '../../../chain/types.ts'
import type { Caller } from '../../../http/caller.ts'
import type { StockContext } from '../../context.ts'

/** What the operations on sessions work with. */
export interface SessionContext extends Pick<StockContext, 'venue' | 'chainId' | 'productType'> {
  readonly auth: Pick<Auth, 'masterKeys' | 'keys'>
  readonly sessionMs: number
}

export const walletScope = ({ chainId, productType }: SessionContext, wallet: Hex): WalletScope => ({
  chainId,
  productType,
  wallet,
})

export const scopeOf = (context: SessionContext, caller: Caller): WalletScope => walletScope(context, boundUser(caller))
