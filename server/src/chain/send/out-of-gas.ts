import type { Db } from '../../db/pool.ts'

/**
 * SQL: whether the transaction of an intent, a row of `tx_intents` under this name, ran out of gas when it was mined. It gives no reason
 * then, and little is left: each call keeps 1/64 of what it has, so that as much as a fifth may be.
 */
export const ranOutOfGas = (db: Db, intent: ReturnType<Db>) => db`
  (${intent}.outcome = 'reverted' and coalesce(${intent}.revert_data, '0x') = '0x' and exists (
    select from tx_attempts a
    where a.chain_id = ${intent}.chain_id and a.intent_id = ${intent}.id and a.hash = ${intent}.tx_hash
      and ${intent}.gas_used * 5 >= a.gas_limit * 4))`
