import type { Route } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { postLiquidityAdd } from './liquidity-add.ts'
import { postLiquidityRemove } from './liquidity-remove.ts'
import { postOrderBatchCancel } from './order-batch-cancel.ts'
import { postOrderBuild } from './order-build.ts'
import { postOrderCancel } from './order-cancel.ts'
import { postOrderFill } from './order-fill.ts'
import { postOrderLimit } from './order-limit.ts'
import { postOrderMarket } from './order-market.ts'
import { postOrderPreview } from './order-preview.ts'
import { postOrderScaled } from './order-scaled.ts'
import { postOrderSubmit } from './order-submit.ts'
import { postPositionAdjust } from './position-adjust.ts'
import { postPositionClose } from './position-close.ts'
import { postPositionMargin } from './position-margin.ts'

/** The operations that trade, in the order of their table. */
export const tradingRoutes = (context: PerpContext): readonly Route[] => [
  postOrderMarket(context),
  postOrderLimit(context),
  postOrderScaled(context),
  postOrderCancel(context),
  postOrderBatchCancel(context),
  postOrderFill(context),
  postOrderBuild(context),
  postOrderSubmit(context),
  postOrderPreview(context),
  postPositionClose(context),
  postPositionAdjust(context),
  postPositionMargin(context),
  postLiquidityAdd(context),
  postLiquidityRemove(context),
]
