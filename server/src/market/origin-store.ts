import type { Db } from '../db/pool.ts'

/** Names the market that this database belongs to, the first time; resolves to the one it belongs to. */
export async function claimOrigin(db: Db, origin: string): Promise<string> {
  await db`insert into market_origin (origin) values (${origin}) on conflict do nothing`
  return (await readOrigin(db)) ?? origin
}

/** The market that this database belongs to; null while it belongs to none. */
export async function readOrigin(db: Db): Promise<string | null> {
  const [row] = await db<{ origin: string }[]>`select origin from market_origin`
  return row?.origin ?? null
}
