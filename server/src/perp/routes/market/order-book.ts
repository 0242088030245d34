import Type from 'typebox'
import { AtBlock, defineRoute } from '../../../http/product.ts'
import { andThen } from '../../../lib/and-then.ts'
import type { PerpContext } from '../../context.ts'
import { instrumentOf, PERPETUAL_EXPIRY } from '../../listing/catalogue.ts'
import { booksExample, booksSchema } from '../../market-data/order-book-view.ts'
import { perpReasons } from '../../reasons.ts'
import { chainIdProperty, checkChainId, expiryProperty, symbolSchema } from '../../schemas.ts'

/** GET market/orderBook (perp-api 2A.0; 2B, row 4). */
export const getOrderBook = ({ chainId, instruments, books }: PerpContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/trader/market/orderBook',
    summary: 'The order book of a pair at one block: the curve’s liquidity and the resting orders together',
    description:
      'A book for each ratio: its levels are that many basis points apart, ten on each side. What a level holds can be had at its ' +
      'price or better. `depth` is accepted and has no effect.',
    access: 'OPEN',
    schema: {
      query: Type.Object({
        symbol: symbolSchema,
        depth: Type.Optional(Type.Integer({ minimum: 1 })),
        ...expiryProperty,
        ...chainIdProperty,
      }),
      data: booksSchema,
    },
    reasons: [
      perpReasons.instrument_unknown,
      perpReasons.pair_unknown,
      perpReasons.chain_id_differs,
      perpReasons.perp_chain_unreachable,
    ],
    examples: { query: { symbol: 'BTC/USDC' }, data: booksExample },
    handler({ query }) {
      checkChainId(chainId, query)
      const found = andThen(instruments(), (known) =>
        books(instrumentOf(known, query.symbol), query.expiry ?? PERPETUAL_EXPIRY),
      )
      return andThen(found, ({ block, json }) => new AtBlock(block, json))
    },
  })
