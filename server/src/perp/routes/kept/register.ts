import type { Route } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { postOrderKeptCancel } from './kept-cancel.ts'
import { getOrderKept } from './kept-list.ts'
import { postOrderKept } from './kept-place.ts'

/** Orders that the venue keeps for wallets: operations of its own, beside the table. */
export const keptRoutes = (context: PerpContext): readonly Route[] => [
  postOrderKept(context),
  postOrderKeptCancel(context),
  getOrderKept(context),
]
