import type { Db } from '../db/pool.ts'
import { formatUnits } from '../lib/decimal.ts'
import type { CorporateAction } from './corporate-actions.ts'

interface AppliedRow {
  readonly symbol: string
  readonly ex_date: string
  readonly ratio_from8: bigint
  readonly ratio_to8: bigint
  readonly announced_from8: bigint | null
  readonly announced_to8: bigint | null
}

/**
 * One line for each applied split with an ex-date from `sinceDate` on of which the source tells another ratio, unless it did so already when
 * the operator applied it: then he chose.
 */
export async function correctedSplits(
  db: Db,
  told: readonly CorporateAction[],
  sinceDate: string,
): Promise<readonly string[]> {
  const applied = await db<AppliedRow[]>`
    select symbol, ex_date::text, ratio_from8, ratio_to8, announced_from8, announced_to8 from market_corporate_actions
    where effective_at is not null and ex_date >= ${sinceDate}::date order by market_corporate_actions.ex_date, symbol`
  return applied.flatMap((row) => {
    const { symbol, ex_date: exDate } = row
    const now = told.find((one) => one.type === 'split' && one.symbol === symbol && one.exDate === exDate)
    if (now === undefined || isRatio(now, row.ratio_from8, row.ratio_to8)) return []
    if (isRatio(now, row.announced_from8, row.announced_to8)) return []
    const [theirs, ours] = [ratioText(now.ratioFrom8, now.ratioTo8), ratioText(row.ratio_from8, row.ratio_to8)]
    return [`the split of ${symbol} on ${exDate} was applied as ${ours}, and the market's source says ${theirs}`]
  })
}

const isRatio = ({ ratioFrom8, ratioTo8 }: CorporateAction, from8: bigint | null, to8: bigint | null): boolean =>
  from8 !== null && to8 !== null && (ratioFrom8 ?? 0n) * to8 === (ratioTo8 ?? 0n) * from8

const ratioText = (from8: bigint | null, to8: bigint | null): string =>
  `${formatUnits(from8 ?? 0n, 8)} to ${formatUnits(to8 ?? 0n, 8)}`
