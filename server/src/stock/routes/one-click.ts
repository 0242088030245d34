import { oneClickRoutes } from '../../delegation/routes/register.ts'
import type { Route } from '../../http/product.ts'
import type { StockContext } from '../context.ts'
import { ONE_CLICK_PREFIX, stockOneClick } from '../sending/one-click.ts'

/** One Click of the stock product (seed 3A, 4A). */
export const stockOneClickRoutes = (context: StockContext): readonly Route[] =>
  oneClickRoutes({
    prefix: ONE_CLICK_PREFIX,
    chainId: context.chainId,
    summaries: {
      status: 'One Click status of the bound user',
      prepare: 'One Click payload for the bound user to sign',
      enable: 'Enable One Click with the signature of the bound user',
      disable: 'Disable One Click of the bound user',
    },
    context: () => stockOneClick(context),
  })
