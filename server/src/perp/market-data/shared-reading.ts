import { RpcError } from '../../chain/rpc-error.ts'
import type { BlockInfo } from '../../http/product.ts'
import { andThen } from '../../lib/and-then.ts'
import { AppError } from '../../lib/errors.ts'
import { perpReasons } from '../reasons.ts'

/** Whoever asks so soon after a reading began has it too: less than the time between two blocks. */
const MAX_AGE_MS = 100

/** Gives a reading, at once where there is a recent one; with a height, one of that block or a later one where the chain has come so far. */
export type SharedReading<T> = (atLeast?: bigint) => T | Promise<T>

/**
 * Lets those who ask at the same time share one reading of the chain. A failure is told to those who wait for it, that of the
 * node as `perp_chain_unreachable`, and the next one asks anew.
 */
export function sharedReading<T extends { readonly block: BlockInfo }>(read: () => Promise<T>): SharedReading<T> {
  let reading: T | Promise<T> | null = null
  let startedMs = Number.NEGATIVE_INFINITY
  let begun = 0
  const begin = () => {
    startedMs = performance.now()
    begun++
    const started: Promise<T> = read().then(
      (value) => {
        if (reading === started) reading = value
        return value
      },
      (cause) => {
        if (reading === started) reading = null
        throw cause instanceof RpcError ? unreachable(cause) : cause
      },
    )
    reading = started
    return started
  }
  return (atLeast = 0n) => {
    const recent = reading && performance.now() - startedMs <= MAX_AGE_MS ? reading : begin()
    const nth = begun
    return andThen(recent, (result) => {
      if (result.block.height >= atLeast) return result
      return reading && begun !== nth ? reading : begin()
    })
  }
}

const unreachable = (cause: RpcError): AppError =>
  new AppError(perpReasons.perp_chain_unreachable, 'the chain node does not answer; try again', { cause })
