import { sumHedges } from '../stock/keeper/hedges.ts'
import { latestReading } from '../stock/reconciliation/reading-store.ts'
import { summaryOf, suppliesOf } from '../stock/reconciliation/report.ts'
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
    help: 'Tokens outstanding beyond what was settled; other than 0 for long is a fault.',
    labelNames: ['ticker'],
    async read({ sql, deployment }) {
      const supplies = suppliesOf(await latestReading(sql, deployment.chainId))
      return supplies.map(({ ticker, differenceWad }) => [{ ticker }, Number(differenceWad) / WAD])
    },
  },
  {
    name: 'bourse_reconciliation_lasting_differences',
    help: 'Comparisons of broker, database and chain that have not agreed for several readings; above 0 is a fault.',
    async read({ sql, deployment }) {
      const summary = summaryOf(await latestReading(sql, deployment.chainId))
      return summary ? [[{}, summary.lasting]] : []
    },
  },
  {
    name: 'bourse_reconciliation_age_seconds',
    help: 'How old the newest reading of broker, database and chain is.',
    async read({ sql, deployment }) {
      const summary = summaryOf(await latestReading(sql, deployment.chainId))
      return summary ? [[{}, summary.ageSec]] : []
    },
  },
]
