import { AppError } from '../../lib/errors.ts'
import { SESSION } from '../../market/hours.ts'
import type { Catalogue } from '../listing/catalogue.ts'
import { stockReasons } from '../reasons.ts'

/**
 * Refuses what may be done in the regular session only: market orders, in a market that keeps the calendar (stock-api 7).
 * The contracts know no sessions. Throws `market_not_regular`.
 */
export function requireRegularSession({ hours }: Catalogue, nowMs: number): void {
  if (hours.session(nowMs) === SESSION.regular) return
  const nextSec = Math.ceil(hours.nextRegular(nowMs) / 1000)
  const next = new Date(nextSec * 1000).toISOString().replace('.000Z', 'Z')
  const message = `market orders are taken in the regular session only; the next one begins at ${next}`
  throw new AppError(stockReasons.market_not_regular, message, { detail: { field: 'type', nextRegularSec: nextSec } })
}
