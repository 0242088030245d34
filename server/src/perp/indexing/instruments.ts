import type { Hex } from '../../chain/types.ts'
import type { BlockChanges } from './block-changes.ts'
import type { InstrumentRow } from './perp-rows.ts'

type Changes = Pick<BlockChanges, 'block' | 'instruments'>

/** Margin ratios and the funding hour are null while the contract's defaults hold; without a name until Gate has announced it. */
const NEW_INSTRUMENT = {
  symbol: null,
  base: null,
  quote: null,
  ordinal: null,
  created_at_sec: null,
  condition: 0,
  min_margin_wad: 0n,
  trading_fee_bps: 0,
  protocol_fee_bps: 0,
  quote_type: 0,
  tip_wad: 0n,
  initial_margin_bps: null,
  maintenance_margin_bps: null,
  funding_hour: null,
}

/** What its events say of an instrument; columns not given stay. */
export function changeInstrument(
  { block, instruments }: Changes,
  instrument: Hex,
  change: Partial<Omit<InstrumentRow, 'chain_id' | 'instrument'>>,
): void {
  const key = { chain_id: block.chainId, instrument }
  if (instruments.get(key)) instruments.change(key, change)
  else instruments.add({ ...key, ...NEW_INSTRUMENT, ...change })
}

const rowOf = ({ block, instruments }: Changes, instrument: Hex): InstrumentRow | null =>
  instruments.get({ chain_id: block.chainId, instrument })

/** The protocol's share of the fees, basis points. */
export function protocolFeeBpsOf(changes: Changes, instrument: Hex): number {
  const known = rowOf(changes, instrument)
  if (!known) throw new Error(`the parameters of instrument ${instrument} have not been logged`)
  return known.protocol_fee_bps
}

export function quoteOf(changes: Changes, instrument: Hex): Hex {
  const quote = rowOf(changes, instrument)?.quote
  if (!quote) throw new Error(`instrument ${instrument} has not been named`)
  return quote
}
