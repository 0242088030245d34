import Type, { type Static } from 'typebox'
import { authReasons } from '../../auth/reasons.ts'
import { CREATED_AT } from '../../http/examples.ts'
import type { RouteRequest } from '../../http/product.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import type { PerpContext } from '../context.ts'
import { traderOf } from '../portfolio/trader.ts'
import { perpReasons } from '../reasons.ts'
import { ordersSendExample, ordersSendSchema, sendView } from './send.ts'
import { findSends } from './send-store.ts'

/** A send that the venue has stored, as its wallet asks for it. */
export const storedSendSchema = Type.Object({
  ...ordersSendSchema.properties,
  action: Type.String({ description: 'What was asked for, such as market.' }),
  createdAt: Type.Integer({ description: 'When it was stored, Unix seconds.' }),
})

export const storedSendExample: Static<typeof storedSendSchema> = {
  ...ordersSendExample,
  status: 'Confirmed',
  action: 'batch-cancel',
  createdAt: CREATED_AT,
}

/** Why a send may not be shown. */
export const STORED_SEND_REASONS = [
  authReasons.key_not_bound,
  authReasons.user_not_bound,
  perpReasons.chain_id_differs,
  perpReasons.send_unknown,
] as const

/** What became of a send of the caller's wallet; null for an id that is not stored. Throws `send_unknown`, saying `otherwise`. */
export async function storedSend(
  context: Pick<PerpContext, 'venue' | 'chainId'>,
  { caller, query }: { readonly caller: RouteRequest['caller']; readonly query: Parameters<typeof traderOf>[2] },
  sendId: string | null,
  otherwise: string,
): Promise<Static<typeof storedSendSchema>> {
  const wallet = traderOf(context, caller, query)
  const [row] = sendId === null ? [] : await findSends(context.venue.sql, [sendId])
  if (row?.user !== wallet) throw new AppError(perpReasons.send_unknown, otherwise)
  return { ...sendView(row), action: row.action, createdAt: unixSeconds(row.createdAt) }
}
