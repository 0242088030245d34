import { isTooLarge, RpcError } from '../rpc-error.ts'

/** Target size of an answer, so that neither node nor memory is strained. */
const TARGET_RESULTS = 10_000
/**
 * Few, since nothing is known yet: the first contracts that the chain names have the range that names them fetched again, and on a
 * chain of the venue's own it is read with receipts.
 */
const FIRST_BLOCKS = 8

/** How many blocks to ask at once: grows while answers are small, shrinks when the node refuses or is late. */
export interface RangeSize {
  blocks(): number
  /** After a request over `blocks` that gave `results` transactions and logs. */
  succeeded(blocks: number, results: number): void
  /** True when the failure is one that a smaller range may cure, and the range could still be made smaller. */
  failed(error: unknown): boolean
}

export function createRangeSize(maxBlocks: number): RangeSize {
  let size = Math.min(FIRST_BLOCKS, maxBlocks)
  /** What a provider has refused is not tried again. */
  let ceiling = maxBlocks
  return {
    blocks: () => size,
    succeeded(blocks, results) {
      if (results > TARGET_RESULTS) size = Math.max(1, Math.floor((blocks * TARGET_RESULTS) / results))
      else if (blocks >= size && results < TARGET_RESULTS / 2) size = Math.min(ceiling, size * 2)
    },
    failed(error) {
      const late = error instanceof RpcError && error.failure === 'rpc_timeout'
      if (size === 1 || !(late || isTooLarge(error))) return false
      size = Math.max(1, Math.floor(size / 2))
      if (!late) ceiling = size
      return true
    },
  }
}
