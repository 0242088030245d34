import { type Line, type LineParts, line as lineOf } from '../../reconciliation/lines.ts'

/** The product whose readings these are. */
export const RECONCILED = 'perp'

/** The sections of the report with their headings, in its order. */
export const SECTIONS = {
  pairs: 'Pairs of perpetuals',
  accounts: 'Accounts of perpetuals, a part of them at each reading',
}

/** What a difference is called: the rows of the database that are not what the contracts have. */
type Cause = 'pair_books' | 'liquidity_books' | 'position_books' | 'order_books' | 'range_books'

/** A comparison of rows: how many were looked at, and which of them differ. */
export function rowsLine(
  section: keyof typeof SECTIONS,
  comparison: string,
  cause: Cause,
  { checked, wrong }: { readonly checked: number; readonly wrong: readonly string[] },
): Line {
  const [all, differing] = [BigInt(checked), BigInt(wrong.length)]
  const parts: LineParts = {
    section,
    subject: 'perpetuals',
    comparison,
    unit: 'rows',
    decimals: 0,
    cause,
    database: all,
    chain: all - differing,
    difference: differing,
    details: wrong,
  }
  return lineOf(parts)
}
