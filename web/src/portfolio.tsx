// All that a wallet has at the venue, of every product.
import { setup } from './app-state.ts'
import { Holdings } from './perp/holdings.tsx'
import { Portfolio as StockPortfolio } from './stock/portfolio.tsx'

export const Portfolio = () => <StockPortfolio>{setup.value?.perp && <Holdings />}</StockPortfolio>
