import type { ChainEvent } from '../../chain/follow/event-module.ts'
import type { ChainBlock, Hex } from '../../chain/types.ts'
import { insertRows } from '../../db/named-rows.ts'
import type { Tx } from '../../db/pool.ts'
import { numbered, OF_PAIR, OF_TRADER } from './nth.ts'

/** Kinds of movements (migrations 131 and 279). */
const GATE_MOVES = ['deposit', 'withdraw', 'request', 'release', 'scatter', 'gather'] as const
const PAIR_MOVES = ['funding', 'fee', 'tip', 'loss', 'liquidation'] as const
export const LEDGER_KINDS = [...GATE_MOVES, ...PAIR_MOVES] as const
export type GateMove = (typeof GATE_MOVES)[number]
export type PairMove = (typeof PAIR_MOVES)[number]
export type LedgerKind = (typeof LEDGER_KINDS)[number]

/** Lists that hold two kinds (migration 131). */
const SIDES: Readonly<Partial<Record<LedgerKind, 'wallet' | 'pair'>>> = {
  deposit: 'wallet',
  withdraw: 'wallet',
  scatter: 'pair',
  gather: 'pair',
}

/** Lists that a pair has of its own (migration 240). */
const PAIR_LISTS: Readonly<Partial<Record<LedgerKind, 'funding' | 'pair'>>> = {
  funding: 'funding',
  scatter: 'pair',
  gather: 'pair',
}

/** One movement of an account's money: either in token units or in WAD. */
export interface Movement {
  readonly kind: LedgerKind
  readonly trader: Hex
  readonly token: Hex
  readonly amountRaw: bigint | null
  readonly amountWad: bigint | null
  readonly instrument: Hex | null
  readonly expiry: number | null
}

export type MovementRow = ReturnType<typeof movementRow>

export const movementRow = (block: ChainBlock, event: ChainEvent, move: Movement) => ({
  chain_id: block.chainId,
  tx_hash: event.transactionHash,
  index_in_tx: event.indexInTransaction,
  kind: move.kind,
  trader: move.trader,
  token: move.token,
  amount_raw: move.amountRaw,
  amount_wad: move.amountWad,
  instrument: move.instrument,
  expiry: move.expiry,
  block_number: block.number,
  at_sec: block.timestampSec,
})

export async function insertMovements(tx: Tx, rows: readonly MovementRow[]): Promise<void> {
  // The database generates the lists of a stored row, and not those of a new one.
  const listed = rows.map((row) => ({ ...row, side: SIDES[row.kind] ?? null, pair_list: PAIR_LISTS[row.kind] ?? null }))
  const movements = await numbered(tx, 'perp_ledger', listed, {
    nth: OF_TRADER,
    nth_of_kind: [...OF_TRADER, 'kind'],
    nth_of_side: [...OF_TRADER, 'side'],
    nth_of_pair: [...OF_PAIR, 'pair_list'],
  })
  await insertRows(
    tx,
    'perp_ledger',
    movements.map(({ side: _side, pair_list: _pairList, ...row }) => row),
  )
}
