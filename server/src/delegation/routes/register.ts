import type { Route } from '../../http/product.ts'
import { postDisable } from './disable.ts'
import { postEnable } from './enable.ts'
import type { OneClickOperations } from './operations.ts'
import { postPrepare } from './prepare.ts'
import { getStatus } from './status.ts'

/**
 * The four operations by which a product's users enable and end One Click (seed 3A, 4A). A product whose API says less or more
 * of the state gives the first itself.
 */
export const oneClickRoutes = (operations: OneClickOperations, status = getStatus(operations)): readonly Route[] => [
  status,
  postPrepare(operations),
  postEnable(operations),
  postDisable(operations),
]
