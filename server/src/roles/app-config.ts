import { SESSION_STATEMENT } from '../auth/sessions.ts'
import { DEV_RPC_PATH } from '../http/dev-rpc.ts'
import type { ServedProduct, Venue } from '../http/product.ts'

export interface AppVenue {
  readonly venue: Pick<Venue, 'deployment'>
  readonly products: readonly Pick<ServedProduct, 'name' | 'prefix' | 'stream' | 'app'>[]
  readonly isEmbedded: boolean
  readonly sessionMs: number
}

/** `/app-config.json`: what a page has to know of this venue before it can ask anything. No secrets. */
export const appConfig = ({ venue, products, isEmbedded, sessionMs }: AppVenue) => ({
  chainId: venue.deployment.chainId,
  embedded: isEmbedded,
  devRpc: isEmbedded ? DEV_RPC_PATH : null,
  explorerUrl: null,
  contracts: venue.deployment.contracts,
  session: { statement: SESSION_STATEMENT, maxSeconds: sessionMs / 1000 },
  ...Object.fromEntries(products.map((product) => [product.name, productPart(product)])),
})

/** Null for a product that this chain does not have. */
function productPart({ prefix, stream, app }: AppVenue['products'][number]) {
  return app && stream ? { prefix, stream: prefix + stream.path, ...app } : null
}
