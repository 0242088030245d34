/** Options of Node for a small heap. */
export const SMALL_HEAP: readonly string[]
