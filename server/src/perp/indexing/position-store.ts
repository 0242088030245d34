import type { ChainEvent } from '../../chain/follow/event-module.ts'
import type { ChainBlock, Hex } from '../../chain/types.ts'
import { asTable } from '../../db/named-rows.ts'
import type { Tx } from '../../db/pool.ts'

/** An account in a pair. */
export interface PairAccount {
  readonly instrument: Hex
  readonly expiry: number
  readonly trader: Hex
}

/** `PositionCache` of the contracts, WAD. */
export interface PositionState {
  readonly balance: bigint
  readonly size: bigint
  readonly entryNotional: bigint
  readonly entrySocialLossIndex: bigint
  readonly entryFundingIndex: bigint
}

type PositionRow = ReturnType<typeof positionRow>

const positionRow = (
  { chainId, timestampSec }: ChainBlock,
  { instrument, expiry, trader }: PairAccount,
  event: ChainEvent,
  state: PositionState,
) => ({
  ...{ chain_id: chainId, instrument, expiry, trader },
  balance_wad: state.balance,
  size_wad: state.size,
  entry_notional_wad: state.entryNotional,
  entry_social_loss_index: state.entrySocialLossIndex,
  entry_funding_index: state.entryFundingIndex,
  update_tx_hash: event.transactionHash,
  updated_at_sec: timestampSec,
})

/** Positions as the last event of a block leaves each (migration 131). */
export class PositionChanges {
  readonly #block: ChainBlock
  readonly #rows = new Map<string, PositionRow>()

  constructor(block: ChainBlock) {
    this.#block = block
  }

  set(account: PairAccount, event: ChainEvent, state: PositionState): void {
    const key = `${account.instrument} ${account.expiry} ${account.trader}`
    this.#rows.set(key, positionRow(this.#block, account, event, state))
  }

  async write(tx: Tx): Promise<void> {
    const rows = [...this.#rows.values()]
    const [first] = rows
    if (!first) return
    const columns = tx(Object.keys(first))
    await tx`
      insert into perp_positions (${columns})
      select ${columns} from ${asTable(tx, 'perp_positions', rows)}
      on conflict (chain_id, instrument, expiry, trader) do update set
        balance_wad = excluded.balance_wad, size_wad = excluded.size_wad, entry_notional_wad = excluded.entry_notional_wad,
        entry_social_loss_index = excluded.entry_social_loss_index, entry_funding_index = excluded.entry_funding_index,
        update_tx_hash = excluded.update_tx_hash, updated_at_sec = excluded.updated_at_sec`
  }
}
