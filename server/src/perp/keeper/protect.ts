import type { Venue } from '../../http/product.ts'
import type { Chores } from './chores.ts'
import { isOpen } from './claim.ts'
import { takeOver, unsafeAccounts, unsafeSubject } from './liquidate.ts'
import type { Survey } from './survey.ts'
import { sweep } from './sweep.ts'

/** Accounts of one pair that are closed in a round: each moves the price that the next is closed at. */
const MOST_A_PAIR = 8

/**
 * Liquidates what is below its maintenance margin: taken over where that pays, else swept. Either is the only one under way for an
 * account; of two keepers the second finds it safe or gone, before it sends or on chain.
 */
export async function protectPairs(
  venue: Venue,
  survey: (venue: Venue) => Promise<Survey>,
  chores: Chores,
  nativeBase: string,
): Promise<void> {
  const busy = await chores.busy(venue)
  const sender = await chores.sender(venue)
  if (!sender) return
  const surveyed = await survey(venue)
  const isFree = (subject: string) => !busy.has(subject) && chores.isDue(venue, subject)
  const unsafe = surveyed.pairs.filter(isOpen).flatMap((pair) =>
    unsafeAccounts(pair)
      .filter((one) => isFree(unsafeSubject(one)))
      .slice(0, MOST_A_PAIR),
  )
  if (unsafe.length === 0) return
  const others = unsafe.filter(({ holder }) => holder.account !== sender)
  const taken = await takeOver(venue, surveyed, chores, { sender, nativeBase, unsafe: others })
  await sweep(
    venue,
    chores,
    sender,
    unsafe.filter((one) => !taken.has(unsafeSubject(one))),
  )
}
