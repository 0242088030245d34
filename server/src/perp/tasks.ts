import type { SignerNeed } from '../chain/send/signer.ts'
import type { Task } from '../http/product.ts'
import type { Market } from '../market/tasks.ts'
import { FEED_PURPOSE, feedMemory, feedPrices } from './keeper/feed-prices.ts'

/** What the keeper does for perpetuals: market prices to the feeds. */
export function perpTasks(market: Market): readonly Task[] {
  const feeds = feedMemory()
  return [{ name: 'perp.feed-prices', intervalMs: 1000, run: (venue) => feedPrices(venue, market, feeds) }]
}

/** Who signs for perpetuals. */
export const perpSigners: readonly SignerNeed[] = [
  {
    purpose: FEED_PURPOSE,
    variable: 'SIGNER_PERP_FEED_KEY',
    many: false,
    does: 'writes prices to the feeds of perpetuals on a development chain',
    required: false,
    embeddedAccounts: [16],
  },
]
