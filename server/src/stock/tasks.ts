import { chainProfile } from '../chain/profiles.ts'
import type { Task } from '../http/product.ts'
import { Backoff } from '../lib/backoff.ts'
import { type Market, QUIET_MS } from '../market/tasks.ts'
import { reconcileTask } from '../reconciliation/cycle.ts'
import { watchAnnouncedSplits } from './keeper/announced-splits.ts'
import { bookHedges } from './keeper/hedges.ts'
import { publishMemory, publishPrices } from './keeper/publish-prices.ts'
import { type BufferTargets, refillBuffers, refillMemory } from './keeper/refill-buffers.ts'
import { settleCash } from './keeper/settle-cash.ts'
import { settlementMemory, settleOrders } from './keeper/settle-orders.ts'
import { settleStockWithdrawals } from './keeper/settle-stock-withdrawals.ts'
import { applySplits } from './keeper/splits.ts'
import { forwardCancels, takeOrders } from './keeper/take-orders.ts'
import { stockComparisons } from './reconciliation/reconcile.ts'

/**
 * What the keeper does for stocks: prices to the chain, orders and cancels to the broker, executions, ends of orders and
 * queued cash back to the chain, the Cashier's buffers, splits; and broker, database and chain side by side.
 */
export function stockTasks(market: Market, buffers: BufferTargets): readonly Task[] {
  const prices = publishMemory()
  const settlement = settlementMemory()
  const cash = new Backoff()
  const stockWithdrawals = new Backoff()
  const refills = refillMemory()
  return [
    { name: 'stock.publish-prices', intervalMs: 500, run: (venue) => publishPrices(venue, prices) },
    {
      name: 'stock.take-orders',
      intervalMs: 250,
      quietMs: QUIET_MS,
      run: async (venue) => {
        const confirmation = confirmationOf(venue.deployment.chainId)
        const forwarded = await forwardCancels(venue, confirmation)
        const taken = await takeOrders(venue, market, confirmation)
        return taken > 0 || forwarded > 0 ? 'changed' : undefined
      },
    },
    {
      name: 'stock.settle-orders',
      intervalMs: 250,
      quietMs: QUIET_MS,
      run: (venue) => settleOrders(venue, settlement),
    },
    { name: 'stock.hedges', intervalMs: 500, quietMs: QUIET_MS, run: bookHedges },
    { name: 'stock.settle-cash', intervalMs: 500, quietMs: QUIET_MS, run: (venue) => settleCash(venue, cash) },
    {
      name: 'stock.settle-stock-withdrawals',
      intervalMs: 1000,
      run: (venue) => settleStockWithdrawals(venue, stockWithdrawals),
    },
    { name: 'stock.buffers', intervalMs: 2000, run: (venue) => refillBuffers(venue, buffers, refills) },
    { name: 'stock.splits', intervalMs: 1000, run: (venue) => applySplits(venue, market.clock) },
    {
      name: 'stock.announced-splits',
      intervalMs: 5000,
      run: (venue) => watchAnnouncedSplits(venue, market),
    },
    reconcileTask(stockComparisons(market)),
  ]
}

const confirmationOf = (chainId: number) => ({ chainId, actDepth: chainProfile(chainId).actDepth })
