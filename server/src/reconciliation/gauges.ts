import type { Venue } from '../http/product.ts'
import { latestReading } from './reading-store.ts'
import { type ReconciliationSummary, summaryOf } from './report.ts'

/** What an alarm asks of the readings of these products: the worst of them. A product without a reading yet has no say. */
export const reconciliationGauges = (products: readonly string[]) => [
  {
    name: 'bourse_reconciliation_lasting_differences',
    help: 'Comparisons of broker, database and chain that have not agreed for several readings; above 0 is a fault.',
    async read(venue: Venue) {
      const summaries = await summariesOf(venue, products)
      return summaries.length === 0 ? [] : [[{}, summaries.reduce((total, { lasting }) => total + lasting, 0)] as const]
    },
  },
  {
    name: 'bourse_reconciliation_age_seconds',
    help: 'How old the newest reading of broker, database and chain is.',
    async read(venue: Venue) {
      const summaries = await summariesOf(venue, products)
      return summaries.length === 0 ? [] : [[{}, Math.max(...summaries.map(({ ageSec }) => ageSec))] as const]
    },
  },
]

async function summariesOf(
  { sql, deployment }: Venue,
  products: readonly string[],
): Promise<readonly ReconciliationSummary[]> {
  const readings = await Promise.all(products.map((product) => latestReading(sql, deployment.chainId, product)))
  return readings.flatMap((reading) => summaryOf(reading) ?? [])
}
