import Type from 'typebox'
import { defineRoute } from '../../http/product.ts'
import type { StockContext } from '../context.ts'
import { findSymbol } from '../listing/catalogue.ts'
import { priceExample, priceView, priceViewSchema } from '../listing/symbol-view.ts'
import { stockReasons } from '../reasons.ts'

/** GET /underlying/{symbol}/price: the quote of the underlying, without its token (stock-api 2.1). */
export const getUnderlyingPrice = (context: StockContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/underlying/:symbol/price',
    summary: 'Quote of the underlying of a symbol',
    access: 'READ_ONLY',
    schema: {
      params: Type.Object({ symbol: Type.String({ minLength: 1, maxLength: 64 }) }),
      data: priceViewSchema.properties.basicInfo,
    },
    reasons: [stockReasons.symbol_unknown, stockReasons.not_indexed_yet],
    examples: { params: { symbol: 'AAPL' }, data: priceExample.basicInfo },
    async handler({ params }) {
      return priceView(findSymbol(await context.catalogue(), params.symbol).market, null).basicInfo
    },
  })
