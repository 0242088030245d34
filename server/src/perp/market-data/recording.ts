import type { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { EventArguments } from '../../chain/follow/event-handlers.ts'
import type { ChainEvent } from '../../chain/follow/event-module.ts'
import type { ChainBlock, Hex } from '../../chain/types.ts'
import type { Tx } from '../../db/pool.ts'
import { WAD } from '../../lib/wad.ts'
import { sqrtToPrice } from '../maths/tick.ts'
import { addBars, type Bar, type NewBar } from './candle-store.ts'
import { keepFundingHours } from './funding-store.ts'
import { INTERVALS, startOf } from './intervals.ts'

/** Tables of this file (migration 140). */
export const MARKET_TABLES = ['perp_candles', 'perp_funding_hours'] as const

/** A walk along the curve and through the book, by its taker or by a forced close: prices and volume come of these alone. */
type Walk = Pick<EventArguments<typeof instrumentAbi, 'Trade'>, 'expiry' | 'size' | 'entryNotional' | 'sqrtPX96'>

/** Of a trade worth less, the rounding of its notional would show in its price; WAD. */
const LEAST_NOTIONAL_WAD = 10n ** 12n

/**
 * Brings candles and funding of a block's pairs up to date. Its events have been applied before: the funding's price is what the
 * pairs' rows hold.
 */
export async function recordMarket(tx: Tx, block: ChainBlock, events: readonly ChainEvent[]): Promise<void> {
  const walks = events.filter(({ name }) => name === 'Trade' || name === 'Sweep')
  await addBars(tx, block.chainId, barsOf(block, walks))
  const funded = events.filter(({ name }) => name === 'UpdateFundingIndex').map(({ address }) => address)
  await keepFundingHours(tx, block.chainId, [...new Set(funded)], startOf('1h', block.timestampSec))
}

function barsOf(block: ChainBlock, walks: readonly ChainEvent[]): readonly NewBar[] {
  const starts = INTERVALS.map((interval) => ({ interval, startSec: startOf(interval, block.timestampSec) }))
  const bars = new Map<string, NewBar>()
  for (const { address, args } of walks) {
    const walk = args as unknown as Walk
    const key = `${address} ${walk.expiry}`
    const bar = barOf(walk)
    const earlier = bars.get(key)
    const pair = { instrument: address as Hex, expiry: walk.expiry }
    bars.set(key, { pair, starts, ...(earlier ? joined(earlier, bar) : bar) })
  }
  return [...bars.values()]
}

function barOf({ size, entryNotional, sqrtPX96 }: Walk): Bar {
  const baseVolumeWad = size < 0n ? -size : size
  const priceWad = entryNotional < LEAST_NOTIONAL_WAD ? sqrtToPrice(sqrtPX96) : (entryNotional * WAD) / baseVolumeWad
  const prices = { openWad: priceWad, highWad: priceWad, lowWad: priceWad, closeWad: priceWad }
  return { ...prices, baseVolumeWad, quoteVolumeWad: entryNotional }
}

const joined = (earlier: Bar, later: Bar): Bar => ({
  openWad: earlier.openWad,
  highWad: greater(earlier.highWad, later.highWad),
  lowWad: lesser(earlier.lowWad, later.lowWad),
  closeWad: later.closeWad,
  baseVolumeWad: earlier.baseVolumeWad + later.baseVolumeWad,
  quoteVolumeWad: earlier.quoteVolumeWad + later.quoteVolumeWad,
})

const greater = (a: bigint, b: bigint): bigint => (a > b ? a : b)
const lesser = (a: bigint, b: bigint): bigint => (a < b ? a : b)
