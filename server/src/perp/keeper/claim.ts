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
 * Ends for others what is worth it: where the tip pays for the gas, and where what would come of it is below its maintenance margin,
 * since nobody can liquidate it before. `claimsOf` finds what may be ended.
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
  const costOf = await gasCosts(venue, surveyed, sender, nativeBase)
  for (const [index, claim] of due.entries()) {
    const returned = simulated[index] ?? null
    if (returned === null) chores.fail(venue, claim.chore.subject)
    else if (await isWorthIt(claim, returned, costOf)) await chores.send(venue, claim.chore, blockNumber)
  }
}

async function isWorthIt({ pair, chore, functionName }: Claim, returned: Data, costOf: CostOf): Promise<boolean> {
  const answer = decodeFunctionResult({ abi: instrumentAbi, functionName, data: returned }) as readonly unknown[]
  const [position, tipWad] = [answer[0] as Position, answer.at(-1) as bigint]
  if (isBelowMaintenance(pair, position)) return true
  const costWad = await costOf(pair, chore)
  return costWad !== null && tipWad >= costWad
}
