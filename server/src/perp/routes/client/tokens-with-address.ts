import Type from 'typebox'
import { AtBlock, defineRoute } from '../../../http/product.ts'
import { nullable } from '../../../http/schemas.ts'
import type { PerpContext } from '../../context.ts'
import { isDollar, quotesOf } from '../../listing/quote.ts'
import { perpReasons } from '../../reasons.ts'
import { chainIdProperty, checkChainId } from '../../schemas.ts'

const unknown = (description: string) =>
  nullable(Type.Number({ description: `${description}; null: the venue does not know it.` }))

const tokenSchema = Type.Object({
  address: Type.String(),
  symbol: Type.String(),
  decimals: Type.Integer(),
  imageUrl: Type.String({ description: 'Empty: the venue has no images.' }),
  currentPrice: nullable(Type.Number({ description: 'USD: 1 of a stable quote, null where the venue has no price.' })),
  priceChangePercentage24H: unknown('How far the price is from that of a day ago, percent'),
  high24h: unknown('Highest price of the day, USD'),
  low24h: unknown('Lowest price of the day, USD'),
  chainId: Type.Integer(),
})

/** GET /v4/public/token/tokensWithAddress (perp-api 8): a base is no token and has no address. */
export const getTokensWithAddress = ({ chainId, instruments }: PerpContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/token/tokensWithAddress',
    summary: 'The tokens that instruments are quoted in, for the published client',
    access: 'PUBLIC',
    schema: { query: Type.Object(chainIdProperty), data: Type.Array(tokenSchema) },
    reasons: [perpReasons.chain_id_differs, perpReasons.perp_chain_unreachable],
    examples: {
      query: { chainId: 31_337 },
      data: [
        {
          address: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
          symbol: 'USDC',
          decimals: 6,
          imageUrl: '',
          currentPrice: 1,
          priceChangePercentage24H: null,
          high24h: null,
          low24h: null,
          chainId: 31_337,
        },
      ],
    },
    async handler({ query }) {
      checkChainId(chainId, query)
      const listed = await instruments()
      return new AtBlock(
        listed.block,
        quotesOf(listed).map(({ address, symbol, decimals }) => ({
          address,
          symbol,
          decimals,
          imageUrl: '',
          currentPrice: isDollar(listed, { address }) ? 1 : null,
          // A stable quote counts as a dollar, whatever others pay for it: of its market the venue knows nothing.
          priceChangePercentage24H: null,
          high24h: null,
          low24h: null,
          chainId,
        })),
      )
    },
  })
