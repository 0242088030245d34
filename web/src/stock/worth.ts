import { add } from '../lib/decimal.ts'

/** What positions are worth together; null where that of one is not known. */
export const worthOf = (positions: readonly { readonly marketValue: string | null }[]): string | null =>
  positions.reduce<string | null>(
    (sum, { marketValue }) => (sum === null || marketValue === null ? null : add(sum, marketValue)),
    '0',
  )
