import type { ChainBlock, Hex } from '../../chain/types.ts'
import { type Db, numeric, type Sql, type Tx } from '../../db/pool.ts'

// Instruments and their pairs, as events leave them (migration 130).

/** Ratios of an instrument's fees, basis points. */
export interface FeeRatios {
  readonly tradingFeeBps: number
  readonly protocolFeeBps: number
}

export interface NewInstrument {
  readonly instrument: Hex
  readonly symbol: string
  readonly base: Hex
  readonly quote: Hex
  readonly ordinal: number
}

/** The instrument's contract has logged its first settings before. */
export async function nameInstrument(tx: Tx, block: ChainBlock, named: NewInstrument): Promise<void> {
  const { instrument, symbol, base, quote, ordinal } = named
  await tx`
    insert into perp_instruments (chain_id, instrument, symbol, base, quote, ordinal, created_at_sec)
    values (${block.chainId}, ${instrument}, ${symbol}, ${base}, ${quote}, ${ordinal}, ${block.timestampSec})
    on conflict (chain_id, instrument) do update
    set symbol = excluded.symbol, base = excluded.base, quote = excluded.quote, ordinal = excluded.ordinal,
        created_at_sec = excluded.created_at_sec`
}

/** Settings by their columns; those not given stay. */
export interface InstrumentSettings {
  readonly condition?: number
  readonly param?: FeeRatios & { readonly minMarginWad: bigint; readonly quoteType: number; readonly tipWad: bigint }
  readonly margins?: { readonly initialBps: number; readonly maintenanceBps: number }
  readonly fundingHour?: number
}

export async function changeInstrument(
  tx: Tx,
  block: ChainBlock,
  instrument: Hex,
  { condition, param, margins, fundingHour }: InstrumentSettings,
): Promise<void> {
  await tx`
    insert into perp_instruments (chain_id, instrument) values (${block.chainId}, ${instrument}) on conflict do nothing`
  await tx`
    update perp_instruments set
      condition = coalesce(${condition ?? null}, condition),
      min_margin_wad = coalesce(${numeric(param?.minMarginWad)}::numeric, min_margin_wad),
      trading_fee_bps = coalesce(${param?.tradingFeeBps ?? null}, trading_fee_bps),
      protocol_fee_bps = coalesce(${param?.protocolFeeBps ?? null}, protocol_fee_bps),
      quote_type = coalesce(${param?.quoteType ?? null}, quote_type),
      tip_wad = coalesce(${numeric(param?.tipWad)}::numeric, tip_wad),
      initial_margin_bps = coalesce(${margins?.initialBps ?? null}, initial_margin_bps),
      maintenance_margin_bps = coalesce(${margins?.maintenanceBps ?? null}, maintenance_margin_bps),
      funding_hour = coalesce(${fundingHour ?? null}, funding_hour)
    where chain_id = ${block.chainId} and instrument = ${instrument}`
}

export async function feeRatiosOf(db: Db, chainId: number, instrument: Hex): Promise<FeeRatios> {
  const [row] = await db<FeeRatios[]>`
    select trading_fee_bps as "tradingFeeBps", protocol_fee_bps as "protocolFeeBps"
    from perp_instruments where chain_id = ${chainId} and instrument = ${instrument}`
  if (!row) throw new Error(`the parameters of instrument ${instrument} have not been logged`)
  return row
}

/** What an event says of a pair; fields not given stay. */
export interface PairChange {
  readonly status?: number
  readonly sqrtPX96?: bigint
  readonly markWad?: bigint
  readonly feeIndex?: bigint
  readonly protocolFeeWad?: bigint
  readonly longSocialLossIndex?: bigint
  readonly shortSocialLossIndex?: bigint
  readonly insuranceFundWad?: bigint
  readonly longFundingIndex?: bigint
  readonly shortFundingIndex?: bigint
}

/** A pair begins with `UpdateAmmStatus`, which gives status, price and mark. */
export async function openPair(
  tx: Tx,
  block: ChainBlock,
  instrument: Hex,
  expiry: number,
  { status, sqrtPX96, markWad }: Required<Pick<PairChange, 'status' | 'sqrtPX96' | 'markWad'>>,
): Promise<void> {
  await tx`
    insert into perp_pairs (chain_id, instrument, expiry, status, sqrt_px96, mark_wad, updated_at_sec)
    values (${block.chainId}, ${instrument}, ${expiry}, ${status}, ${numeric(sqrtPX96)}, ${numeric(markWad)}, ${block.timestampSec})
    on conflict (chain_id, instrument, expiry) do update
    set status = excluded.status, sqrt_px96 = excluded.sqrt_px96, mark_wad = excluded.mark_wad,
        updated_at_sec = excluded.updated_at_sec`
}

export async function changePair(
  tx: Tx,
  block: ChainBlock,
  instrument: Hex,
  expiry: number,
  change: PairChange,
): Promise<void> {
  await tx`
    update perp_pairs set
      sqrt_px96 = coalesce(${numeric(change.sqrtPX96)}::numeric, sqrt_px96),
      mark_wad = coalesce(${numeric(change.markWad)}::numeric, mark_wad),
      fee_index = coalesce(${numeric(change.feeIndex)}::numeric, fee_index),
      protocol_fee_wad = coalesce(${numeric(change.protocolFeeWad)}::numeric, protocol_fee_wad),
      long_social_loss_index = coalesce(${numeric(change.longSocialLossIndex)}::numeric, long_social_loss_index),
      short_social_loss_index = coalesce(${numeric(change.shortSocialLossIndex)}::numeric, short_social_loss_index),
      insurance_fund_wad = coalesce(${numeric(change.insuranceFundWad)}::numeric, insurance_fund_wad),
      long_funding_index = coalesce(${numeric(change.longFundingIndex)}::numeric, long_funding_index),
      short_funding_index = coalesce(${numeric(change.shortFundingIndex)}::numeric, short_funding_index),
      updated_at_sec = ${block.timestampSec}
    where chain_id = ${block.chainId} and instrument = ${instrument} and expiry = ${expiry}`
}

/** The curve's square-root price as the events so far have left it. */
export async function pairPriceX96(db: Db, chainId: number, instrument: Hex, expiry: number): Promise<bigint> {
  const [row] = await db<{ sqrtPX96: bigint }[]>`
    select sqrt_px96 as "sqrtPX96" from perp_pairs
    where chain_id = ${chainId} and instrument = ${instrument} and expiry = ${expiry}`
  if (!row) throw new Error(`no pair ${expiry} of instrument ${instrument}`)
  return row.sqrtPX96
}

/** A settled pair in which nobody has anything left is forgotten, as by its contract. */
export async function deletePair(tx: Tx, block: ChainBlock, instrument: Hex, expiry: number): Promise<void> {
  await tx`
    delete from perp_pairs where chain_id = ${block.chainId} and instrument = ${instrument} and expiry = ${expiry}`
}

/** The instruments that Gate has named: what the indexer follows beside the contracts of the deployment file. */
export async function listInstruments(sql: Sql, chainId: number): Promise<readonly Hex[]> {
  const rows = await sql<{ instrument: Hex }[]>`
    select instrument from perp_instruments where chain_id = ${chainId} and symbol is not null`
  return rows.map(({ instrument }) => instrument)
}
