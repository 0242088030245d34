import type { RouteRequest } from '../../http/product.ts'
import { AppError } from '../../lib/errors.ts'
import type { StockContext } from '../context.ts'
import { stockReasons } from '../reasons.ts'
import { mappingOfSend } from '../recording/mapping-store.ts'
import { sendView } from './send.ts'

/** What became of a send of the calling key; null for an id that is not stored. Throws `send_not_found`, saying `otherwise`. */
export async function storedSend(
  { venue, chainId, productType }: Pick<StockContext, 'venue' | 'chainId' | 'productType'>,
  { keyId: apiKeyId }: RouteRequest['caller'],
  claimId: string | null,
  otherwise: string,
) {
  const mapping = claimId === null ? null : await mappingOfSend(venue.sql, { chainId, apiKeyId }, claimId)
  if (mapping) return sendView(mapping, productType)
  throw new AppError(stockReasons.send_not_found, otherwise)
}
