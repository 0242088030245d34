import type { Db } from '../db/pool.ts'

/** A split, a reverse split or a stock dividend that the operator has applied to tokens. */
export interface AppliedSplit {
  readonly symbol: string
  /** Trade date, `YYYY-MM-DD`. */
  readonly exDate: string
  /** From this instant on (market clock, Unix ms) a share is one of the new ones. */
  readonly effectiveMs: number
  readonly from8: bigint
  readonly to8: bigint
}

/**
 * What a position is after splits, in the order they took effect: each part of what was traded, multiplied by those that came
 * after it (`splitsBefore` counts the others); a rest below 10⁻¹⁸ of a share is cut off at each.
 */
export function afterSplits(
  parts: readonly { readonly splitsBefore: number; readonly quantityWad: bigint }[],
  splits: readonly AppliedSplit[],
): bigint {
  const traded = (count: number) =>
    parts.reduce((sum, part) => (part.splitsBefore === count ? sum + part.quantityWad : sum), 0n)
  return splits.reduce((held, { from8, to8 }, nth) => (held * to8) / from8 + traded(nth + 1), traded(0))
}

/** Every applied split, in the order they take effect. */
export const listAppliedSplits = (db: Db): Promise<readonly AppliedSplit[]> => listSplits(db, db`effective_at`)

/** A split by when the market's shares became others. */
export interface ShareChange extends AppliedSplit {
  /** When a broker credits the shares of a stock dividend, Unix ms; null where the source has not said. */
  readonly payableMs: number | null
}

/**
 * The same by when the market's shares became others: where the market does not play splits the beginning of the ex-date, however late
 * the operator has applied one.
 */
export const listShareChanges = (db: Db): Promise<readonly ShareChange[]> =>
  listSplits(db, db`market_shares_changed_at(a)`)

interface SplitRow {
  readonly symbol: string
  readonly ex_date: string
  readonly instant: Date
  readonly payable: Date | null
  readonly from8: bigint
  readonly to8: bigint
}

async function listSplits(db: Db, instant: ReturnType<Db>): Promise<readonly ShareChange[]> {
  const rows = await db<SplitRow[]>`
    select symbol, ex_date::text, ${instant} as instant, ratio_from8 as from8, ratio_to8 as to8,
      payable_date::timestamp at time zone 'America/New_York' as payable
    from market_corporate_actions a where effective_at is not null order by instant, symbol`
  return rows.map(({ symbol, ex_date, instant: at, payable, from8, to8 }) => ({
    symbol,
    from8,
    to8,
    exDate: ex_date,
    effectiveMs: at.getTime(),
    payableMs: payable?.getTime() ?? null,
  }))
}

/** Whether shares become others when the operator applies a split, as the simulated market's do: not those of a real market. */
export async function marketPlaysSplits(db: Db): Promise<boolean> {
  const [row] = await db<{ plays: boolean }[]>`select market_plays_splits() as plays`
  return row?.plays === true
}

/** The ratio of a split that the market's source, or the file of corporate actions, tells of; null where it tells of none on that date. */
export async function announcedRatio(
  db: Db,
  symbol: string,
  exDate: string,
): Promise<Pick<AppliedSplit, 'from8' | 'to8'> | null> {
  const [row] = await db<{ from8: bigint; to8: bigint }[]>`
    select ratio_from8 as from8, ratio_to8 as to8 from market_corporate_actions
    where symbol = ${symbol} and type = 'split' and ex_date = ${exDate}::date and effective_at is null`
  return row ?? null
}

/**
 * Records a split that the operator applies. One that the file of corporate actions has already is taken over with what the
 * operator says, beside what was announced; false when the operator has applied a split of the symbol on that date before.
 */
export async function insertAppliedSplit(db: Db, split: AppliedSplit): Promise<boolean> {
  const stored = await db`
    insert into market_corporate_actions as a (symbol, type, ex_date, ratio_from8, ratio_to8, effective_at)
    values (${split.symbol}, 'split', ${split.exDate}::date, ${split.from8.toString()}, ${split.to8.toString()},
      ${new Date(split.effectiveMs)})
    on conflict (symbol, type, ex_date) do update set announced_from8 = a.ratio_from8,
      announced_to8 = a.ratio_to8, ratio_from8 = excluded.ratio_from8, ratio_to8 = excluded.ratio_to8,
      effective_at = excluded.effective_at
    where a.effective_at is null`
  return stored.count > 0
}
