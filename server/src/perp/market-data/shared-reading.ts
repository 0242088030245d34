import { RpcError } from '../../chain/rpc-error.ts'
import { AppError } from '../../lib/errors.ts'
import { perpReasons } from '../reasons.ts'

/** Whoever asks so soon after a reading began has it too: less than the time between two blocks. */
const MAX_AGE_MS = 100

/**
 * Lets those who ask at the same time share one reading of the chain. A failure is told to those who wait for it, that of the
 * node as `perp_chain_unreachable`, and the next one asks anew.
 */
export function sharedReading<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | null = null
  let startedMs = Number.NEGATIVE_INFINITY
  return () => {
    const nowMs = performance.now()
    if (reading && nowMs - startedMs <= MAX_AGE_MS) return reading
    startedMs = nowMs
    const started: Promise<T> = read().catch((cause) => {
      if (reading === started) reading = null
      throw cause instanceof RpcError ? unreachable(cause) : cause
    })
    reading = started
    return started
  }
}

/** The failure that a client is told when the node does not answer. */
export const unreachable = (cause: RpcError): AppError =>
  new AppError(perpReasons.perp_chain_unreachable, 'the chain node does not answer; try again', { cause })
