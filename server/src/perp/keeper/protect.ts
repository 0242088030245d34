import type { Hex } from '../../chain/types.ts'
import type { Venue } from '../../http/product.ts'
import type { Chores } from './chores.ts'
import { isOpen } from './claim.ts'
import { hold, isRemnant, meansOf, takeOver, type Unsafe, unsafeAccounts, unsafeSubject } from './liquidate.ts'
import type { Survey } from './survey.ts'
import { sweep } from './sweep.ts'
import { ownSubject, unwind } from './unwind.ts'

/**
 * Accounts of one pair that are tried in a round: each that is closed moves the price that the next is closed at. What the relayer has not
 * signed yet counts too. It sends in the order in which it was given, so that a longer queue would be no sooner at its end, but stand before
 * whoever has more at stake a second later.
 */
const MOST_A_PAIR = 8

/**
 * Liquidates what is below its maintenance margin: taken over and closed where that pays, else swept, else taken over and kept as far as
 * the keeper's own money goes; what it keeps is closed when the price allows. Each is the only one under way for an account; of two
 * keepers the second finds it safe or gone, before it sends or on chain.
 */
export async function protectPairs(
  venue: Venue,
  survey: (venue: Venue) => Promise<Survey>,
  chores: Chores,
  nativeBase: string,
): Promise<void> {
  const sender = await chores.sender(venue)
  if (!sender) return
  const surveyed = await survey(venue)
  const { blockNumber } = surveyed
  const busy = await chores.busy(venue, blockNumber)
  const open = surveyed.pairs.filter(isOpen)
  const isFree = (subject: string) => !busy.has(subject) && chores.isDue(venue, subject)
  const unsafeOfPairs = open.map(unsafeAccounts)
  // Nearly always nobody is unsafe, and the database need not be asked.
  const queued = unsafeOfPairs.some(({ length }) => length > 0) ? await chores.queued(venue) : new Set<string>()
  const lines = unsafeOfPairs.map((unsafe) => {
    const taken = unsafe.filter((one) => queued.has(unsafeSubject(one))).length
    const free = unsafe.filter((one) => isFree(unsafeSubject(one)))
    const places = Math.max(0, MOST_A_PAIR - taken)
    return { tried: free.slice(0, places), waiting: free.slice(places) }
  })
  const now = lines.flatMap(({ tried }) => tried)
  if (now.length > 0) {
    const left = await liquidate(venue, surveyed, chores, { sender, nativeBase, unsafe: now })
    const waiting = lines.flatMap((line) => line.waiting)
    // Who cannot be closed makes room for those that wait: what these bring the insurance fund may be what is missing.
    const giving = left.filter((one) => waiting.some((other) => makesRoom(one, other)))
    for (const one of giving) chores.fail(venue, unsafeSubject(one))
  }
  const own = open
    .flatMap((pair) => pair.holders.map((holder) => ({ pair, holder })))
    .filter(({ holder: { account, position } }) => account === sender && position.size !== 0n)
    .filter((one) => isFree(ownSubject(one)))
  await unwind(venue, chores, { sender, blockNumber }, own)
}

/** A remnant brings the insurance fund nothing: only another one gives it its place. */
const makesRoom = (one: Unsafe, waiting: Unsafe): boolean =>
  one.pair === waiting.pair && (isRemnant(one) || !isRemnant(waiting))

/** Resolves to those of which nothing may be closed or taken over now. */
async function liquidate(
  venue: Venue,
  surveyed: Survey,
  chores: Chores,
  { sender, nativeBase, unsafe }: { sender: Hex; nativeBase: string; unsafe: readonly Unsafe[] },
): Promise<readonly Unsafe[]> {
  const means = await meansOf(venue, surveyed, sender, nativeBase)
  const isOwn = ({ holder }: Unsafe) => holder.account === sender
  // Nobody takes over its own account; it may be swept like any other.
  const tried = await Promise.all(
    unsafe.map(async (one) => ({ ...one, reverts: await chores.reverts(venue, unsafeSubject(one)) })),
  )
  const others = tried.filter((one) => !isOwn(one))
  const left = [...tried.filter(isOwn), ...(await takeOver(venue, chores, means, others))]
  const unswept = await sweep(venue, chores, means, left)
  const notOwn = unswept.filter((one) => !isOwn(one))
  return [...unswept.filter(isOwn), ...(await hold(venue, chores, means, notOwn))]
}
