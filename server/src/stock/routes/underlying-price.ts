import Type from 'typebox'
import { defineRoute } from '../../http/product.ts'
import type { StockContext } from '../context.ts'
import { findSymbol } from '../listing/catalogue.ts'
import { underlyingExample, underlyingSchema, underlyingView } from '../listing/symbol-view.ts'
import { stockReasons } from '../reasons.ts'

/** GET /underlying/{symbol}/price: the quote of the underlying, of a share (stock-api 2.1). */
export const getUnderlyingPrice = (context: StockContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/underlying/:symbol/price',
    summary: 'Quote of the underlying of a symbol, per share',
    access: 'OPEN',
    schema: {
      params: Type.Object({ symbol: Type.String({ minLength: 1, maxLength: 64 }) }),
      data: underlyingSchema,
    },
    reasons: [stockReasons.symbol_unknown, stockReasons.not_indexed_yet],
    examples: { params: { symbol: 'AAPL' }, data: underlyingExample },
    async handler({ params }) {
      return underlyingView(findSymbol(await context.catalogue(), params.symbol).underlying)
    },
  })
