import Type from 'typebox'
import { defineRoute } from '../../http/product.ts'
import type { StockContext } from '../context.ts'
import { symbolSchema } from '../listing/symbol-view.ts'

/** GET /symbols: the tradable stock tokens (stock-api 2.1). */
export const getSymbols = (context: StockContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/symbols',
    summary: 'Tradable symbols with their token contracts and last prices',
    access: 'READ_ONLY',
    schema: { data: Type.Array(symbolSchema) },
    handler: async () => (await context.catalogue()).symbolsJson,
  })
