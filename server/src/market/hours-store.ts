import type { Db, Tx } from '../db/pool.ts'
import { usCalendar } from './calendar/us-calendar.ts'
import { alwaysOpen, type MarketHours } from './hours.ts'

/** What a venue may keep: `always` never closes, `calendar` follows the US stock market. */
const KEPT = { always: alwaysOpen, calendar: usCalendar } as const
export type KeptHours = keyof typeof KEPT

export const hoursOf = (kept: KeptHours): MarketHours => KEPT[kept]

/** Tells the other roles which hours the market keeps. */
export async function saveMarketHours(tx: Tx, kept: KeptHours): Promise<void> {
  await tx`
    insert into market_hours (kept) values (${kept}) on conflict (only_row) do update set kept = excluded.kept
    where market_hours.kept <> excluded.kept`
}

/** The hours that the market keeps; always open until the market has said otherwise. */
export async function readMarketHours(db: Db): Promise<MarketHours> {
  const [row] = await db<{ kept: KeptHours }[]>`select kept from market_hours`
  return hoursOf(row?.kept ?? 'always')
}
