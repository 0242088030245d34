import type { Hex } from '../../chain/types.ts'
import type { Db } from '../../db/pool.ts'
import type { Venue } from '../../http/product.ts'
import { formatUnits } from '../../lib/decimal.ts'
import { readMarketHours } from '../../market/hours-store.ts'
import type { Market } from '../../market/tasks.ts'
import { announcedSplits, noteTokens } from './split-store.ts'

// Splits that a real market's source has announced. Its shares become others with the ex-date whether the operator has applied the split
// to the token or not; until then nobody may trade the token by what it stood for.

/** A split that is not applied so long before its ex-date begins is an alarm. */
const WARNED_MS = 7 * 86_400_000
const RATIO_DECIMALS = 8

/** From when to when a share was, or is, another than the token stands for. */
export interface SplitGap {
  readonly token: Hex
  readonly ticker: string
  readonly exDate: string
  readonly from8: bigint
  readonly to8: bigint
  /** The beginning of the ex-date, market clock, Unix ms. */
  readonly startMs: number
  /** When the operator applied the split; null while nobody has. */
  readonly endMs: number | null
}

/** Gaps of tokens, past, present and announced; those of splits that were applied in time are none. */
export class SplitGaps {
  readonly #gaps: readonly SplitGap[]

  constructor(gaps: readonly SplitGap[]) {
    this.#gaps = gaps
  }

  /** Whether a token stands for other shares than were traded at an instant, market clock, Unix ms. */
  covers(token: string, timeMs: number): boolean {
    return this.#gaps.some((gap) => gap.token === token && gap.startMs <= timeMs && timeMs < (gap.endMs ?? Infinity))
  }

  /** Whether what was traded at an instant is shares of after a split that is not applied: no price of the token comes of it. */
  awaitsSplit(token: string, timeMs: number): boolean {
    return this.unapplied.some((gap) => gap.token === token && gap.startMs <= timeMs)
  }

  /** When the next gap of a token begins after an instant that no split has been applied for; null where none is announced. */
  nextStartMs(token: string, timeMs: number): number | null {
    const starts = this.unapplied.filter((gap) => gap.token === token && gap.startMs > timeMs)
    return starts.length === 0 ? null : Math.min(...starts.map(({ startMs }) => startMs))
  }

  get unapplied(): readonly SplitGap[] {
    return this.#gaps.filter(({ endMs }) => endMs === null)
  }
}

/** The gaps of the chain's tokens. A market that plays splits plays those that are applied, when they are: it has none. */
export async function readSplitGaps(db: Db, chainId: number): Promise<SplitGaps> {
  const announced = await announcedSplits(db, chainId)
  if (announced.length === 0) return new SplitGaps([])
  const hours = await readMarketHours(db)
  const gaps = announced.flatMap(({ knownSinceMs, effectiveMs, ...split }) => {
    const startMs = hours.tradeDateStart(split.exDate)
    return startMs > knownSinceMs ? [{ ...split, startMs, endMs: effectiveMs }] : []
  })
  return new SplitGaps(gaps)
}

/**
 * Fails while a split of a listed stock that the market's source has announced is not applied, from a week before its ex-date on, with
 * what to do.
 */
export async function watchAnnouncedSplits(
  { sql, deployment }: Pick<Venue, 'sql' | 'deployment'>,
  { clock }: Pick<Market, 'clock'>,
): Promise<void> {
  const { chainId } = deployment
  const nowMs = clock.nowMs()
  await noteTokens(sql, chainId, new Date(nowMs))
  const { unapplied } = await readSplitGaps(sql, chainId)
  const due = unapplied.filter(({ startMs }) => startMs - WARNED_MS <= nowMs)
  if (due.length > 0) throw new Error(due.map((gap) => problemOf(gap, nowMs)).join('; '))
}

function problemOf({ ticker, exDate, from8, to8, startMs }: SplitGap, nowMs: number): string {
  const [from, to] = [formatUnits(from8, RATIO_DECIMALS), formatUnits(to8, RATIO_DECIMALS)]
  const held = startMs <= nowMs ? ', and its new orders and its prices are held until it is' : ''
  return (
    `the split of ${ticker} on ${exDate} is not applied${held}: ` +
    `splits apply --symbol ${ticker} --from ${from} --to ${to} --ex-date ${exDate}`
  )
}
