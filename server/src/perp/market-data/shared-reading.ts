import { RpcError } from '../../chain/rpc-error.ts'
import type { BlockInfo } from '../../http/product.ts'
import { AppError } from '../../lib/errors.ts'
import { perpReasons } from '../reasons.ts'

/** Whoever asks so soon after a reading began has it too: less than the time between two blocks. */
const MAX_AGE_MS = 100

/** Gives a reading; with a height, one of that block or a later one where the chain has come so far. */
export type SharedReading<T> = (atLeast?: bigint) => Promise<T>

/**
 * Lets those who ask at the same time share one reading of the chain. A failure is told to those who wait for it, that of the
 * node as `perp_chain_unreachable`, and the next one asks anew.
 */
export function sharedReading<T extends { readonly block: BlockInfo }>(read: () => Promise<T>): SharedReading<T> {
  let reading: Promise<T> | null = null
  let startedMs = Number.NEGATIVE_INFINITY
  const begin = () => {
    startedMs = performance.now()
    const started: Promise<T> = read().catch((cause) => {
      if (reading === started) reading = null
      throw cause instanceof RpcError ? unreachable(cause) : cause
    })
    reading = started
    return started
  }
  return async (atLeast = 0n) => {
    const recent = reading && performance.now() - startedMs <= MAX_AGE_MS ? reading : begin()
    const result = await recent
    if (result.block.height >= atLeast) return result
    return reading && reading !== recent ? reading : begin()
  }
}

const unreachable = (cause: RpcError): AppError =>
  new AppError(perpReasons.perp_chain_unreachable, 'the chain node does not answer; try again', { cause })
