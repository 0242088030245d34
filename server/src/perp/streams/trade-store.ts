import type { Hex } from '../../chain/types.ts'
import type { Db } from '../../db/pool.ts'
import type { Pair } from '../market-data/pair-reader.ts'

/** A trade of a pair: what was taken from curve and book. */
export interface PairTrade {
  readonly txHash: Hex
  readonly indexInTx: number
  readonly kind: 'market' | 'liquidation'
  readonly event: string
  readonly sizeWad: bigint
  readonly notionalWad: bigint
  readonly priceWad: bigint
  readonly tradeFeeWad: bigint
  readonly protocolFeeWad: bigint
  readonly markWad: bigint
  readonly sqrtPX96: bigint
  readonly blockNumber: bigint
  readonly atSec: number
}

/** The newest trades of a pair, `limit` at most, oldest first: those of blocks above `after` up to `upTo`. */
export async function newestTrades(
  db: Db,
  chainId: number,
  { instrument, expiry }: Pair,
  { after, upTo }: { readonly after: bigint; readonly upTo: bigint },
  limit: number,
): Promise<readonly PairTrade[]> {
  const rows = await db<PairTrade[]>`
    select tx_hash as "txHash", index_in_tx as "indexInTx", kind, event, size_wad as "sizeWad",
      notional_wad as "notionalWad", price_wad as "priceWad", trade_fee_wad as "tradeFeeWad",
      protocol_fee_wad as "protocolFeeWad", mark_wad as "markWad", sqrt_px96 as "sqrtPX96",
      block_number as "blockNumber", at_sec::float8 as "atSec"
    from perp_executions
    where chain_id = ${chainId} and instrument = ${instrument} and expiry = ${expiry} and event in ('Trade', 'Sweep')
      and block_number > ${after} and block_number <= ${upTo}
    order by block_number desc, at_sec desc, tx_hash, index_in_tx desc limit ${limit}`
  return rows.reverse()
}
