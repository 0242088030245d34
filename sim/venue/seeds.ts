import { lengthOf } from '../../server/src/lib/testing-campaign.ts'

/**
 * Seeds that failed once, kept with what they found. 7: orders that were on chain were discarded with the rest of a restored queue, and
 * told as failed. 28: a request that lost the database was answered as one that had not arrived. 101: an intent came in while the operator
 * read the list. 133: a trade that was accepted and then could not be sent was refused without a word that this is final, as 43 and
 * 143 were. Each fault of the venue has a test beside its code; CI runs two of the lives, within three minutes.
 */
const KEPT = [7, 28, 101, 133] as const
const IN_CI = [7, 133] as const

/** What befalls a life beside the sleep of a leader; what a seed that is named found, it found among so many. */
export const FAULTS = process.env.VENUE_SEEDS ? 8 : lengthOf({ short: 4, whole: 8 })

/** `VENUE_SEEDS` (`7`, `1-200`, or `kept` for all that are kept) runs others by hand: docs/simulation.md. */
export function seeds(): readonly number[] {
  const { VENUE_SEEDS } = process.env
  if (!VENUE_SEEDS) return lengthOf<readonly number[]>({ short: IN_CI.slice(0, 1), whole: IN_CI })
  if (VENUE_SEEDS === 'kept') return KEPT
  const [first = Number.NaN, last = first] = VENUE_SEEDS.split('-').map(Number)
  if (!(first <= last))
    throw new Error(`VENUE_SEEDS is "${VENUE_SEEDS}": give one seed, the first and the last as 1-200, or kept`)
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}
