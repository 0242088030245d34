import type { instrumentAbi } from '../../chain/abi/instrument.ts'
import { type EventArguments, eventGuard } from '../../chain/follow/event-handlers.ts'
import type { ChainEvent } from '../../chain/follow/event-module.ts'
import type { ChainBlock, Hex } from '../../chain/types.ts'
import type { Tx } from '../../db/pool.ts'
import { WAD } from '../../lib/wad.ts'
import { sqrtToPrice } from '../maths/tick.ts'
import { tradingFee } from '../maths/wad.ts'
import { addBars, type Bar, type NewBar } from './candle-store.ts'
import { keepFundingHours, type NewFundingHour } from './funding-store.ts'
import { INTERVALS, type Interval, startOf } from './intervals.ts'
import type { Pair } from './pair-reader.ts'

/** Tables of this file (migration 140). */
export const MARKET_TABLES = ['perp_candles', 'perp_funding_hours'] as const

const isEvent = eventGuard<typeof instrumentAbi>()

/** A walk along the curve and through the book, by its taker or by a forced close: prices and volume come of these alone. */
type Walk = Pick<
  EventArguments<typeof instrumentAbi, 'Trade' | 'Sweep'>,
  'expiry' | 'size' | 'entryNotional' | 'feeRatio' | 'sqrtPX96'
>

/** What walks have traded, with their trading fees; WAD. */
type Walked = Bar & Pick<NewBar, 'tradeFeeWad'>

/** Smallest notional that gives a price, WAD: below it the rounding of the notional would show. */
const LEAST_NOTIONAL_WAD = 10n ** 12n

/** The fields of a perpetual pair that make its funding. */
interface FundingState {
  readonly long_funding_index: bigint
  readonly short_funding_index: bigint
  readonly mark_wad: bigint
}

/** What blocks change of candles and funding, gathered block by block and written in few statements. */
export class MarketChanges {
  #chainId = 0
  readonly #bars = new Map<string, NewBar>()
  readonly #hours = new Map<string, NewFundingHour>()

  /** A block's events have been applied before: the funding is what the pairs hold then. */
  add(
    { chainId, timestampSec }: ChainBlock,
    events: readonly ChainEvent[],
    perpetualOf: (instrument: Hex) => FundingState | null,
  ): void {
    this.#chainId = chainId
    for (const [pair, bar] of barsOf(events)) {
      for (const interval of INTERVALS) this.#addBar(pair, interval, startOf(interval, timestampSec), bar)
    }
    const hourSec = startOf('1h', timestampSec)
    const funded = events.filter(({ name }) => name === 'UpdateFundingIndex').map(({ address }) => address)
    for (const instrument of new Set(funded)) this.#keepHour(instrument, hourSec, perpetualOf(instrument))
  }

  async write(tx: Tx): Promise<void> {
    await Promise.all([
      addBars(tx, this.#chainId, [...this.#bars.values()]),
      keepFundingHours(tx, this.#chainId, [...this.#hours.values()]),
    ])
  }

  #addBar(pair: Pair, interval: Interval, startSec: number, bar: Walked): void {
    const key = `${pair.instrument} ${pair.expiry} ${interval} ${startSec}`
    const earlier = this.#bars.get(key)
    this.#bars.set(key, { pair, interval, startSec, ...(earlier ? joined(earlier, bar) : bar) })
  }

  #keepHour(instrument: Hex, hourSec: number, state: FundingState | null): void {
    if (!state) return
    const indices = { longIndex: state.long_funding_index, shortIndex: state.short_funding_index }
    this.#hours.set(`${instrument} ${hourSec}`, { instrument, hourSec, ...indices, markWad: state.mark_wad })
  }
}

/** What a block's events have traded, by pair. */
function barsOf(events: readonly ChainEvent[]): Iterable<readonly [Pair, Walked]> {
  const bars = new Map<string, readonly [Pair, Walked]>()
  for (const event of events) {
    if (!isEvent(event, 'Trade', 'Sweep')) continue
    const { address, args: walk } = event
    const key = `${address} ${walk.expiry}`
    const bar = barOf(walk)
    const earlier = bars.get(key)
    bars.set(key, [
      earlier?.[0] ?? { instrument: address, expiry: walk.expiry },
      earlier ? joined(earlier[1], bar) : bar,
    ])
  }
  return bars.values()
}

function barOf({ size, entryNotional, feeRatio, sqrtPX96 }: Walk): Walked {
  const baseVolumeWad = size < 0n ? -size : size
  const priceWad = entryNotional < LEAST_NOTIONAL_WAD ? sqrtToPrice(sqrtPX96) : (entryNotional * WAD) / baseVolumeWad
  const tradeFeeWad = tradingFee(entryNotional, feeRatio)
  const prices = { openWad: priceWad, highWad: priceWad, lowWad: priceWad, closeWad: priceWad }
  return { ...prices, baseVolumeWad, quoteVolumeWad: entryNotional, tradeFeeWad }
}

const joined = (earlier: Walked, later: Walked): Walked => ({
  openWad: earlier.openWad,
  highWad: greater(earlier.highWad, later.highWad),
  lowWad: lesser(earlier.lowWad, later.lowWad),
  closeWad: later.closeWad,
  baseVolumeWad: earlier.baseVolumeWad + later.baseVolumeWad,
  quoteVolumeWad: earlier.quoteVolumeWad + later.quoteVolumeWad,
  tradeFeeWad: earlier.tradeFeeWad + later.tradeFeeWad,
})

const greater = (a: bigint, b: bigint): bigint => (a > b ? a : b)
const lesser = (a: bigint, b: bigint): bigint => (a < b ? a : b)
