import Type, { type Static } from 'typebox'
import { nullable } from '../../http/schemas.ts'
import type { Printed } from '../../lib/decimal.ts'
import type { PerpContext } from '../context.ts'
import { type ListedInstrument, PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { pairUnknown } from '../market-data/books.ts'
import { barInUsd, candleSchema, endOf } from '../market-data/candle-view.ts'
import { readCandles } from '../market-data/candles.ts'
import { readFullInstrument } from '../market-data/full-instruments.ts'
import { fullInstrumentView } from '../market-data/instrument-full-view.ts'
import { INTERVALS, type Interval } from '../market-data/intervals.ts'
import { expirySchema } from '../market-data/pair-state-schemas.ts'
import { pairSchema, pairView } from '../market-data/pair-view.ts'
import { type NamedPair, resolvePair } from '../market-data/resolve-pair.ts'
import type { PairSummary } from '../market-data/summary.ts'
import { withoutTime } from './common-feed.ts'
import { messageOf } from './message.ts'
import type { StateChannels, StatePart } from './state-feed.ts'

/** How old a reading of the instruments may be: their parameters change by a timelock. */
const INSTRUMENT_AGE_MS = 3000

const pairForm = (type: string) => `${type} with chainId, instrument and expiry`

/** The books of a pair at its ratios, told when a level changes. */
export const orderBookChannels = (context: PerpContext): StateChannels => ({
  form: pairForm('orderBook'),
  resolve: (parameters) => resolvePair(context, parameters),
  async read(parameters, indexed) {
    const { instrument, pair } = await pairOf(context, parameters)
    const { block, json, levels } = await context.books(instrument, pair.expiry, indexed)
    const message = messageOf({ stream: 'orderBook', chainId: context.chainId, ...pair }, json.text)
    return { height: block.height, parts: [{ key: 'books', essence: levels, message }] }
  },
})

const { openTime, closeTime, symbol: _, ...barFields } = candleSchema.properties

/** A candle as the stream tells it (perp-api 7.4, `kline`). */
export const klineSchema = Type.Object({
  chainId: Type.Integer(),
  instrument: Type.String(),
  expiry: expirySchema,
  interval: Type.Enum([...INTERVALS]),
  ...barFields,
  volumeUSD: nullable(Type.Number({ description: 'The quote traded in USD; null where the quote is not stable.' })),
  timestamp: openTime,
  startTime: openTime,
  endTime: closeTime,
})

/** The candle of the moment, and the one before it when that has changed after all. */
export const klineChannels = (context: PerpContext): StateChannels => ({
  form: `kline with chainId, instrument, expiry and an interval of ${INTERVALS.join(', ')}`,
  resolve: (parameters) => resolvePair(context, parameters),
  async read(parameters, block) {
    const { instrument, pair } = await pairOf(context, parameters)
    const interval = parameters[3] as Interval
    const { sql } = context.venue
    const range = { interval, startSec: 0, endSec: Number(block.timestampSec), limit: 2 }
    const candles = await readCandles(sql, context.chainId, pair, range)
    const parts = candles.map((candle): StatePart => {
      const times = { timestamp: candle.startSec, startTime: candle.startSec, endTime: endOf(interval, candle) }
      const bar = barInUsd(instrument, candle)
      const data: Printed<Static<typeof klineSchema>> = {
        chainId: context.chainId,
        ...pair,
        interval,
        ...bar,
        ...times,
      }
      const essence = JSON.stringify(data)
      const message = messageOf({ stream: 'kline', chainId: context.chainId, ...pair }, essence)
      return { key: String(candle.startSec), essence, message }
    })
    return { height: block.height, parts }
  },
})

/** The full instrument, and its pair as the market list has it; each told when it changes. */
export const instrumentChannels = (context: PerpContext): StateChannels => ({
  form: pairForm('instrument'),
  resolve: (parameters) => resolvePair(context, parameters),
  async read(parameters) {
    const { instrument, pair } = await pairOf(context, parameters)
    const { block, pairs } = await context.summary()
    const summary = pairs.find((one) => one.instrument.address === pair.instrument && one.expiry === pair.expiry)
    if (!summary) throw pairUnknown(instrument.symbol, pair.expiry)
    const full = fullInstrumentView(await readFullInstrument(context.venue, instrument, [pair.expiry], block))
    const essence = JSON.stringify(full, (name, value) => (name === 'blockInfo' ? undefined : value))
    const head = { chainId: context.chainId, ...pair }
    const parts = [
      { key: 'instrument', essence, message: messageOf({ stream: 'instrument', ...head }, JSON.stringify(full)) },
      changedPair(summary, block.timestampSec, head),
    ]
    return { height: block.height, parts }
  },
})

/** Accepted for clients that ask for it; there is nothing that it tells. */
export const instrumentBasicInfoChannels = (context: PerpContext): StateChannels => ({
  form: pairForm('instrumentBasicInfo'),
  resolve: (parameters) => resolvePair(context, parameters),
  read: async (_parameters, { height }) => ({ height, parts: [] }),
})

/** A pair of the market list as the stream tells its change (perp-api 7.4, `marketPairInfoChanged`). */
export const changedPairSchema = Type.Object({
  chainId: Type.Integer(),
  instrument: Type.String({ description: 'The same as instrumentAddr.' }),
  ...pairSchema.properties,
})

type Head = { readonly chainId: number } & NamedPair['pair']

function changedPair(summary: PairSummary, timeSec: bigint, head: Head): StatePart {
  const view: Printed<Static<typeof changedPairSchema>> = {
    chainId: head.chainId,
    instrument: head.instrument,
    ...pairView(summary, timeSec),
  }
  const data = JSON.stringify(view)
  const message = messageOf({ stream: 'marketPairInfoChanged', ...head }, data)
  return { key: 'pair', essence: withoutTime(data), message }
}

/**
 * The pair of parameters that `resolvePair` has let through. A block comes about when its instrument is due to be read again: what is told
 * of the block does not wait for that.
 */
async function pairOf(
  { instruments }: PerpContext,
  [, address = '', expiry = String(PERPETUAL_EXPIRY)]: readonly string[],
): Promise<NamedPair> {
  const { list } = await instruments(0n, INSTRUMENT_AGE_MS)
  const instrument = list.find((one) => one.address === address) as ListedInstrument
  return { instrument, pair: { instrument: instrument.address, expiry: Number(expiry) } }
}
