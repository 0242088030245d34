import Type from 'typebox'
import { PreparedJson } from '../../http/prepared-json.ts'
import { defineRoute } from '../../http/product.ts'
import { ADJUSTMENTS } from '../../market/adjustment.ts'
import { candlesJson, INTERVALS } from '../../market/candles.ts'
import type { StockContext } from '../context.ts'
import { findSymbol } from '../listing/catalogue.ts'
import { requireTimeRange, TIME_RANGE_EXAMPLE, timeSchema } from '../listing/time-range.ts'
import { stockReasons } from '../reasons.ts'
import { barExample, barSchema } from '../schemas.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 5000

const query = Type.Object({
  startTime: Type.Optional(timeSchema('Unix seconds; bars that begin earlier are left out.')),
  endTime: timeSchema('Unix seconds; bars that begin later are left out.'),
  interval: Type.Enum([...INTERVALS]),
  adjustment: Type.Optional(
    Type.Enum([...ADJUSTMENTS], {
      description: 'Which corporate actions prices and volumes are adjusted for; all unless given.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      description: 'The newest bars of the range, at most: 100 unless given, also below 1; above 5000 it is 5000.',
    }),
  ),
})

/** GET /prices/{symbol}/history: bars of a symbol (stock-api 2.1). */
export const getPriceHistory = (context: StockContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/prices/:symbol/history',
    summary: 'Bars of a symbol’s token, adjusted for corporate actions',
    access: 'OPEN',
    schema: {
      params: Type.Object({ symbol: Type.String({ minLength: 1, maxLength: 64 }) }),
      query,
      data: Type.Array(barSchema),
    },
    description:
      'Bars are those of the symbol’s token, as orders name prices, and of a share where it has no token. Unadjusted bars are of the shares that the token stood for then, and those adjusted for splits of what it stands for now. They come oldest first; where nothing was recorded there is no bar.',
    reasons: [stockReasons.symbol_unknown, stockReasons.time_range_invalid, stockReasons.not_indexed_yet],
    examples: {
      params: { symbol: 'AAPL' },
      query: { ...TIME_RANGE_EXAMPLE, interval: '1d', adjustment: 'all', limit: 10 },
      data: [barExample],
    },
    async handler({ params, query }) {
      requireTimeRange(query)
      const catalogue = await context.catalogue()
      const { symbol, stock } = findSymbol(catalogue, params.symbol)
      const text = await candlesJson(context.venue.sql, catalogue.hours, catalogue.asOfMs, {
        symbol,
        interval: query.interval,
        adjustment: query.adjustment ?? 'all',
        startSec: query.startTime ?? null,
        endSec: query.endTime,
        limit: limitOf(query.limit),
        unit: stock?.shareSteps ?? [],
      })
      return PreparedJson.fromText(text)
    },
  })

const limitOf = (limit: number | undefined): number =>
  limit === undefined || limit < 1 ? DEFAULT_LIMIT : Math.min(limit, MAX_LIMIT)
