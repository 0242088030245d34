import { contractAddress } from '../../chain/deployment.ts'
import { type Db, inSnapshot, type Tx } from '../../db/pool.ts'
import type { Venue } from '../../http/product.ts'
import { max, min } from '../../lib/bigints.ts'
import {
  type InstrumentReader,
  type Instruments,
  type ListedInstrument,
  PERPETUAL_EXPIRY,
} from '../listing/catalogue.ts'
import type { NamedBlock } from '../listing/pair.ts'
import { sqrtToPrice } from '../maths/tick.ts'
import { type Traded, tradedIn } from './candle-store.ts'
import { type FundingRate, HOUR_SEC, readFunding } from './funding.ts'
import { indexedBlock } from './indexed-block.ts'
import { startOf } from './intervals.ts'
import { type NewestBlock, ofNewestBlock } from './newest-block.ts'
import { type Pair, type PairState, readPairs } from './pair-reader.ts'
import { type PriceStatus, readPriceStatuses } from './price-status.ts'

const DAY_SEC = 86_400

/** What happened to a price over the last day; WAD. */
export interface DayPrices {
  readonly openWad: bigint
  readonly highWad: bigint
  readonly lowWad: bigint
  readonly lastWad: bigint
}

/** A pair with its last day. */
export interface PairSummary {
  readonly instrument: ListedInstrument
  readonly expiry: number
  readonly state: PairState
  readonly priceStatus: PriceStatus
  /** The curve's price, WAD. */
  readonly fairWad: bigint
  readonly prices: DayPrices
  readonly baseVolumeWad: bigint
  readonly quoteVolumeWad: bigint
  /** Trading fees of the day's trades. */
  readonly tradeFeeWad: bigint
  /** Where the day begins, at a whole minute, Unix seconds. */
  readonly openSec: number
  /** What was charged in the last complete hour; null of a pair that has no funding, and before its first. */
  readonly lastHour: FundingRate | null
}

/** Every open pair of the venue, in the order of the instruments, all as of the newest indexed block. */
export interface MarketSummary {
  readonly block: NamedBlock
  readonly pairs: readonly PairSummary[]
}

/** Returns the function that gives the summary, read once a block. Throws `perp_not_indexed` and `perp_chain_unreachable`. */
export function openSummary(
  venue: Venue,
  instruments: InstrumentReader,
  newest: NewestBlock,
): () => Promise<MarketSummary> {
  return ofNewestBlock(newest, ({ height }) => readSummary(venue, instruments(height)))
}

/** The list beside the tables, then the chain at the block that they are of. */
async function readSummary(
  { sql, rpc, deployment }: Venue,
  listed: Instruments | Promise<Instruments>,
): Promise<MarketSummary> {
  const { chainId } = deployment
  const [{ list }, { block, openSec, rows }] = await Promise.all([
    listed,
    inSnapshot(sql, (tx) => readRows(tx, chainId)),
  ])
  const known = list.flatMap((instrument) => rows.filter(({ pair }) => pair.instrument === instrument.address))
  const pairs = known.map(({ pair }) => pair)
  const states = await readPairs(rpc, contractAddress(deployment, 'Observer'), pairs, block)
  const statuses = await readPriceStatuses(rpc, states, block.height)
  const byAddress = new Map(list.map((instrument) => [instrument.address, instrument]))
  return {
    block,
    pairs: pairs.map(({ instrument, expiry }, nth) => {
      const state = states[nth] as PairState
      const fairWad = sqrtToPrice(state.amm.sqrtPX96)
      const { traded, lastHour } = known[nth] as PairRows
      const { baseVolumeWad, quoteVolumeWad, tradeFeeWad, ...prices } = traded
      return {
        instrument: byAddress.get(instrument) as ListedInstrument,
        expiry,
        state,
        priceStatus: statuses[nth] as PriceStatus,
        fairWad,
        prices: dayPrices(prices, fairWad),
        baseVolumeWad,
        quoteVolumeWad,
        tradeFeeWad,
        openSec,
        lastHour,
      }
    }),
  }
}

/** What the tables have of a pair. */
interface PairRows {
  readonly pair: Pair
  readonly traded: Traded
  readonly lastHour: FundingRate | null
}

async function readRows(tx: Tx, chainId: number) {
  const [block, pairs] = await Promise.all([indexedBlock(tx, chainId), openPairs(tx, chainId)])
  const nowSec = Number(block.timestampSec)
  const openSec = startOf('1m', nowSec - DAY_SEC)
  const [traded, funding] = await Promise.all([
    tradedIn(tx, chainId, pairs, { fromSec: openSec, toSec: nowSec }),
    lastHours(tx, chainId, pairs, nowSec),
  ])
  const rows = pairs.map((pair, nth): PairRows => {
    return { pair, traded: traded[nth] as Traded, lastHour: funding[nth] ?? null }
  })
  return { block, openSec, rows }
}

/**
 * The day opens at the price that it found, which is one of its prices: no high is below it, no low above. Without any trade so far
 * everything is the curve's price.
 */
export function dayPrices(
  { beforeWad, openWad, highWad, lowWad, closeWad }: Omit<Traded, 'baseVolumeWad' | 'quoteVolumeWad' | 'tradeFeeWad'>,
  fairWad: bigint,
): DayPrices {
  const open = beforeWad ?? openWad ?? fairWad
  return {
    openWad: open,
    highWad: max(open, highWad ?? open),
    lowWad: min(open, lowWad ?? open),
    lastWad: closeWad ?? open,
  }
}

/** The funding of the hour before the present one, pair by pair. */
async function lastHours(
  db: Db,
  chainId: number,
  pairs: readonly Pair[],
  nowSec: number,
): Promise<readonly (FundingRate | null)[]> {
  const hourSec = startOf('1h', nowSec) - HOUR_SEC
  const range = { startSec: hourSec, endSec: hourSec, limit: 1 }
  const hours = pairs.map(async ({ instrument, expiry }) => {
    const rates = expiry === PERPETUAL_EXPIRY ? await readFunding(db, chainId, instrument, range) : []
    return rates[0] ?? null
  })
  return Promise.all(hours)
}

async function openPairs(db: Db, chainId: number): Promise<readonly Pair[]> {
  return await db<Pair[]>`
    select instrument, expiry::float8 as expiry from perp_pairs
    where chain_id = ${chainId} order by instrument, perp_pairs.expiry desc`
}
