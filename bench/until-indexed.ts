import type { Rpc } from '../server/src/chain/rpc.ts'
import type { Hex } from '../server/src/chain/types.ts'
import type { Sql } from '../server/src/db/pool.ts'
import { sleep } from '../server/src/lib/clock.ts'

const WITHIN_MS = 600_000

/** Waits until a block is indexed; the node's present one unless told. */
export async function untilIndexed(rpc: Rpc, sql: Sql, height?: bigint): Promise<void> {
  const head = height ?? BigInt(await rpc.call<Hex>('eth_blockNumber'))
  const deadlineMs = Date.now() + WITHIN_MS
  for (;;) {
    const [row] = await sql<{ number: bigint }[]>`select block_number as number from chain_checkpoints`
    if (row && row.number >= head) return
    if (Date.now() > deadlineMs) throw new Error(`block ${head} is not indexed, block ${row?.number} is`)
    await sleep(10)
  }
}
