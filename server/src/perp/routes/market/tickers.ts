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
      const read = async () => {
        const { block, pairs } = await summary()
        const tickers = pairs
          .filter((pair) => pair.expiry === expiry && (symbol === undefined || pair.instrument.symbol === symbol))
          .map((pair) => tickerView(pair, block))
        if (symbol === undefined) return new AtBlock(block, tickers)
        const [ticker] = tickers
        if (!ticker) throw pairUnknown(symbol, expiry)
        return new AtBlock(block, ticker)
      }
      const answer = () => atNewest(`tickers ${symbol} ${expiry}`, read)
      if (symbol === undefined) return answer()
      return andThen(instruments(), (known) => {
        instrumentOf(known, symbol)
        return answer()
      })
    },
  })
