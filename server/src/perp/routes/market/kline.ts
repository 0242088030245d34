import Type from 'typebox'
import { defineRoute } from '../../../http/product.ts'
import { andThen } from '../../../lib/and-then.ts'
import type { PerpContext } from '../../context.ts'
import { instrumentOf, PERPETUAL_EXPIRY } from '../../listing/catalogue.ts'
import { candleExample, candleSchema, candleView } from '../../market-data/candle-view.ts'
import { INTERVALS } from '../../market-data/intervals.ts'
import { newestCandles } from '../../market-data/newest-candles.ts'
import { requireOpen } from '../../market-data/resolve-pair.ts'
import { perpReasons } from '../../reasons.ts'
import {
  chainIdProperty,
  checkChainId,
  expiryProperty,
  requireTimeRange,
  symbolSchema,
  timeSchema,
} from '../../schemas.ts'

export const MAX_CANDLES = 1000

/** GET market/kline (perp-api 2A.0; 2B, row 3). */
export const getKline = (context: PerpContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/trader/market/kline',
    summary: 'Candles of a pair’s trades',
    description:
      'Oldest first, the newest of the range, without gaps from the first trade on: where nothing was traded a candle stands at the ' +
      'close before. Everything begins in UTC, weeks on Monday, `1M` is a calendar month.',
    access: 'OPEN',
    schema: {
      query: Type.Object({
        symbol: symbolSchema,
        interval: Type.Enum([...INTERVALS]),
        start: Type.Optional(timeSchema('Candles that end earlier are left out')),
        end: Type.Optional(timeSchema('Candles that begin later are left out; now unless given')),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_CANDLES, description: '1000 unless given.' })),
        ...expiryProperty,
        ...chainIdProperty,
      }),
      data: Type.Array(candleSchema),
    },
    reasons: [
      perpReasons.instrument_unknown,
      perpReasons.pair_unknown,
      perpReasons.perp_range_invalid,
      perpReasons.chain_id_differs,
      perpReasons.perp_not_indexed,
      perpReasons.perp_chain_unreachable,
    ],
    examples: { query: { symbol: 'BTC/USDC', interval: '1h', limit: 24 }, data: [candleExample] },
    handler({ query }) {
      checkChainId(context.chainId, query)
      requireTimeRange([query.start, query.end], ['start', 'end'])
      const { symbol, interval, expiry = PERPETUAL_EXPIRY, start = 0, limit = MAX_CANDLES } = query
      return andThen(context.instruments(), (known) => {
        const instrument = instrumentOf(known, symbol)
        const asked = { interval, startSec: start, endSec: query.end, limit }
        return newestCandles(context, { instrument: instrument.address, expiry }, asked, {
          form: 'kline',
          view: (candle) => candleView(symbol, interval, candle),
          // A pair that is closed keeps its candles: only one without any has to be open.
          ifNone: () => requireOpen(context, instrument, expiry),
        })
      })
    },
  })
