import { isMoving, type Line, sum } from './lines.ts'
import type { Reading, StoredLine } from './reading-store.ts'

/** A difference of so many readings in a row is no passing one: alarms count these. */
export const LASTING_READINGS = 3

/** A reading older than this says nothing about now; seconds. */
export const MAX_AGE_SEC = 180

export const isLasting = ({ readingsInARow }: StoredLine): boolean => readingsInARow >= LASTING_READINGS

export const sameLine = (a: Line, b: Line): boolean =>
  a.section === b.section && a.subject === b.subject && a.comparison === b.comparison

/** What /status says of the newest reading. */
export interface ReconciliationSummary {
  readonly blockNumber: bigint
  readonly readAt: Date
  readonly ageSec: number
  /** Comparisons that do not agree, and those of them that have not for several readings. */
  readonly differences: number
  readonly lasting: number
  /** Comparisons for which something is on its way. */
  readonly inFlight: number
  /** The lasting ones by name. */
  readonly causes: readonly { readonly subject: string; readonly comparison: string; readonly cause: string }[]
}

/** A reading in short; null before the first. */
export function summaryOf(reading: Reading | null): ReconciliationSummary | null {
  if (reading === null) return null
  const lasting = reading.lines.filter(isLasting)
  return {
    ...{ blockNumber: reading.block.number, readAt: reading.readAt, ageSec: Math.round(reading.ageSec) },
    differences: differencesOf(reading).length,
    lasting: lasting.length,
    inFlight: reading.lines.filter(isMoving).length,
    causes: lasting.map(({ subject, comparison, cause }) => ({ subject, comparison, cause: String(cause) })),
  }
}

/** The lines of a reading whose sides do not agree. */
export const differencesOf = ({ lines }: Reading): readonly StoredLine[] =>
  lines.filter(({ difference }) => difference !== 0n)

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
      ...{ ticker, differenceWad: difference, readAt: reading.readAt },
      outstandingWad: (chain ?? 0n) - (inFlight.find(({ name }) => name === 'settler')?.amount ?? 0n),
      brokerWad: settlement?.broker ?? 0n,
      openWad: sum(open),
      sharesPerTokenWad: find(ticker, 'shares_per_token')?.chain ?? 0n,
    }
  })
}
