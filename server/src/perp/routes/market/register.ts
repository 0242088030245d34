import type { Route } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { getOrderBook } from './order-book.ts'

/** What is read of the market (perp-api 2A.0). */
export const marketRoutes = (context: PerpContext): readonly Route[] => [getOrderBook(context)]
