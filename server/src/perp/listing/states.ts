// As the contracts number them.

/** Of a pair. */
export const STATUS = { DORMANT: 0, TRADING: 1, SETTLING: 2, SETTLED: 3 } as const
/** Of an instrument. */
export const CONDITION = { NORMAL: 0, FROZEN: 1, RESOLVED: 2 } as const
