import type { ChainEvent } from '../../chain/follow/event-module.ts'
import type { ChainBlock, Hex } from '../../chain/types.ts'
import { numeric, type Tx } from '../../db/pool.ts'
import { nextNth } from './nth.ts'

/** Kinds of movements (migration 131). */
export type GateMove = 'deposit' | 'withdraw' | 'request' | 'release' | 'scatter' | 'gather'
export type PairMove = 'funding' | 'fee' | 'tip'

/** Lists that hold two kinds (migration 131). */
const SIDES: Readonly<Partial<Record<GateMove | PairMove, 'wallet' | 'pair'>>> = {
  deposit: 'wallet',
  withdraw: 'wallet',
  scatter: 'pair',
  gather: 'pair',
}

interface Movement {
  readonly kind: GateMove | PairMove
  readonly trader: Hex
  /** Null: the instrument's quote. */
  readonly token: Hex | null
  readonly amountRaw: bigint | null
  readonly amountWad: bigint | null
  readonly instrument: Hex | null
  readonly expiry: number | null
}

/** What Gate moved, in token units. */
export async function insertGateMove(
  tx: Tx,
  block: ChainBlock,
  event: ChainEvent,
  kind: GateMove,
  move: { readonly trader: Hex; readonly token: Hex; readonly amountRaw: bigint },
  pair: { readonly instrument: Hex; readonly expiry: number } | null = null,
): Promise<void> {
  const { instrument, expiry } = pair ?? { instrument: null, expiry: null }
  await insertMovement(tx, block, event, { ...move, kind, amountWad: null, instrument, expiry })
}

/** What a pair credited or charged an account, in WAD of its quote; nothing for 0. */
export async function insertPairMove(
  tx: Tx,
  block: ChainBlock,
  event: ChainEvent,
  kind: PairMove,
  move: { readonly trader: Hex; readonly amountWad: bigint; readonly expiry: number },
): Promise<void> {
  if (move.amountWad === 0n) return
  await insertMovement(tx, block, event, { ...move, kind, token: null, amountRaw: null, instrument: event.address })
}

async function insertMovement(tx: Tx, block: ChainBlock, event: ChainEvent, move: Movement): Promise<void> {
  const { chainId } = block
  const { kind, trader, token, instrument } = move
  const list = tx`chain_id = ${chainId} and trader = ${trader}`
  const ofKind = tx`chain_id = ${chainId} and trader = ${trader} and kind = ${kind}`
  const side = SIDES[kind]
  const quote = tx`(select quote from perp_instruments where chain_id = ${chainId} and instrument = ${instrument})`
  await tx`
    insert into perp_ledger
      (chain_id, tx_hash, index_in_tx, kind, trader, token, amount_raw, amount_wad, instrument, expiry, block_number,
       at_sec, nth, nth_of_kind, nth_of_side)
    values
      (${chainId}, ${event.transactionHash}, ${event.indexInTransaction}, ${kind}, ${trader}, ${token ?? quote},
       ${numeric(move.amountRaw)}, ${numeric(move.amountWad)}, ${instrument}, ${move.expiry}, ${block.number},
       ${block.timestampSec}, ${nextNth(tx, 'perp_ledger', 'nth', list)},
       ${nextNth(tx, 'perp_ledger', 'nth_of_kind', ofKind)},
       ${side ? nextNth(tx, 'perp_ledger', 'nth_of_side', tx`${list} and side = ${side}`) : null})`
}

/** Sets the sum that waits; returns by how much it grew, negative where it was released. */
export async function setPending(
  tx: Tx,
  block: ChainBlock,
  { token, trader, amountRaw, sinceSec }: { token: Hex; trader: Hex; amountRaw: bigint; sinceSec: number },
): Promise<bigint> {
  const [before] = await tx<{ amountRaw: bigint }[]>`
    select amount_raw as "amountRaw" from perp_pending_withdrawals
    where chain_id = ${block.chainId} and token = ${token} and trader = ${trader}`
  await tx`
    insert into perp_pending_withdrawals (chain_id, token, trader, amount_raw, since_sec)
    values (${block.chainId}, ${token}, ${trader}, ${numeric(amountRaw)}, ${sinceSec})
    on conflict (chain_id, token, trader) do update
    set amount_raw = excluded.amount_raw, since_sec = excluded.since_sec`
  return amountRaw - (before?.amountRaw ?? 0n)
}
