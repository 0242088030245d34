import { defineRoute } from '../../http/product.ts'
import type { StockContext } from '../context.ts'
import { configSchema } from '../listing/config-view.ts'

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
