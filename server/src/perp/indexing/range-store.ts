import type { ChainEvent } from '../../chain/follow/event-module.ts'
import type { ChainBlock } from '../../chain/types.ts'
import { asTable } from '../../db/named-rows.ts'
import type { Tx } from '../../db/pool.ts'
import type { PairAccount } from './position-store.ts'

export interface RangePlace extends PairAccount {
  readonly tickLower: number
  readonly tickUpper: number
}

/** `Range` of the contracts. */
export interface RangeState {
  readonly liquidity: bigint
  readonly entryFeeIndex: bigint
  readonly balance: bigint
  readonly sqrtEntryPX96: bigint
}

type RangeRow = ReturnType<typeof rangeRow>

const placeRow = (chainId: number, { instrument, expiry, trader, tickLower, tickUpper }: RangePlace) => ({
  ...{ chain_id: chainId, instrument, expiry, trader, tick_lower: tickLower, tick_upper: tickUpper },
})

const rangeRow = ({ chainId, timestampSec }: ChainBlock, place: RangePlace, event: ChainEvent, state: RangeState) => ({
  ...placeRow(chainId, place),
  liquidity: state.liquidity,
  entry_fee_index: state.entryFeeIndex,
  balance_wad: state.balance,
  sqrt_entry_px96: state.sqrtEntryPX96,
  update_tx_hash: event.transactionHash,
  updated_at_sec: timestampSec,
})

const keyOf = ({ instrument, expiry, trader, tickLower, tickUpper }: RangePlace): string =>
  `${instrument} ${expiry} ${trader} ${tickLower} ${tickUpper}`

/** Ranges that come and go in a block (migration 131). One that does both leaves no row. */
export class RangeChanges {
  readonly #block: ChainBlock
  readonly #removed = new Map<string, RangePlace>()
  readonly #added = new Map<string, RangeRow>()

  constructor(block: ChainBlock) {
    this.#block = block
  }

  add(place: RangePlace, event: ChainEvent, state: RangeState): void {
    this.#added.set(keyOf(place), rangeRow(this.#block, place, event, state))
  }

  remove(place: RangePlace): void {
    if (!this.#added.delete(keyOf(place))) this.#removed.set(keyOf(place), place)
  }

  /** Throws when a range that went was not recorded. */
  async write(tx: Tx): Promise<void> {
    await Promise.all([this.#delete(tx), this.#insert(tx)])
  }

  async #delete(tx: Tx): Promise<void> {
    const places = [...this.#removed.values()].map((place) => placeRow(this.#block.chainId, place))
    if (places.length === 0) return
    const deleted = await tx`
      delete from perp_ranges r using ${asTable(tx, 'perp_ranges', places)}
      where r.chain_id = new.chain_id and r.instrument = new.instrument and r.expiry = new.expiry
        and r.trader = new.trader and r.tick_lower = new.tick_lower and r.tick_upper = new.tick_upper`
    if (deleted.count === places.length) return
    throw new Error(`of ${places.length} ranges that were removed ${deleted.count} are recorded: ${asText(places)}`)
  }

  async #insert(tx: Tx): Promise<void> {
    const rows = [...this.#added.values()]
    const [first] = rows
    if (!first) return
    const columns = tx(Object.keys(first))
    await tx`insert into perp_ranges (${columns}) select ${columns} from ${asTable(tx, 'perp_ranges', rows)}`
  }
}

const asText = (places: readonly ReturnType<typeof placeRow>[]): string =>
  places.map((row) => `${row.tick_lower} to ${row.tick_upper} of ${row.trader} in ${row.instrument}`).join(', ')
