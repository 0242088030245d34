import type { Hex } from '../../chain/types.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { KEEPER_PURPOSE } from '../keeper/chores.ts'

/** The account that the keeper has sent from. */
export const SIGNER: Hex = `0x${'5'.repeat(40)}`

/** A database in which the relayer has a key for the keeper. */
export async function keeperDatabase(chainId: number): Promise<TestDatabase> {
  const database = await testDatabase()
  await database.sql`insert into tx_signers (chain_id, address, purposes) values (${chainId}, ${SIGNER}, ${[KEEPER_PURPOSE]})`
  return database
}
