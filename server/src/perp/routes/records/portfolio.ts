import { WALLET } from '../../../http/examples.ts'
import { defineRoute } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { portfolioExample, portfolioOf, portfolioSchema } from '../../portfolio/portfolio.ts'
import { checkChainId } from '../../schemas.ts'
import { askedBy, WALLET_REASONS, walletQuery } from './wallet-query.ts'

/** GET portfolio: what an account holds in each pair (perp-api 8). */
export const getPublicPortfolio = (context: PerpContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/portfolio',
    summary: 'What a wallet holds in each pair, with the instruments',
    access: 'PUBLIC',
    schema: { query: walletQuery, data: portfolioSchema },
    reasons: WALLET_REASONS,
    examples: {
      query: { userAddress: WALLET },
      data: portfolioExample,
    },
    async handler({ query }) {
      checkChainId(context.chainId, query)
      return portfolioOf(context, askedBy(query))
    },
  })
