import type { Hex } from '../../chain/types.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import type { BlockChanges } from './block-changes.ts'
import type { PairRow } from './perp-rows.ts'

const NEW_PAIR = {
  fee_index: 0n,
  protocol_fee_wad: 0n,
  insurance_fund_wad: 0n,
  long_social_loss_index: 0n,
  short_social_loss_index: 0n,
  long_funding_index: 0n,
  short_funding_index: 0n,
}

const keyOf = ({ block }: BlockChanges, instrument: Hex, expiry: number) => ({
  chain_id: block.chainId,
  instrument,
  expiry,
})

/** A pair begins with `UpdateAmmStatus`, which gives status, price and mark. */
export function openPair(
  changes: BlockChanges,
  instrument: Hex,
  expiry: number,
  begun: Pick<PairRow, 'status' | 'sqrt_px96' | 'mark_wad'>,
): void {
  const key = keyOf(changes, instrument, expiry)
  const known = changes.pairs.get(key) ?? NEW_PAIR
  changes.pairs.put({ ...known, ...key, ...begun, updated_at_sec: changes.block.timestampSec })
}

/** What an event says of a pair; columns not given stay. Nothing for a pair that there is not. */
export function changePair(changes: BlockChanges, instrument: Hex, expiry: number, change: Partial<PairRow>): void {
  const updated = { ...change, updated_at_sec: changes.block.timestampSec }
  changes.pairs.change(keyOf(changes, instrument, expiry), updated)
}

/** A settled pair in which nobody has anything left is forgotten, as by its contract. */
export function deletePair(changes: BlockChanges, instrument: Hex, expiry: number): void {
  changes.pairs.delete(keyOf(changes, instrument, expiry))
}

/** A pair as the events so far have left it. */
export function pairOf(changes: BlockChanges, instrument: Hex, expiry: number): PairRow {
  const pair = changes.pairs.get(keyOf(changes, instrument, expiry))
  if (!pair) throw new Error(`no pair ${expiry} of instrument ${instrument}`)
  return pair
}

/** The perpetual pair of an instrument as the events so far have left it. */
export const perpetualOf = (changes: BlockChanges, instrument: Hex): PairRow | null =>
  changes.pairs.get(keyOf(changes, instrument, PERPETUAL_EXPIRY))
