import type { Sql } from '../db/pool.ts'
import { AppError } from '../lib/errors.ts'
import { claimOrigin, readOrigin } from './origin-store.ts'
import { marketReasons } from './reasons.ts'

// A database belongs to one market for ever: what one broker executed, another does not hold.

/** Binds this database to a market. Throws `market_origin_changed` when it belongs to another. */
export async function requireOrigin(sql: Sql, origin: string): Promise<void> {
  const claimed = await claimOrigin(sql, origin)
  if (claimed !== origin) throw originChanged(claimed, origin)
}

/** Refuses a database that belongs to a market of another kind; which one of the kind it is may show later. */
export async function requireOriginOf(sql: Sql, kind: string): Promise<void> {
  const origin = await readOrigin(sql)
  if (origin !== null && !origin.startsWith(`${kind} `)) throw originChanged(origin, kind)
}

const originChanged = (claimed: string, configured: string): AppError =>
  new AppError(
    marketReasons.market_origin_changed,
    `this database belongs to the market "${claimed}", and "${configured}" is configured`,
  )
