import { type Hex as Data, decodeFunctionResult } from 'viem'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { Hex } from '../../chain/types.ts'
import type { Venue } from '../../http/product.ts'
import { CONDITION, STATUS } from '../listing/states.ts'
import type { Position } from '../maths/position.ts'
import type { Chore, Chores } from './chores.ts'
import { type CostOf, gasCosts } from './earnings.ts'
import { isBelowMaintenance } from './liquidate.ts'
import type { Pair, Survey } from './survey.ts'

/** What may be ended for another: a taken order, a range that the price has left. */
export interface Claim {
  readonly pair: Pair
  readonly owner: Hex
  readonly chore: Chore
  readonly functionName: 'fill' | 'remove'
}

/** Whether something may be done in the pair by anybody. */
export const isOpen = ({ instrument, amm, markWad }: Pair): boolean =>
  instrument.condition === CONDITION.NORMAL &&
  markWad !== null &&
  (amm.status === STATUS.TRADING || amm.status === STATUS.SETTLING)

/**
 * Ends for others what is worth it: first where what would come of it is below its maintenance margin, since nobody can liquidate it
 * before, then where the tip pays for the gas. `claimsOf` finds what may be ended.
 */
export async function endForOthers(
  venue: Venue,
  survey: (venue: Venue) => Promise<Survey>,
  chores: Chores,
  { nativeBase, claimsOf }: { readonly nativeBase: string; claimsOf(pair: Pair): readonly Claim[] },
): Promise<void> {
  const sender = await chores.sender(venue)
  if (!sender) return
  const surveyed = await survey(venue)
  const { blockNumber } = surveyed
  const busy = await chores.busy(venue, blockNumber)
  const due = surveyed.pairs
    .filter(isOpen)
    .flatMap(claimsOf)
    .filter(({ owner, chore: { subject } }) => owner !== sender && !busy.has(subject) && chores.isDue(venue, subject))
  if (due.length === 0) return
  const simulated = await chores.simulate(
    venue,
    sender,
    due.map(({ chore }) => chore),
  )
  const ends = due.flatMap((claim, index): End[] => {
    const returned = simulated[index] ?? null
    if (returned !== null) return [endOf(claim, returned)]
    chores.fail(venue, claim.chore.subject)
    return []
  })
  const [unsafe, others] = [ends.filter(isUnsafe), ends.filter((end) => !isUnsafe(end))]
  // Before any question about gas: nobody else may be there to do it, and a crowd that pays nothing must not keep it waiting.
  for (const { claim } of unsafe) await chores.send(venue, claim.chore, blockNumber)
  const weighed = mostWorth(others.filter(({ claim }) => chores.isDue(venue, tipOf(claim))))
  if (weighed.length === 0) return
  const costOf = await gasCosts(venue, surveyed, sender, nativeBase)
  for (const end of weighed) {
    if (await pays(end, costOf)) await chores.send(venue, end.claim.chore, blockNumber)
    else chores.fail(venue, tipOf(end.claim))
  }
}

/** Tips that a round weighs against their gas: the node is asked about each. */
const MAX_WEIGHED = 50

/** What a claim comes to at the node's head. */
interface End {
  readonly claim: Claim
  readonly position: Position
  readonly tipWad: bigint
}

function endOf(claim: Claim, returned: Data): End {
  const { functionName } = claim
  const answer = decodeFunctionResult({ abi: instrumentAbi, functionName, data: returned }) as readonly unknown[]
  return { claim, position: answer[0] as Position, tipWad: answer.at(-1) as bigint }
}

const isUnsafe = ({ claim, position }: End): boolean => isBelowMaintenance(claim.pair, position)

/** Those with the highest tips: a crowd with little ones hides none that pays. */
const mostWorth = (ends: readonly End[]): readonly End[] =>
  ends.toSorted((a, b) => Number(b.tipWad - a.tipWad)).slice(0, MAX_WEIGHED)

/** The tip waits by itself after it did not pay: what becomes unsafe meanwhile is ended at once. */
const tipOf = ({ chore }: Claim): string => `tip of ${chore.subject}`

async function pays({ claim, tipWad }: End, costOf: CostOf): Promise<boolean> {
  const costWad = await costOf(claim.pair, claim.chore)
  return costWad !== null && tipWad >= costWad
}
