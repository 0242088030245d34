import type { Route } from '../../../http/product.ts'
import { deleteSession } from './end.ts'
import { deleteOtherSession } from './end-other.ts'
import { getSessions } from './list.ts'
import { postSession } from './open.ts'
import type { SessionContext } from './session-context.ts'

/** Sessions: keys by a wallet's signature, for pages in browsers. */
export const sessionRoutes = (context: SessionContext): readonly Route[] => [
  postSession(context),
  deleteSession(context),
  getSessions(context),
  deleteOtherSession(context),
]
