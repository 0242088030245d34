import type { Db } from '../db/pool.ts'

/** The chains that a database has been of: those that were followed, and those on which a signer worked. */
async function chainsOf(db: Db): Promise<number[]> {
  const rows = await db<{ chainId: bigint }[]>`
    select chain_id as "chainId" from chain_checkpoints union select chain_id from tx_signers order by 1`
  return rows.map(({ chainId }) => Number(chainId))
}

/**
 * The chain that a command is for: the database's own, since what is written for another one is read by no process of the venue.
 * Throws where `named`, the chain id that the operator gave, is of none of its chains, and where none was given and the database
 * does not tell; one that has followed no chain yet is of `otherwise`, where that is known.
 */
export async function chainForCommand(db: Db, named: number | undefined, otherwise?: number): Promise<number> {
  const chains = await chainsOf(db)
  if (chains.length === 0) {
    const chainId = named ?? otherwise
    if (chainId !== undefined) return chainId
    throw new Error(`this database has followed no chain yet: set CHAIN_ID as the venue's processes have it`)
  }
  const [first] = chains
  if (named === undefined && first !== undefined && chains.length === 1) return first
  if (named === undefined)
    throw new Error(`this database is of the chains ${chains.join(', ')}: set CHAIN_ID to one of them`)
  if (chains.includes(named)) return named
  const right = chains.join(' or ')
  throw new Error(`CHAIN_ID is ${named}, but this database is of chain ${right}: leave it out, or set it to ${right}`)
}
