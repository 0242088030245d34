import { STRIDE_MS, type WriteMark } from './write-mark.ts'

/** A mark that outlives the stores of a test. */
export function memoryMark(): WriteMark {
  let belowMs = 0
  return {
    cover(timestampMs) {
      if (timestampMs >= belowMs) belowMs = timestampMs + STRIDE_MS
    },
    read: async () => belowMs,
  }
}
