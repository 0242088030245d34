import { sleep } from '../../lib/clock.ts'
import type { Rpc } from '../rpc.ts'
import { RpcError } from '../rpc-error.ts'
import { classifySimulation } from '../send/classify.ts'

/** For so long a read is repeated: as long as a receipt is waited for. */
const PATIENCE_MS = 60_000

/** Repeats a read while no node does the work. */
export type Patience = <T>(read: () => Promise<T>) => Promise<T>

/**
 * Reads that name a block, after a receipt has shown that there is one: of several nodes behind one address another may not have it yet, and
 * fails. Throws at once what the node says of the read itself, such as a revert.
 */
export function patienceOf(pauseMs: number): Patience {
  return async (read) => {
    const endMs = Date.now() + PATIENCE_MS
    for (;;) {
      try {
        return await read()
      } catch (error) {
        if (!isUnavailable(error) || Date.now() > endMs) throw error
      }
      await sleep(pauseMs)
    }
  }
}

/** A client whose reads are repeated so. */
export const patientRpc = (rpc: Rpc, repeated: Patience): Rpc => ({
  call: (method, params, options) => repeated(() => rpc.call(method, params, options)),
  batch: (calls, options) => repeated(() => rpc.batch(calls, options)),
  outcomes: rpc.outcomes,
})

const isUnavailable = (error: unknown): boolean =>
  error instanceof RpcError && classifySimulation(error).kind === 'unavailable'
