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
  /** Its place in the block; null for what was recorded without it (migration 242). */
  readonly logIndex: number | null
  readonly atSec: number
}

/** A trade with the place of its pair among those that were asked for. */
type PlacedTrade = PairTrade & { readonly nth: number }

/** The newest trades of each of these pairs, `limit` at most, oldest first: those of blocks above `after` up to `upTo`. */
export async function newestTrades(
  db: Db,
  chainId: number,
  pairs: readonly Pair[],
  { after, upTo }: { readonly after: bigint; readonly upTo: bigint },
  limit: number,
): Promise<readonly PlacedTrade[]> {
  const rows = await db<PlacedTrade[]>`
    select pair.nth::integer - 1 as nth, trade.*
    from unnest(${pairs.map(({ instrument }) => instrument)}::text[], ${pairs.map(({ expiry }) => expiry)}::bigint[])
      with ordinality as pair (instrument, expiry, nth)
    cross join lateral (
      select tx_hash as "txHash", index_in_tx as "indexInTx", kind, event, size_wad as "sizeWad",
        notional_wad as "notionalWad", price_wad as "priceWad", trade_fee_wad as "tradeFeeWad",
        protocol_fee_wad as "protocolFeeWad", mark_wad as "markWad", sqrt_px96 as "sqrtPX96",
        block_number as "blockNumber", log_index as "logIndex", at_sec::float8 as "atSec"
      from perp_executions e
      where chain_id = ${chainId} and e.instrument = pair.instrument and e.expiry = pair.expiry
        and event in ('Trade', 'Sweep') and block_number > ${after} and block_number <= ${upTo}
      order by block_number desc, log_index desc nulls last, tx_hash, index_in_tx desc limit ${limit}
    ) trade
    order by pair.nth, "blockNumber" desc, "logIndex" desc nulls last, "txHash", "indexInTx" desc`
  return rows.reverse()
}
