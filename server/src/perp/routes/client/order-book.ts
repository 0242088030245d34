import Type from 'typebox'
import { PreparedJson } from '../../../http/prepared-json.ts'
import { AtBlock, defineRoute } from '../../../http/product.ts'
import { byAddress, PAIR_EXAMPLE } from '../../client/query.ts'
import type { PerpContext } from '../../context.ts'
import {
  booksExample,
  type booksSchema,
  clientBooksSchema,
  clientBooksView,
} from '../../market-data/order-book-view.ts'
import { requirePair } from '../../market-data/resolve-pair.ts'
import { perpReasons } from '../../reasons.ts'
import { chainIdProperty, checkChainId } from '../../schemas.ts'

const { instrument: address, ...PAIR } = PAIR_EXAMPLE

/** GET /v4/public/market/orderBook (perp-api 8). */
export const getClientOrderBook = (context: PerpContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/market/orderBook',
    summary: 'The order book of a pair at one block, for the published client, which names its sizes otherwise',
    access: 'PUBLIC',
    schema: { query: Type.Object({ ...byAddress, ...chainIdProperty }), data: clientBooksSchema },
    reasons: [
      perpReasons.instrument_unknown,
      perpReasons.pair_unknown,
      perpReasons.chain_id_differs,
      perpReasons.perp_not_indexed,
      perpReasons.perp_chain_unreachable,
    ],
    examples: { query: { address, ...PAIR }, data: clientBooksView(booksExample) },
    async handler({ query }) {
      checkChainId(context.chainId, query)
      const { instrument, pair } = await requirePair(context, query.address, query.expiry)
      const { block, json } = await context.books(instrument, pair.expiry)
      const books = JSON.parse(json.text) as Type.Static<typeof booksSchema>
      return new AtBlock(block, new PreparedJson(clientBooksView(books)))
    },
  })
