import Type from 'typebox'
import { defineRoute } from '../../../http/product.ts'
import { byInstrument, PAIR_EXAMPLE } from '../../client/query.ts'
import type { PerpContext } from '../../context.ts'
import { candleExample, candleSchema, candleView } from '../../market-data/candle-view.ts'
import { INTERVALS } from '../../market-data/intervals.ts'
import { newestCandles } from '../../market-data/newest-candles.ts'
import { requirePair } from '../../market-data/resolve-pair.ts'
import { perpReasons } from '../../reasons.ts'
import { chainIdProperty, checkChainId, timeSchema } from '../../schemas.ts'
import { MAX_CANDLES } from '../market/kline.ts'

const { openTime, closeTime, ...barSchemas } = candleSchema.properties
const { openTime: openTimestamp, closeTime: closeTimestamp, ...barExample } = candleExample

/** GET /v4/public/market/kline (perp-api 8). */
export const getClientKline = (context: PerpContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/market/kline',
    summary: 'Candles of a pair’s trades, for the published client, which names their times otherwise',
    access: 'PUBLIC',
    schema: {
      query: Type.Object({
        ...byInstrument,
        interval: Type.Enum([...INTERVALS]),
        endTime: Type.Optional(timeSchema('Candles that begin later are left out; now unless given')),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_CANDLES, description: '1000 unless given.' })),
        ...chainIdProperty,
      }),
      data: Type.Array(Type.Object({ ...barSchemas, openTimestamp: openTime, closeTimestamp: closeTime })),
    },
    reasons: [
      perpReasons.instrument_unknown,
      perpReasons.pair_unknown,
      perpReasons.chain_id_differs,
      perpReasons.perp_not_indexed,
      perpReasons.perp_chain_unreachable,
    ],
    examples: {
      query: { ...PAIR_EXAMPLE, interval: '1h', limit: 24 },
      data: [{ ...barExample, openTimestamp, closeTimestamp }],
    },
    async handler({ query }) {
      checkChainId(context.chainId, query)
      const { interval, limit = MAX_CANDLES } = query
      const { instrument, pair } = await requirePair(context, query.instrument, query.expiry)
      const asked = { interval, startSec: 0, endSec: query.endTime, limit }
      return newestCandles(context, pair, asked, {
        form: 'client kline',
        view(candle) {
          const { openTime, closeTime, ...bar } = candleView(instrument.symbol, interval, candle)
          return { ...bar, openTimestamp: openTime, closeTimestamp: closeTime }
        },
      })
    },
  })
