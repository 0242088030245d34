import Type from 'typebox'
import { defineRoute } from '../../http/product.ts'
import { andThen } from '../../lib/and-then.ts'
import type { StockContext } from '../context.ts'
import { symbolExample, symbolSchema } from '../listing/symbol-view.ts'
import { stockReasons } from '../reasons.ts'

/** GET /symbols: the tradable stock tokens (stock-api 2.1). */
export const getSymbols = (context: StockContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/symbols',
    summary: 'Tradable symbols with their token contracts and last prices',
    access: 'OPEN',
    schema: { data: Type.Array(symbolSchema) },
    reasons: [stockReasons.not_indexed_yet],
    examples: { data: [symbolExample] },
    handler: () => andThen(context.catalogue(), ({ symbolsJson }) => symbolsJson),
  })
