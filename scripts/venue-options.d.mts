/** Options of Node for a small heap. */
export const VENUE_OPTIONS: readonly string[]
