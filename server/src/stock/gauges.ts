import type { VenueGauge } from '../http/product.ts'
import { WAD } from '../lib/wad.ts'
import { oldestUnsettledSec, oldestUnsubmittedSec, stageTimes } from './keeper/backlog-store.ts'
import { sumHedges } from './keeper/hedges.ts'
import { latestStockReading, suppliesOf } from './reconciliation/supply.ts'
import { oldestMarkSec } from './streams/mark-store.ts'

/** The venue's own risk. A gauge is a number for alarms, not for books: /status has the exact figures. */
export const STOCK_GAUGES: readonly VenueGauge[] = [
  {
    name: 'bourse_hedge_shares',
    help: 'Shares that the venue holds (or owes) for orders that can no longer take them.',
    labelNames: ['symbol'],
    async read({ sql, deployment }) {
      const hedges = await sumHedges(sql, deployment.chainId)
      return hedges.map(({ symbol, quantityWad }) => [{ symbol }, Number(quantityWad) / Number(WAD)])
    },
  },
  {
    name: 'bourse_token_supply_difference',
    help: 'Tokens outstanding beyond what was settled; other than 0 for long is a fault.',
    labelNames: ['ticker'],
    async read({ sql, deployment }) {
      const supplies = suppliesOf(await latestStockReading(sql, deployment.chainId))
      return supplies.map(({ ticker, differenceWad }) => [{ ticker }, Number(differenceWad) / Number(WAD)])
    },
  },
  {
    name: 'bourse_oldest_unsubmitted_order_seconds',
    help: 'Age of the oldest open order that the broker has not answered for; 0 when there is none.',
    read: async ({ sql, deployment }) => [[{}, await oldestUnsubmittedSec(sql, deployment.chainId)]],
  },
  {
    name: 'bourse_oldest_unsettled_execution_seconds',
    help: 'Age of the oldest execution whose settlement the chain does not show; 0 when there is none.',
    read: async ({ sql, deployment }) => [[{}, await oldestUnsettledSec(sql, deployment.chainId)]],
  },
  {
    name: 'bourse_oldest_untold_stock_change_seconds',
    help: 'Age of the oldest change of stock orders and operations that streams and webhooks have not been told; 0 when there is none.',
    read: async ({ sql, deployment }) => [[{}, await oldestMarkSec(sql, deployment.chainId)]],
  },
  {
    name: 'bourse_order_stage_seconds',
    help: 'How long the market orders of the last five minutes took to the broker, to their fill, and to settlement.',
    labelNames: ['stage', 'quantile'],
    async read({ sql, deployment }) {
      const stages = await stageTimes(sql, deployment.chainId)
      return stages.flatMap(({ stage, p50Sec, p99Sec }) => [
        [{ stage, quantile: '0.5' }, p50Sec] as const,
        [{ stage, quantile: '0.99' }, p99Sec] as const,
      ])
    },
  },
]
