import type { Sql } from '../../db/pool.ts'
import { sleep } from '../../lib/clock.ts'

/** Waits until nothing that was stored for the relayer is under way. */
export async function allMined(sql: Sql): Promise<void> {
  const underWay = () => sql`select from tx_intents where state in ('queued', 'signed', 'broadcast') limit 1`
  while ((await underWay()).length > 0) await sleep(20)
}
