import { encodeFunctionData } from 'viem'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { Venue } from '../../http/product.ts'
import type { Chore, Chores } from './chores.ts'
import { leftBy, type Means, partsOf, positionState, type Tried, unsafeSubject } from './liquidate.ts'

/**
 * Closes accounts against their pair: all of each where the pair allows that, else the largest part by halves (a sweep may not carry the
 * fair price far from the benchmark). What is left of an account goes to the insurance fund: nobody earns by it, it protects the pair.
 * Resolves to those of which no part may be swept now.
 */
export async function sweep(
  venue: Venue,
  chores: Chores,
  { sender, blockNumber }: Pick<Means, 'sender' | 'blockNumber'>,
  unsafe: readonly Tried[],
): Promise<readonly Tried[]> {
  return await leftBy(unsafe, async (one) => {
    const parts = sweepChores(one)
    const simulated = await chores.simulate(venue, sender, parts)
    const chore = parts[simulated.findIndex((returned) => returned !== null)]
    if (chore) await chores.send(venue, chore, blockNumber)
    return chore !== undefined
  })
}

/** From the whole on to the smallest part, or from a smaller one where the chain has refused larger ones. */
function sweepChores(one: Tried): Chore[] {
  const { instrument, expiry } = one.pair
  const { account, position } = one.holder
  return partsOf(position.size, one.reverts).map((size) => ({
    subject: unsafeSubject(one),
    state: `sweep ${size}:${positionState(one)}`,
    to: instrument.address,
    data: encodeFunctionData({ abi: instrumentAbi, functionName: 'sweep', args: [expiry, account, -size] }),
  }))
}
