import type { Hex } from '../../chain/types.ts'
import { insertRows } from '../../db/named-rows.ts'
import type { Db, Tx } from '../../db/pool.ts'
import type { Pair } from '../market-data/pair-reader.ts'

/** That something of an account has changed. */
export interface Signal {
  readonly kind: 'order' | 'range' | 'position' | 'gate'
  readonly trader: Hex
  readonly pair: Pair | null
  /** The order; its public id is null where its placement is not recorded. */
  readonly order: {
    readonly oid: bigint
    readonly id: bigint | null
    readonly change: 'placed' | 'filled' | 'canceled'
  } | null
}

/** A signal with its place: the block, and the order within it. */
export interface NewSignal extends Signal {
  readonly chainId: number
  readonly blockNumber: bigint
  readonly nth: number
}

export const insertSignals = (tx: Tx, signals: readonly NewSignal[]): Promise<void> =>
  insertRows(
    tx,
    'perp_account_signals',
    signals.map(({ chainId, blockNumber, nth, trader, kind, pair, order }) => ({
      chain_id: chainId,
      block_number: blockNumber,
      nth,
      trader,
      kind,
      instrument: pair?.instrument ?? null,
      expiry: pair?.expiry ?? null,
      oid: order?.oid ?? null,
      order_id: order?.id ?? null,
      order_change: order?.change ?? null,
    })),
  )

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
