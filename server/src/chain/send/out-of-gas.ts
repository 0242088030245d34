import type { Db } from '../../db/pool.ts'

/** The `problem` of an intent whose transaction ran out of gas: the transaction itself says nothing (`revert-data.ts` finds it out). */
export const OUT_OF_GAS = 'the transaction ran out of gas'

/** SQL: whether the transaction of an intent, a row of `tx_intents` under this name, ran out of gas when it was mined. */
export const ranOutOfGas = (db: Db, intent: ReturnType<Db>) => db`
  (${intent}.problem is not distinct from ${OUT_OF_GAS})`

/**
 * Whether so much was used that it may have run out. Little is left then: each call keeps 1/64 of what it has, so that as much as
 * a fifth may be.
 */
export const mayBeSpent = (gasUsed: bigint, gasLimit: bigint): boolean => gasUsed * 5n >= gasLimit * 4n
