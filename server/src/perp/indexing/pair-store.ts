import type { ChainBlock, Hex } from '../../chain/types.ts'
import { asTable } from '../../db/named-rows.ts'
import type { Tx } from '../../db/pool.ts'

/** A pair as events leave it (migration 130). */
interface PairState {
  /** 1 TRADING, 2 SETTLING, 3 SETTLED. */
  readonly status: number
  readonly sqrtPX96: bigint
  readonly markWad: bigint
  readonly feeIndex: bigint
  readonly protocolFeeWad: bigint
  readonly longSocialLossIndex: bigint
  readonly shortSocialLossIndex: bigint
  readonly longFundingIndex: bigint
  readonly shortFundingIndex: bigint
  readonly insuranceFundWad: bigint
}

/** What an event says of a pair; fields not given stay. */
export type PairChange = Partial<PairState>

interface Pair {
  readonly instrument: Hex
  readonly expiry: number
}

const NEW_PAIR = {
  ...{ feeIndex: 0n, protocolFeeWad: 0n, insuranceFundWad: 0n },
  ...{ longSocialLossIndex: 0n, shortSocialLossIndex: 0n, longFundingIndex: 0n, shortFundingIndex: 0n },
}

const keyOf = (instrument: Hex, expiry: number): string => `${instrument} ${expiry}`

/** The pairs of the instruments that a block is of, as its events leave them. */
export class PairChanges {
  readonly #block: ChainBlock
  readonly #recorded: ReadonlyMap<string, Pair>
  readonly #pairs: Map<string, Pair & PairState>
  readonly #changed = new Set<string>()

  private constructor(block: ChainBlock, rows: readonly (Pair & PairState)[]) {
    this.#block = block
    this.#pairs = new Map(rows.map((row) => [keyOf(row.instrument, row.expiry), row]))
    this.#recorded = new Map(this.#pairs)
  }

  static async load(tx: Tx, block: ChainBlock, instruments: readonly Hex[]): Promise<PairChanges> {
    const rows = await tx<(Pair & PairState)[]>`
      select instrument, expiry::float8 as expiry, status, sqrt_px96 as "sqrtPX96", mark_wad as "markWad",
        fee_index as "feeIndex", protocol_fee_wad as "protocolFeeWad", long_social_loss_index as "longSocialLossIndex",
        short_social_loss_index as "shortSocialLossIndex", long_funding_index as "longFundingIndex",
        short_funding_index as "shortFundingIndex", insurance_fund_wad as "insuranceFundWad"
      from perp_pairs where chain_id = ${block.chainId} and instrument = any(${instruments as string[]})`
    return new PairChanges(block, rows)
  }

  /** A pair begins with `UpdateAmmStatus`, which gives status, price and mark. */
  open(instrument: Hex, expiry: number, begun: Pick<PairState, 'status' | 'sqrtPX96' | 'markWad'>): void {
    const known = this.#pairs.get(keyOf(instrument, expiry)) ?? NEW_PAIR
    this.#set({ ...known, ...begun, instrument, expiry })
  }

  /** Nothing for a pair that there is not. */
  change(instrument: Hex, expiry: number, change: PairChange): void {
    const known = this.#pairs.get(keyOf(instrument, expiry))
    if (known) this.#set({ ...known, ...change })
  }

  #set(pair: Pair & PairState): void {
    const key = keyOf(pair.instrument, pair.expiry)
    this.#pairs.set(key, pair)
    this.#changed.add(key)
  }

  /** A settled pair in which nobody has anything left is forgotten, as by its contract. */
  delete(instrument: Hex, expiry: number): void {
    this.#pairs.delete(keyOf(instrument, expiry))
  }

  /** The curve's square-root price as the events so far have left it. */
  priceX96(instrument: Hex, expiry: number): bigint {
    const pair = this.#pairs.get(keyOf(instrument, expiry))
    if (!pair) throw new Error(`no pair ${expiry} of instrument ${instrument}`)
    return pair.sqrtPX96
  }

  async write(tx: Tx): Promise<void> {
    await Promise.all([this.#delete(tx), this.#upsert(tx)])
  }

  async #delete(tx: Tx): Promise<void> {
    for (const [key, { instrument, expiry }] of this.#recorded) {
      if (this.#pairs.has(key)) continue
      await tx`
        delete from perp_pairs
        where chain_id = ${this.#block.chainId} and instrument = ${instrument} and expiry = ${expiry}`
    }
  }

  async #upsert(tx: Tx): Promise<void> {
    const rows = [...this.#changed].flatMap((key) => this.#rowOf(key))
    const [first] = rows
    if (!first) return
    const columns = tx(Object.keys(first))
    await tx`
      insert into perp_pairs (${columns})
      select ${columns} from ${asTable(tx, 'perp_pairs', rows)}
      on conflict (chain_id, instrument, expiry) do update set
        status = excluded.status, sqrt_px96 = excluded.sqrt_px96, mark_wad = excluded.mark_wad,
        fee_index = excluded.fee_index, protocol_fee_wad = excluded.protocol_fee_wad,
        long_social_loss_index = excluded.long_social_loss_index, short_social_loss_index = excluded.short_social_loss_index,
        long_funding_index = excluded.long_funding_index, short_funding_index = excluded.short_funding_index,
        insurance_fund_wad = excluded.insurance_fund_wad, updated_at_sec = excluded.updated_at_sec`
  }

  #rowOf(key: string) {
    const pair = this.#pairs.get(key)
    if (!pair) return []
    const row = {
      chain_id: this.#block.chainId,
      instrument: pair.instrument,
      expiry: pair.expiry,
      status: pair.status,
      sqrt_px96: pair.sqrtPX96,
      mark_wad: pair.markWad,
      fee_index: pair.feeIndex,
      protocol_fee_wad: pair.protocolFeeWad,
      long_social_loss_index: pair.longSocialLossIndex,
      short_social_loss_index: pair.shortSocialLossIndex,
      long_funding_index: pair.longFundingIndex,
      short_funding_index: pair.shortFundingIndex,
      insurance_fund_wad: pair.insuranceFundWad,
      updated_at_sec: this.#block.timestampSec,
    }
    return [row]
  }
}
