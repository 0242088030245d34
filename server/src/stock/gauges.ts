import type { VenueGauge } from '../http/product.ts'
import { WAD } from '../lib/wad.ts'
import { sumHedges } from './keeper/hedges.ts'
import { latestStockReading, suppliesOf } from './reconciliation/supply.ts'

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
]
