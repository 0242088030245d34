import { defineRoute } from '../../http/product.ts'
import { andThen } from '../../lib/and-then.ts'
import type { StockContext } from '../context.ts'
import { configExample, configSchema } from '../listing/config-view.ts'
import { stockReasons } from '../reasons.ts'

/** GET /config: the on-chain market configuration, cached (seed 4A; stock-api 2.1). */
export const getConfig = (context: StockContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/config',
    summary: 'On-chain market configuration: buffers, fee rates, limits of each cash token',
    access: 'OPEN',
    schema: { data: configSchema },
    reasons: [stockReasons.not_indexed_yet],
    examples: { data: configExample(context) },
    handler: () => andThen(context.catalogue(), ({ configJson }) => configJson),
  })
