import type { Db } from '../../db/pool.ts'
import { latestReading, type Reading } from '../../reconciliation/reading-store.ts'
import { RECONCILED, sum } from './lines.ts'

/** The newest reading of the stocks; null before the first. */
export const latestStockReading = (db: Db, chainId: number): Promise<Reading | null> =>
  latestReading(db, chainId, RECONCILED)

/** One token's supply beside what was settled of it; tokens, 18 decimals. */
export interface SupplyComparison {
  readonly ticker: string
  /** Tokens in the hands of users and contracts: all but those of the settler. */
  readonly outstandingWad: bigint
  /** Tokens bought less sold at the broker for the venue's orders, and of them what the chain does not show as settled. */
  readonly brokerWad: bigint
  readonly openWad: bigint
  /** Outstanding less settled: 0 unless a token came into the world, or left it, without a settlement. */
  readonly differenceWad: bigint
  /** Shares that a token stands for, as the chain has it. */
  readonly sharesPerTokenWad: bigint
  readonly readAt: Date
}

/** Each token's supply, as a reading has it; none before the first. */
export function suppliesOf(reading: Reading | null): readonly SupplyComparison[] {
  if (reading === null) return []
  const find = (ticker: string, comparison: string) =>
    reading.lines.find((line) => line.subject === ticker && line.comparison === comparison)
  const supplies = reading.lines.filter(({ comparison }) => comparison === 'supply')
  return supplies.map(({ subject: ticker, chain, inFlight, difference }) => {
    const settlement = find(ticker, 'settlement')
    const open = (settlement?.inFlight ?? []).map(({ amount }) => amount)
    return {
      ticker,
      differenceWad: difference,
      readAt: reading.readAt,
      outstandingWad: (chain ?? 0n) - (inFlight.find(({ name }) => name === 'settler')?.amount ?? 0n),
      brokerWad: settlement?.broker ?? 0n,
      openWad: sum(open),
      sharesPerTokenWad: find(ticker, 'shares_per_token')?.chain ?? 0n,
    }
  })
}
