import type { Hex } from '../../chain/types.ts'
import { inTransaction } from '../../db/pool.ts'
import { AppError } from '../../lib/errors.ts'
import type { PerpContext } from '../context.ts'
import { perpReasons } from '../reasons.ts'
import { OF_LINKED } from './fire.ts'
import { cancelLinked, type Ending, endOpen, findKept, lockLink } from './kept-store.ts'
import { type KeptOrderView, keptOrderView } from './kept-view.ts'

const BY_WALLET: Ending = { state: 'cancelled', reason: 'cancelled', message: 'the wallet cancelled it' }

/**
 * Cancels a kept order of the wallet; of a cancel and a send at once exactly one is done. One that the send of its linked order has
 * cancelled stays so, whatever becomes of that send. Throws `kept_order_unknown`,
 * `kept_order_not_open`.
 */
export async function cancelKept(
  { venue, chainId }: Pick<PerpContext, 'venue' | 'chainId'>,
  user: Hex,
  keptId: string,
): Promise<KeptOrderView> {
  const [known] = await findKept(venue.sql, chainId, user, [keptId])
  if (!known) {
    throw new AppError(perpReasons.kept_order_unknown, `the wallet has no kept order ${keptId}`)
  }
  const isCancelled = await inTransaction(venue.sql, async (tx) => {
    await lockLink(tx, chainId, known, 'open')
    return (
      (await endOpen(tx, chainId, keptId, BY_WALLET)) || (await cancelLinked(tx, chainId, known, OF_LINKED, BY_WALLET))
    )
  })
  const [row = known] = await findKept(venue.sql, chainId, user, [keptId])
  if (isCancelled) return keptOrderView(row)
  throw new AppError(
    perpReasons.kept_order_not_open,
    `the kept order ${keptId} is ${row.state} and cannot be cancelled`,
  )
}
