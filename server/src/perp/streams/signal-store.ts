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

/** An account, and the blocks whose signals of it are asked for: those above `after` up to `upTo`. */
export interface SignalRange {
  readonly trader: string
  readonly after: bigint
  readonly upTo: bigint
}

/** The newest signals of each range, `limit` at most of each, in their order; read in one statement. */
export async function signalsOf(
  db: Db,
  chainId: number,
  ranges: readonly SignalRange[],
  limit: number,
): Promise<readonly (readonly Signal[])[]> {
  const rows = await db<SignalRow[]>`
    select place.nth::integer as place, s.kind, s.trader, s.instrument, s.expiry, s.oid, s."orderId", s.change
    from unnest(
      ${ranges.map(({ trader }) => trader)}::text[],
      ${ranges.map(({ after }) => String(after))}::bigint[],
      ${ranges.map(({ upTo }) => String(upTo))}::bigint[]
    ) with ordinality as place (trader, after, up_to, nth)
    cross join lateral (
      select kind, trader, instrument, expiry::float8 as expiry, oid, order_id as "orderId", order_change as change,
        block_number, perp_account_signals.nth
      from perp_account_signals
      where chain_id = ${chainId} and trader = place.trader and block_number > place.after and block_number <= place.up_to
      order by block_number desc, perp_account_signals.nth desc limit ${limit}
    ) s
    order by place.nth, s.block_number, s.nth`
  const byPlace = Map.groupBy(rows, ({ place }) => place)
  return ranges.map((_range, index) => (byPlace.get(index + 1) ?? []).map(signalOf))
}

interface SignalRow {
  readonly place: number
  readonly kind: Signal['kind']
  readonly trader: Hex
  readonly instrument: Hex | null
  readonly expiry: number | null
  readonly oid: bigint | null
  readonly orderId: bigint | null
  readonly change: 'placed' | 'filled' | 'canceled' | null
}

const signalOf = ({ kind, trader, instrument, expiry, oid, orderId, change }: SignalRow): Signal => ({
  kind,
  trader,
  pair: instrument === null || expiry === null ? null : { instrument, expiry },
  order: oid === null || change === null ? null : { oid, id: orderId, change },
})
