import { type IntentState, unfinishedStates } from '../../chain/send/intents.ts'
import type { Hex } from '../../chain/types.ts'
import { type Db, numeric, type Tx } from '../../db/pool.ts'
import type { SentSend } from '../../delegation/send-group.ts'
import { orderingKey } from '../../delegation/submission.ts'
import type { NamedOrder } from '../actions/action.ts'

// Sends for wallets: written by the role api, those of kept orders by the keeper, what became of them by the relayer.

/** What is kept of a send. */
export interface SentAction {
  readonly id: string
  readonly action: string
  readonly orders: readonly NamedOrder[]
  /** What it trades at once; null where it leaves the position as it is. */
  readonly trade: SentTrade | null
}

/** A trade of a pair. */
export interface SentTrade {
  readonly instrument: Hex
  readonly expiry: number
  /** Signed base; 0 for what turns no more than is taken of orders, or a range, into a position. */
  readonly sizeWad: bigint
}

export async function insertSends(tx: Tx, chainId: number, sends: readonly SentSend<SentAction>[]): Promise<void> {
  const column = <T>(of: (kept: SentAction) => T) => sends.map(({ kept }) => of(kept))
  await tx`
    insert into perp_sends (send_id, chain_id, intent_id, api_key_id, user_address, action, orders, instrument, expiry,
      trades_wad)
    select send_id, ${chainId}, intent_id, api_key_id, user_address, action, orders::jsonb, instrument, expiry, trades_wad
    from unnest(${column(({ id }) => id)}::uuid[], ${sends.map(({ intentId }) => numeric(intentId))}::bigint[],
      ${sends.map(({ apiKeyId }) => apiKeyId)}::text[], ${sends.map(({ user }) => user)}::text[],
      ${column(({ action }) => action)}::text[], ${column(({ orders }) => JSON.stringify(orders))}::text[],
      ${column(({ trade }) => trade?.instrument ?? null)}::text[],
      ${column(({ trade }) => trade?.expiry.toString() ?? null)}::bigint[],
      ${column(({ trade }) => numeric(trade?.sizeWad))}::numeric[])
      as new (send_id, intent_id, api_key_id, user_address, action, orders, instrument, expiry, trades_wad)`
}

/** Holds what the wallet trades for the rest of the caller's transaction: of two trades at once the second counts the first. */
export async function lockTrades(tx: Tx, chainId: number, user: Hex): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`perp.trades:${chainId}:${user}`}, 0))`
}

/** A block that is this old shows every transaction that is final. */
const FINAL_SHOWN_AFTER = '10 minutes'

/** What sends of a wallet do in a pair that a block does not show. */
interface Beyond {
  /** Base that they trade in one direction. */
  readonly traded: bigint
  /** Whether any ends orders, of which what was taken becomes a position. */
  readonly endsOrders: boolean
  /** Whether any removes a range, of which a position is left. */
  readonly removesRange: boolean
}

/**
 * What sends of the wallet do in the pair that the block does not show: under way, or mined above it. Of trades those in the
 * direction of `sizeWad` count.
 */
export async function sentBeyond(
  tx: Tx,
  chainId: number,
  user: Hex,
  { instrument, expiry, sizeWad }: SentTrade,
  height: bigint,
): Promise<Beyond> {
  const [row] = await tx<Beyond[]>`
    select
      coalesce(sum(abs(s.trades_wad)) filter (where sign(s.trades_wad) = ${sizeWad < 0n ? -1 : 1}), 0)::numeric(78, 0) as traded,
      coalesce(bool_or(s.trades_wad = 0 and s.action <> 'remove-liquidity'), false) as "endsOrders",
      coalesce(bool_or(s.action = 'remove-liquidity'), false) as "removesRange"
    from (
      select chain_id, id from tx_intents
      where chain_id = ${chainId} and ordering_key = ${orderingKey(user)} and state in ${unfinishedStates(tx)}
      union
      select chain_id, intent_id from perp_sends
      where chain_id = ${chainId} and user_address = ${user} and trades_wad is not null
        and created_at > clock_timestamp() - ${FINAL_SHOWN_AFTER}::interval
    ) recent
    join tx_intents i on i.chain_id = recent.chain_id and i.id = recent.id
    join perp_sends s on s.chain_id = recent.chain_id and s.intent_id = recent.id
    where s.instrument = ${instrument} and s.expiry = ${expiry}
      and (i.state in ('queued', 'signed', 'broadcast')
        or i.outcome = 'succeeded' and i.block_number > ${height.toString()}::bigint)`
  return row as Beyond
}

/** A send with what became of it. */
export interface SendRow {
  readonly sendId: string
  readonly user: Hex
  readonly action: string
  readonly createdAt: Date
  readonly state: IntentState
  readonly outcome: 'succeeded' | 'reverted' | null
  /** The mined hash, until then the newest attempt's; null until there is one. */
  readonly txHash: Hex | null
  readonly revertData: Hex | null
  readonly problem: string | null
  readonly orders: readonly NamedOrder[]
}

/** A send that came to nothing. */
export type FailedSend = Pick<SendRow, 'sendId' | 'user' | 'action' | 'createdAt' | 'txHash' | 'revertData' | 'problem'>

/** Those of these sends that the chain reverted, or that were not sent and are not sent any more. */
export const failedSends = (tx: Tx, chainId: number, sendIds: readonly string[]): Promise<FailedSend[]> => tx<
  FailedSend[]
>`
  select s.send_id as "sendId", s.user_address as "user", s.action, s.created_at as "createdAt",
    i.tx_hash as "txHash", i.revert_data as "revertData", i.problem
  from perp_sends s join tx_intents i on i.chain_id = s.chain_id and i.id = s.intent_id
  where s.chain_id = ${chainId} and s.send_id = any(${sendIds as string[]}::uuid[])
    and (i.outcome = 'reverted' or i.state in ('rejected', 'failed'))`

/** The sends of these ids. */
export async function findSends(db: Db, sendIds: readonly string[]): Promise<SendRow[]> {
  return await db<SendRow[]>`
    select s.send_id as "sendId", s.user_address as "user", s.action, s.created_at as "createdAt", i.state, i.outcome,
      coalesce(i.tx_hash, newest.hash) as "txHash",
      i.revert_data as "revertData", i.problem, s.orders
    from perp_sends s
    join tx_intents i on i.chain_id = s.chain_id and i.id = s.intent_id
    left join lateral (
      select a.hash from tx_attempts a
      where a.chain_id = s.chain_id and a.intent_id = s.intent_id and not a.released
      order by a.signed_at desc, a.max_fee_wei desc limit 1
    ) newest on i.tx_hash is null
    where s.send_id = any(${sendIds as string[]}::uuid[])`
}
