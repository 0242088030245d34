import { oneClickRoutes } from '../../../delegation/routes/register.ts'
import type { Route } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { ONE_CLICK_PREFIX, perpOneClick } from '../../sending/one-click.ts'
import { getOneClickStatus } from './one-click-status.ts'

/** One Click of the perpetual product (perp-api 2A.0, 4). */
export const perpOneClickRoutes = (context: PerpContext): readonly Route[] =>
  oneClickRoutes(
    {
      prefix: ONE_CLICK_PREFIX,
      chainId: context.chainId,
      summaries: {
        status: 'Whether One Click is enabled for the wallet',
        prepare: 'What the wallet signs to enable One Click',
        enable: 'Enable One Click with the signature of the wallet',
        disable: 'Disable One Click of the wallet',
      },
      context: () => perpOneClick(context),
    },
    getOneClickStatus(context),
  )
