import type { Route } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { postOrderBuild } from './order-build.ts'
import { postOrderPreview } from './order-preview.ts'
import { postOrderSubmit } from './order-submit.ts'

/** The operations that trade, in the order of their table. */
export const tradingRoutes = (context: PerpContext): readonly Route[] => [
  postOrderBuild(context),
  postOrderSubmit(context),
  postOrderPreview(context),
]
