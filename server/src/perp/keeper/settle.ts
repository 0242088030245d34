import { encodeFunctionData } from 'viem'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { Venue } from '../../http/product.ts'
import { CONDITION, STATUS } from '../listing/states.ts'
import { equityOf } from '../maths/position.ts'
import { accountSubject, type Chore, type Chores } from './chores.ts'
import type { Holder, Pair, Survey } from './survey.ts'

/**
 * Settles everybody who still holds something in a pair that has ended. Those who cannot pay come first, as long as any of them is left:
 * whoever is settled before them has gone without bearing a part of the loss (docs/decisions/perp-settlement.md).
 */
export async function settleAccounts(venue: Venue, survey: (venue: Venue) => Promise<Survey>, chores: Chores) {
  const busy = await chores.busy(venue)
  const sender = await chores.sender(venue)
  if (!sender) return
  const { pairs } = await survey(venue)
  const due = pairs
    .filter(({ instrument, amm }) => amm.status === STATUS.SETTLED && instrument.condition !== CONDITION.FROZEN)
    .flatMap((pair) => firstToSettle(pair).map((holder) => settleChore(pair, holder)))
    .filter(({ subject }) => !busy.has(subject) && chores.isDue(venue, subject))
  const simulated = await chores.simulate(venue, sender, due)
  for (const [index, chore] of due.entries()) {
    if (simulated[index] === null) chores.fail(venue, chore.subject)
    else await chores.send(venue, chore)
  }
}

/** The bankrupt of a settled pair; without any, all who hold something. */
export function firstToSettle(pair: Pair): readonly Holder[] {
  const bankrupt = pair.holders.filter((holder) => worthAtEnd(pair, holder) < 0n)
  return bankrupt.length > 0 ? bankrupt : pair.holders
}

/** What an account gets at the settlement price, but for what orders and ranges turn into: their margins count as they were put in. */
function worthAtEnd({ indices, amm }: Pair, { position, orders, ranges }: Holder): bigint {
  const margins = [...orders, ...ranges].reduce((sum, { balance }) => sum + balance, 0n)
  return equityOf(indices, position, amm.settlementPrice) + margins
}

function settleChore(pair: Pair, { account, position, orders, ranges }: Holder): Chore {
  const { instrument, expiry } = pair
  return {
    subject: accountSubject('settle', pair, account),
    // An account with much takes several calls: each leaves less.
    state: `${orders.length}:${ranges.length}:${position.size}:${position.balance}`,
    to: instrument.address,
    data: encodeFunctionData({ abi: instrumentAbi, functionName: 'settle', args: [expiry, account] }),
  }
}
