import Type from 'typebox'
import { AtBlock, defineRoute } from '../../../http/product.ts'
import { andThen } from '../../../lib/and-then.ts'
import type { PerpContext } from '../../context.ts'
import { instrumentOf, PERPETUAL_EXPIRY } from '../../listing/catalogue.ts'
import { pairUnknown } from '../../market-data/books.ts'
import { tickerExample, tickerSchema, tickerView } from '../../market-data/ticker-view.ts'
import { perpReasons } from '../../reasons.ts'
import { chainIdProperty, checkChainId, expiryProperty, symbolSchema } from '../../schemas.ts'

/** GET market/tickers (perp-api 2A.0; 2B, row 5). */
export const getTickers = ({ chainId, instruments, summary, atNewest }: PerpContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/trader/market/tickers',
    summary: 'The last day, prices and open interest: of a symbol one ticker, without a symbol a list of all',
    access: 'OPEN',
    schema: {
      query: Type.Object({ symbol: Type.Optional(symbolSchema), ...expiryProperty, ...chainIdProperty }),
      data: Type.Union([tickerSchema, Type.Array(tickerSchema)]),
    },
    reasons: [
      perpReasons.instrument_unknown,
      perpReasons.pair_unknown,
      perpReasons.chain_id_differs,
      perpReasons.perp_not_indexed,
      perpReasons.perp_chain_unreachable,
    ],
    examples: { query: { symbol: 'BTC/USDC' }, data: tickerExample },
    handler({ query }) {
      checkChainId(chainId, query)
      const { symbol, expiry = PERPETUAL_EXPIRY } = query
      if (symbol === undefined) {
        return atNewest(`tickers ${expiry}`, async () => {
          const { block, pairs } = await summary()
          return new AtBlock(
            block,
            pairs.filter((pair) => pair.expiry === expiry).map((pair) => tickerView(pair, block)),
          )
        })
      }
      return andThen(instruments(), (known) => {
        // Of two instruments of one symbol the first, also where only the second has such a pair.
        const { address } = instrumentOf(known, symbol)
        return atNewest(`tickers ${address} ${expiry}`, async () => {
          const { block, pairs } = await summary()
          const named = pairs.find((pair) => pair.expiry === expiry && pair.instrument.address === address)
          if (!named) throw pairUnknown(symbol, expiry)
          return new AtBlock(block, tickerView(named, block))
        })
      })
    },
  })
