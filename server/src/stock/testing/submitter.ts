import { storeSigned } from '../../chain/send/store.ts'
import type { Hex } from '../../chain/types.ts'
import { inTransaction, type Sql } from '../../db/pool.ts'
import { sleep } from '../../lib/clock.ts'
import { CHAIN_ID, randomHash } from './chain.ts'

/** The signer of what is submitted for users. */
export const SUBMITTER: Hex = `0x${'5'.repeat(40)}`

const lane = { chainId: CHAIN_ID, signer: SUBMITTER }

/** A relayer that signs what is queued to be submitted and finds it mined at once; no node is asked. */
export function signQueued(sql: Sql): { stop(): Promise<void> } {
  let nonce = 0n
  let stopped = false
  async function round(): Promise<void> {
    const queued = await sql<{ id: bigint }[]>`
      select id from tx_intents where purpose = 'submit' and state = 'queued' order by id`
    for (const { id } of queued) {
      const fees = { maxFeeWei: 1n, maxPriorityFeeWei: 1n }
      const signed = { id, nonce: nonce++, hash: randomHash(), rawTx: '0x' as Hex, gasLimit: 200_000n, ...fees }
      await inTransaction(sql, (tx) => storeSigned(tx, lane, [{ ...signed, headNumber: 1n }]))
      await sql`
        update tx_intents set state = 'mined', outcome = 'succeeded', block_number = 1, block_hash = ${randomHash()}
        where id = ${id.toString()}::bigint`
    }
  }
  const running = (async () => {
    while (!stopped) {
      await round()
      await sleep(10)
    }
  })()
  return {
    async stop() {
      stopped = true
      await running
    },
  }
}
