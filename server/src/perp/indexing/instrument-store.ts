import type { ChainBlock, Hex } from '../../chain/types.ts'
import { asTable } from '../../db/named-rows.ts'
import type { Sql, Tx } from '../../db/pool.ts'

/** Settings by their events; those not given stay. Margin ratios and the funding hour are null while the contract's defaults hold. */
interface Settings {
  readonly condition: number
  readonly minMarginWad: bigint
  readonly tradingFeeBps: number
  readonly protocolFeeBps: number
  readonly quoteType: number
  readonly tipWad: bigint
  readonly initialMarginBps: number | null
  readonly maintenanceMarginBps: number | null
  readonly fundingHour: number | null
}

interface Name {
  readonly symbol: string | null
  readonly base: Hex | null
  readonly quote: Hex | null
  /** Place in Gate's list, from 0. */
  readonly ordinal: number | null
  /** Unix second. */
  readonly createdAtSec: number | null
}

/** An instrument as its events leave it (migration 130); without a name until Gate has announced it. */
type Instrument = Settings & Name & { readonly instrument: Hex }

const NEW_INSTRUMENT: Settings & Name = {
  ...{ symbol: null, base: null, quote: null, ordinal: null, createdAtSec: null },
  ...{ condition: 0, minMarginWad: 0n, tradingFeeBps: 0, protocolFeeBps: 0, quoteType: 0, tipWad: 0n },
  ...{ initialMarginBps: null, maintenanceMarginBps: null, fundingHour: null },
}

/** The instruments that a block is of, as its events leave them. */
export class InstrumentChanges {
  readonly #block: ChainBlock
  readonly #instruments: Map<Hex, Instrument>
  readonly #changed = new Set<Hex>()

  private constructor(block: ChainBlock, rows: readonly Instrument[]) {
    this.#block = block
    this.#instruments = new Map(rows.map((row) => [row.instrument, row]))
  }

  static async load(tx: Tx, block: ChainBlock, instruments: readonly Hex[]): Promise<InstrumentChanges> {
    const rows = await tx<Instrument[]>`
      select instrument, symbol, base, quote, ordinal, created_at_sec::float8 as "createdAtSec", condition,
        min_margin_wad as "minMarginWad", trading_fee_bps as "tradingFeeBps", protocol_fee_bps as "protocolFeeBps",
        quote_type as "quoteType", tip_wad as "tipWad", initial_margin_bps as "initialMarginBps",
        maintenance_margin_bps as "maintenanceMarginBps", funding_hour as "fundingHour"
      from perp_instruments where chain_id = ${block.chainId} and instrument = any(${instruments as string[]})`
    return new InstrumentChanges(block, rows)
  }

  /** The instrument's contract has logged its first settings before. */
  name(instrument: Hex, name: Omit<Name, 'createdAtSec'>): void {
    this.#merge(instrument, { ...name, createdAtSec: this.#block.timestampSec })
  }

  change(instrument: Hex, settings: Partial<Settings>): void {
    this.#merge(instrument, settings)
  }

  #merge(instrument: Hex, change: Partial<Instrument>): void {
    const known = this.#instruments.get(instrument) ?? { ...NEW_INSTRUMENT, instrument }
    this.#instruments.set(instrument, { ...known, ...change })
    this.#changed.add(instrument)
  }

  /** Ratios of the fees, basis points. */
  feesOf(instrument: Hex): Pick<Settings, 'tradingFeeBps' | 'protocolFeeBps'> {
    const known = this.#instruments.get(instrument)
    if (!known) throw new Error(`the parameters of instrument ${instrument} have not been logged`)
    return known
  }

  quoteOf(instrument: Hex): Hex {
    const quote = this.#instruments.get(instrument)?.quote
    if (!quote) throw new Error(`instrument ${instrument} has not been named`)
    return quote
  }

  async write(tx: Tx): Promise<void> {
    const rows = [...this.#changed].map((instrument) => this.#rowOf(this.#instruments.get(instrument) as Instrument))
    const [first] = rows
    if (!first) return
    const columns = tx(Object.keys(first))
    await tx`
      insert into perp_instruments (${columns})
      select ${columns} from ${asTable(tx, 'perp_instruments', rows)}
      on conflict (chain_id, instrument) do update set
        symbol = excluded.symbol, base = excluded.base, quote = excluded.quote, ordinal = excluded.ordinal,
        created_at_sec = excluded.created_at_sec, condition = excluded.condition, min_margin_wad = excluded.min_margin_wad,
        trading_fee_bps = excluded.trading_fee_bps, protocol_fee_bps = excluded.protocol_fee_bps,
        quote_type = excluded.quote_type, tip_wad = excluded.tip_wad, initial_margin_bps = excluded.initial_margin_bps,
        maintenance_margin_bps = excluded.maintenance_margin_bps, funding_hour = excluded.funding_hour`
  }

  #rowOf(instrument: Instrument) {
    return {
      chain_id: this.#block.chainId,
      instrument: instrument.instrument,
      symbol: instrument.symbol,
      base: instrument.base,
      quote: instrument.quote,
      ordinal: instrument.ordinal,
      created_at_sec: instrument.createdAtSec,
      condition: instrument.condition,
      min_margin_wad: instrument.minMarginWad,
      trading_fee_bps: instrument.tradingFeeBps,
      protocol_fee_bps: instrument.protocolFeeBps,
      quote_type: instrument.quoteType,
      tip_wad: instrument.tipWad,
      initial_margin_bps: instrument.initialMarginBps,
      maintenance_margin_bps: instrument.maintenanceMarginBps,
      funding_hour: instrument.fundingHour,
    }
  }
}

/** The instruments that Gate has named: what the indexer follows beside the contracts of the deployment file. */
export async function listInstruments(sql: Sql, chainId: number): Promise<readonly Hex[]> {
  const rows = await sql<{ instrument: Hex }[]>`
    select instrument from perp_instruments where chain_id = ${chainId} and symbol is not null`
  return rows.map(({ instrument }) => instrument)
}
