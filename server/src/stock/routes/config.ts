import { defineRoute } from '../../http/product.ts'
import { configSchema } from '../config-view.ts'
import type { StockContext } from '../context.ts'

/** GET /config: the on-chain market configuration, cached (seed 4A; stock-api 2.1). */
export const getConfig = (context: StockContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/config',
    summary: 'On-chain market configuration: buffers, fee rates, limits of each cash token',
    access: 'READ_ONLY',
    schema: { data: configSchema },
    handler: async () => (await context.catalogue()).configJson,
  })
