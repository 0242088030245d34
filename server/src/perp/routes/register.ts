import type { Route } from '../../http/product.ts'
import type { PerpContext } from '../context.ts'
import { clientMarketRoutes } from './client/register.ts'
import { getInstruments } from './instruments.ts'
import { keptRoutes } from './kept/register.ts'
import { marketRoutes } from './market/register.ts'
import { mmMarketRoutes } from './mm/market.ts'
import { recordRoutes } from './records/register.ts'
import { sendRoutes } from './sends/register.ts'
import { getServerTime } from './server-time.ts'
import { tradingRoutes } from './trading/register.ts'

/** Every operation of the perpetual API, in the order of its table (perp-api 2A.0). */
export const perpRoutes = (context: PerpContext): readonly Route[] => [
  getServerTime(context),
  getInstruments(context),
  ...marketRoutes(context),
  ...tradingRoutes(context),
  ...keptRoutes(context),
  ...sendRoutes(context),
  ...recordRoutes(context),
  ...mmMarketRoutes(context),
  ...clientMarketRoutes(context),
]
