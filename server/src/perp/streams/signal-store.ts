import type { ChainBlock, Hex } from '../../chain/types.ts'
import { type Db, numeric, type Tx } from '../../db/pool.ts'
import type { Pair } from '../market-data/pair-reader.ts'

/** That something of an account has changed. */
export interface Signal {
  readonly kind: 'order' | 'range' | 'position' | 'gate'
  readonly trader: Hex
  readonly pair: Pair | null
  /** Of an order; its public id is null where its beginning is not recorded. */
  readonly order: {
    readonly oid: bigint
    readonly id: bigint | null
    readonly change: 'placed' | 'filled' | 'canceled'
  } | null
}

export async function insertSignals(tx: Tx, block: ChainBlock, signals: readonly Signal[]): Promise<void> {
  if (signals.length === 0) return
  await tx`
    insert into perp_account_signals
      (chain_id, block_number, nth, trader, kind, instrument, expiry, oid, order_id, order_change)
    select ${block.chainId}, ${block.number}, * from unnest(
      ${signals.map((_, nth) => nth)}::integer[], ${signals.map(({ trader }) => trader)}::text[],
      ${signals.map(({ kind }) => kind)}::text[], ${signals.map(({ pair }) => pair?.instrument ?? null)}::text[],
      ${signals.map(({ pair }) => pair?.expiry ?? null)}::bigint[],
      ${signals.map(({ order }) => numeric(order?.oid))}::bigint[],
      ${signals.map(({ order }) => numeric(order?.id))}::bigint[],
      ${signals.map(({ order }) => order?.change ?? null)}::text[])`
}

/** The newest signals of an account in the blocks above `after` up to `upTo`, `limit` at most, in their order. */
export async function signalsOf(
  db: Db,
  chainId: number,
  trader: string,
  { after, upTo }: { readonly after: bigint; readonly upTo: bigint },
  limit: number,
): Promise<readonly Signal[]> {
  const rows = await db<
    {
      kind: Signal['kind']
      trader: Hex
      instrument: Hex | null
      expiry: number | null
      oid: bigint | null
      orderId: bigint | null
      change: 'placed' | 'filled' | 'canceled' | null
    }[]
  >`
    select kind, trader, instrument, expiry::float8 as expiry, oid, order_id as "orderId", order_change as change
    from perp_account_signals
    where chain_id = ${chainId} and trader = ${trader} and block_number > ${after} and block_number <= ${upTo}
    order by block_number desc, nth desc limit ${limit}`
  return rows.reverse().map(({ instrument, expiry, oid, orderId, change, ...signal }) => ({
    ...signal,
    pair: instrument === null || expiry === null ? null : { instrument, expiry },
    order: oid === null || change === null ? null : { oid, id: orderId, change },
  }))
}
