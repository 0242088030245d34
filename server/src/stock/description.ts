import type { Auth } from '../auth/auth.ts'
import type { Description, EmbeddedVenue } from '../http/product.ts'
import { type DevelopmentKey, developmentKeys } from './development-keys.ts'
import type { StockSettings } from './variables.ts'

/** The part of dev.json under `stock`: all that a script needs to use the stock API at once. */
interface StockDevelopment {
  readonly baseUrl: string
  readonly chainId: number
  readonly productType: string
  readonly keys: readonly DevelopmentKey[]
}

/** Shows the stock API of an embedded venue. Secrets are in dev.json, not on the screen. */
export async function describeStock(
  embedded: EmbeddedVenue<Auth>,
  { prefix, productType }: StockSettings,
): Promise<Description> {
  const { chainId } = embedded.venue.deployment
  const baseUrl = `${embedded.url}${prefix}`
  const earlier = (embedded.earlier as StockDevelopment | null)?.keys ?? null
  const keys = await developmentKeys(embedded, earlier, productType)
  const dev: StockDevelopment = { baseUrl, chainId, productType, keys }
  return { dev, summary: ['stock API', `${baseUrl}  (x-api-chain-id ${chainId}, x-api-p ${productType})`] }
}
