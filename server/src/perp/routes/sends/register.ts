import type { Route } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { getSendById } from './send-by-id.ts'
import { getSendByIdempotencyKey } from './send-by-idempotency-key.ts'

/** What became of sends: operations of the venue's own, beside the table. */
export const sendRoutes = (context: PerpContext): readonly Route[] => [
  getSendById(context),
  getSendByIdempotencyKey(context),
]
