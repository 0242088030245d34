import type { SignerNeed } from '../chain/send/signer.ts'
import type { Task } from '../http/product.ts'
import type { Market } from '../market/tasks.ts'
import { reconcileTask } from '../reconciliation/cycle.ts'
import { FEED_PURPOSE, feedMemory, feedPrices } from './keeper/feed-prices.ts'
import { perpComparisons } from './reconciliation/reconcile.ts'

/** What the keeper does for perpetuals: market prices to the feeds, and its books against the chain. */
export function perpTasks(market: Market): readonly Task[] {
  const feeds = feedMemory()
  return [
    { name: 'perp.feed-prices', intervalMs: 1000, run: (venue) => feedPrices(venue, market, feeds) },
    reconcileTask(perpComparisons),
  ]
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
