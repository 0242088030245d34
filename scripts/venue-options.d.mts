/** Options of Node for a venue that shares its machine. */
export const VENUE_OPTIONS: readonly string[]
