import { decodeFunctionResult, encodeFunctionData } from 'viem'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { Hex } from '../../chain/types.ts'
import type { Venue } from '../../http/product.ts'
import { CONDITION, STATUS } from '../listing/states.ts'
import { accountSubject, type Chore, type Chores, type Simulated } from './chores.ts'
import type { Holder, Pair, Survey } from './survey.ts'

/**
 * Settles everybody who still holds something in a pair that has ended. Those who cannot pay come first, as long as any of them is left:
 * whoever is settled before them has gone without bearing a part of the loss (docs/decisions/perp-settlement.md).
 */
export async function settleAccounts(venue: Venue, survey: (venue: Venue) => Promise<Survey>, chores: Chores) {
  const sender = await chores.sender(venue)
  if (!sender) return
  const { blockNumber, pairs } = await survey(venue)
  const busy = await chores.busy(venue, blockNumber)
  for (const pair of pairs.filter(isSettled)) {
    for (const { chore, returned } of firstToSettle(await tryAll(venue, chores, sender, pair))) {
      if (busy.has(chore.subject) || !chores.isDue(venue, chore.subject)) continue
      if (returned === null) chores.fail(venue, chore.subject)
      else await chores.send(venue, chore, blockNumber)
    }
  }
}

const isSettled = ({ instrument, amm }: Pair): boolean =>
  amm.status === STATUS.SETTLED && instrument.condition !== CONDITION.FROZEN

/** A settlement, and what it came to when it was simulated between two readings of the pair. */
interface Tried {
  readonly chore: Chore
  readonly returned: Simulated
}

/**
 * Those who take nothing out of the pair: the bankrupt, and who holds more than one call ends; without any, all. Who is refused is owed
 * more than the pair holds and waits for them.
 */
function firstToSettle(tried: readonly Tried[]): readonly Tried[] {
  const unpaid = tried.filter(({ returned }) => returned !== null && takesNothing(returned))
  return unpaid.length > 0 ? unpaid : tried
}

/** The chain itself says what everybody would get, so that what orders and ranges turn into counts as it does there. */
async function tryAll(venue: Venue, chores: Chores, sender: Hex, pair: Pair): Promise<Tried[]> {
  const to = pair.instrument.address
  const amm = encodeFunctionData({ abi: instrumentAbi, functionName: 'getAmm', args: [pair.expiry] })
  const due = pair.holders.map((holder) => settleChore(pair, holder))
  const calls = due.map(({ data }) => {
    const args = [[amm, data, amm]] as const
    return { to, data: encodeFunctionData({ abi: instrumentAbi, functionName: 'multicall', args }) }
  })
  const simulated = await chores.simulate(venue, sender, calls)
  return due.map((chore, index) => ({ chore, returned: simulated[index] ?? null }))
}

function takesNothing(returned: Hex): boolean {
  const results = decodeFunctionResult({ abi: instrumentAbi, functionName: 'multicall', data: returned })
  const [before, after] = [results.at(0), results.at(-1)].map((data = '0x') => {
    return decodeFunctionResult({ abi: instrumentAbi, functionName: 'getAmm', data }).involvedFund
  })
  return before === after
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
