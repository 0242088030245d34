import { isMoving, type Line } from './lines.ts'
import type { Reading, StoredLine } from './reading-store.ts'

/** Readings in a row after which a difference counts as lasting; alarms count these. */
export const LASTING_READINGS = 3

/** A reading older than this says nothing about now; seconds. */
export const MAX_AGE_SEC = 180

export const isLasting = ({ readingsInARow }: StoredLine): boolean => readingsInARow >= LASTING_READINGS

export const sameLine = (a: Line, b: Line): boolean =>
  a.section === b.section && a.subject === b.subject && a.comparison === b.comparison

/** Summary of the newest reading for /status. */
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
    blockNumber: reading.block.number,
    readAt: reading.readAt,
    ageSec: Math.round(reading.ageSec),
    differences: differencesOf(reading).length,
    lasting: lasting.length,
    inFlight: reading.lines.filter(isMoving).length,
    causes: lasting.map(({ subject, comparison, cause }) => ({ subject, comparison, cause: String(cause) })),
  }
}

/** The lines of a reading whose sides do not agree. */
export const differencesOf = ({ lines }: Reading): readonly StoredLine[] =>
  lines.filter(({ difference }) => difference !== 0n)
