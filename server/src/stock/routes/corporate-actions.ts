import Type from 'typebox'
import { defineRoute } from '../../http/product.ts'
import { nullable } from '../../http/schemas.ts'
import { jsonNumber } from '../../lib/decimal.ts'
import { listCorporateActions } from '../../market/corporate-action-store.ts'
import { ACTION_TYPES, type CorporateAction } from '../../market/corporate-actions.ts'
import type { StockContext } from '../context.ts'
import { findSymbol } from '../listing/catalogue.ts'
import { requireTimeRange, TIME_RANGE_EXAMPLE, timeSchema } from '../listing/time-range.ts'
import { stockReasons } from '../reasons.ts'
import { PRICE_DECIMALS } from '../units.ts'

const query = Type.Object({
  symbol: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Ticker, token symbol or address.' })),
  startTime: Type.Optional(timeSchema('Unix seconds; ex-dates whose midnight in New York is earlier are left out.')),
  endTime: Type.Optional(timeSchema('Unix seconds; ex-dates whose midnight in New York is later are left out.')),
})

const date = (description: string) => Type.String({ description })
const action = Type.Object({
  symbol: Type.String(),
  type: Type.Enum([...ACTION_TYPES]),
  exDate: date('YYYY-MM-DD; from this trade date on a share is traded without it.'),
  recordDate: nullable(date('YYYY-MM-DD.')),
  payableDate: nullable(date('YYYY-MM-DD.')),
  ratioFrom: nullable(Type.Number({ description: 'So many shares became ratioTo; null for a dividend.' })),
  ratioTo: nullable(Type.Number()),
  cashAmount: nullable(Type.Number({ description: 'USD a share; of a spin-off the worth of what a share received.' })),
})

const splitExample = {
  symbol: 'AAPL',
  type: 'split' as const,
  exDate: '2020-08-31',
  recordDate: '2020-08-24',
  payableDate: '2020-08-28',
  ratioFrom: 1,
  ratioTo: 4,
  cashAmount: null,
}

/** GET /corporate-action: splits, dividends and spin-offs, by ex-date (stock-api 2.1). */
export const getCorporateActions = (context: StockContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/corporate-action',
    summary: 'Corporate actions, oldest ex-date first; may be an empty list',
    access: 'OPEN',
    schema: { query, data: Type.Array(action) },
    description:
      'What happened to the shares: ratios and amounts are of a share. Actions that are announced and not yet effective are listed too.',
    reasons: [stockReasons.symbol_unknown, stockReasons.time_range_invalid, stockReasons.not_indexed_yet],
    examples: { query: { symbol: 'AAPL', ...TIME_RANGE_EXAMPLE }, data: [splitExample] },
    async handler({ query }) {
      requireTimeRange(query)
      const symbol = query.symbol && findSymbol(await context.catalogue(), query.symbol).symbol
      const filter = { symbol: symbol ?? null, fromSec: query.startTime ?? null, toSec: query.endTime ?? null }
      return (await listCorporateActions(context.venue.sql, filter)).map(actionView)
    },
  })

const numberOrNull = (raw8: bigint | null) => (raw8 === null ? null : jsonNumber(raw8, PRICE_DECIMALS))

const actionView = ({ ratioFrom8, ratioTo8, cashAmount8, ...action }: CorporateAction) => ({
  ...action,
  ratioFrom: numberOrNull(ratioFrom8),
  ratioTo: numberOrNull(ratioTo8),
  cashAmount: numberOrNull(cashAmount8),
})
