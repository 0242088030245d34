import Type from 'typebox'
import { defineRoute } from '../../http/product.ts'
import type { StockContext } from '../context.ts'
import { findSymbol } from '../listing/catalogue.ts'
import { priceExample, priceView, priceViewSchema } from '../listing/symbol-view.ts'
import { stockReasons } from '../reasons.ts'

/** GET /prices/{symbol}: the quote of a symbol and its token (stock-api 2.1). */
export const getPrice = (context: StockContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/prices/:symbol',
    summary: 'Quote of a symbol’s token, named by ticker, token symbol or token address',
    access: 'OPEN',
    schema: {
      params: Type.Object({ symbol: Type.String({ minLength: 1, maxLength: 64 }) }),
      data: priceViewSchema,
    },
    reasons: [stockReasons.symbol_unknown, stockReasons.not_indexed_yet],
    examples: { params: { symbol: 'AAPL' }, data: priceExample },
    async handler({ params }) {
      return priceView(findSymbol(await context.catalogue(), params.symbol))
    },
  })
