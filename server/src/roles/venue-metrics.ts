import { sumHedges } from '../stock/keeper/hedges.ts'
import { compareSupplies } from '../stock/keeper/token-supply.ts'
import type { VenueGauge } from './gauges.ts'

const WAD = 1e18

/** The venue's own risk. A gauge is a number for alarms, not for books: /status has the exact figures. */
export const RISK_GAUGES: readonly VenueGauge[] = [
  {
    name: 'bourse_hedge_shares',
    help: 'Shares that the venue holds (or owes) for orders that can no longer take them.',
    labelNames: ['symbol'],
    async read({ sql, deployment }) {
      const hedges = await sumHedges(sql, deployment.chainId)
      return hedges.map(({ symbol, quantityWad }) => [{ symbol }, Number(quantityWad) / WAD])
    },
  },
  {
    name: 'bourse_token_supply_difference',
    help: 'Tokens outstanding beyond what the broker holds for them; other than 0 for long is a fault.',
    labelNames: ['ticker'],
    async read({ sql, deployment }) {
      const supplies = await compareSupplies(sql, deployment.chainId)
      return supplies.map(({ ticker, differenceWad }) => [{ ticker }, Number(differenceWad) / WAD])
    },
  },
]
