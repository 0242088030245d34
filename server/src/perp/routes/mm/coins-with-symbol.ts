import Type from 'typebox'
import { AtBlock, defineRoute } from '../../../http/product.ts'
import { jsonNumber } from '../../../lib/decimal.ts'
import { WAD, WAD_DECIMALS } from '../../../lib/wad.ts'
import type { PerpContext } from '../../context.ts'
import { PERPETUAL_EXPIRY } from '../../listing/catalogue.ts'
import type { PairSummary } from '../../market-data/summary.ts'
import { perpReasons } from '../../reasons.ts'
import { chainIdProperty, checkChainId } from '../../schemas.ts'

const price = (description: string) => Type.Number({ description: `${description}, in the quote.` })

const coinSchema = Type.Object({
  symbol: Type.String({ description: 'The base, such as BTC.' }),
  currentPrice: price('Price of the source; 0 while it is out of date'),
  high24h: price('Highest traded price of the day'),
  low24h: price('Lowest traded price of the day'),
  imageUrl: Type.String({ description: 'Empty: the venue has no images.' }),
  priceChangePercentage24H: Type.Number({ description: 'How far the last price is from that of a day ago, percent.' }),
  updateTime: Type.Integer({ description: 'Time of the block, Unix seconds.' }),
})

/** GET /v4/public/mm/token/coinsWithSymbol (perp-api 2B, row 16). */
export const getCoinsWithSymbol = ({ summary, chainId }: PerpContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/mm/token/coinsWithSymbol',
    summary: 'Prices of the bases of all perpetuals',
    access: 'READ_ONLY',
    schema: { query: Type.Object(chainIdProperty), data: Type.Array(coinSchema) },
    reasons: [perpReasons.chain_id_differs, perpReasons.perp_not_indexed, perpReasons.perp_chain_unreachable],
    examples: {
      data: [
        {
          symbol: 'BTC',
          currentPrice: 60_100,
          high24h: 60_480.25,
          low24h: 59_710.5,
          imageUrl: '',
          priceChangePercentage24H: 0.2008333333333333,
          updateTime: 1_764_000_005,
        },
      ],
    },
    async handler({ query }) {
      checkChainId(chainId, query)
      const { block, pairs } = await summary()
      const perpetuals = pairs.filter(({ expiry }) => expiry === PERPETUAL_EXPIRY)
      return new AtBlock(
        block,
        perpetuals.map((pair) => coinView(pair, block.timestampSec)),
      )
    },
  })

const number = (wad: bigint) => jsonNumber(wad, WAD_DECIMALS)

function coinView({ instrument, state, prices }: PairSummary, timeSec: bigint) {
  const { openWad, highWad, lowWad, lastWad } = prices
  return {
    symbol: instrument.base,
    currentPrice: number(state.priceData.spotPrice),
    high24h: number(highWad),
    low24h: number(lowWad),
    imageUrl: '',
    priceChangePercentage24H: number(((lastWad - openWad) * 100n * WAD) / openWad),
    updateTime: Number(timeSec),
  }
}
