import Type from 'typebox'
import { AtBlock, defineRoute } from '../../http/product.ts'
import type { PerpContext } from '../context.ts'
import { instrumentOf } from '../listing/catalogue.ts'
import { instrumentExample, instrumentSchema, instrumentView } from '../listing/instrument-view.ts'
import { perpReasons } from '../reasons.ts'
import { chainIdProperty, checkChainId, expiryProperty, symbolSchema } from '../schemas.ts'

/** GET market/instruments (perp-api 2A.4; 2B, row 2). */
export const getInstruments = ({ chainId, instruments }: PerpContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/trader/market/instruments',
    summary: 'Instruments with their parameters, or the one of a symbol',
    description: '`expiry` is accepted and has no effect: an instrument’s parameters are those of all its pairs.',
    access: 'OPEN',
    schema: {
      query: Type.Object({ symbol: Type.Optional(symbolSchema), ...expiryProperty, ...chainIdProperty }),
      data: Type.Array(instrumentSchema),
    },
    reasons: [perpReasons.instrument_unknown, perpReasons.chain_id_differs, perpReasons.perp_chain_unreachable],
    examples: { query: { symbol: 'BTC/USDC' }, data: [instrumentExample] },
    async handler({ query }) {
      checkChainId(chainId, query)
      const all = await instruments()
      const wanted = query.symbol === undefined ? all.list : [instrumentOf(all, query.symbol)]
      return new AtBlock(all.block, wanted.map(instrumentView))
    },
  })
