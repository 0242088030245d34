import type { Db } from '../db/pool.ts'

export interface Marks {
  /** True when something is marked. */
  hasMarks(db: Db, chainId: number): Promise<boolean>
  /** For how long the oldest mark has waited, in seconds; 0 when nothing is marked. */
  oldestMarkSec(db: Db, chainId: number): Promise<number>
}

/** A product's table of what has changed and is to be told: `id`, `chain_id`, `marked_at`, and what the product marks by. */
export const marksIn = (table: string): Marks => ({
  async hasMarks(db, chainId) {
    const [row] = await db<{ found: boolean }[]>`
      select exists (select from ${db(table)} where chain_id = ${chainId}) as found`
    return row?.found === true
  },
  async oldestMarkSec(db, chainId) {
    // Not of the lowest id: a mark that is put back has a new one, and is as old as it was.
    const [row] = await db<{ sec: number | null }[]>`
      select extract(epoch from clock_timestamp() - min(marked_at))::float8 as sec from ${db(table)}
      where chain_id = ${chainId}`
    return row?.sec ?? 0
  },
})
