import Type from 'typebox'
import { defineRoute } from '../../http/product.ts'
import type { StockContext } from '../context.ts'
import { findSymbol } from '../listing/catalogue.ts'
import { priceView, priceViewSchema } from '../listing/symbol-view.ts'

/** GET /underlying/{symbol}/price: the quote of the underlying, without its token (stock-api 2.1). Errors: `symbol_unknown`. */
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
    async handler({ params }) {
      return priceView(findSymbol(await context.catalogue(), params.symbol).market, null).basicInfo
    },
  })
