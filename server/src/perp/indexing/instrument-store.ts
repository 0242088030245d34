import type { Hex } from '../../chain/types.ts'
import type { Sql } from '../../db/pool.ts'

/** The instruments that Gate has named: what the indexer follows beside the contracts of the deployment file. */
export async function listInstruments(sql: Sql, chainId: number): Promise<readonly Hex[]> {
  const rows = await sql<{ instrument: Hex }[]>`
    select instrument from perp_instruments where chain_id = ${chainId} and symbol is not null`
  return rows.map(({ instrument }) => instrument)
}
