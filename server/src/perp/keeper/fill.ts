import { encodeFunctionData } from 'viem'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import { fillWord } from '../calldata/words.ts'
import { accountSubject } from './chores.ts'
import type { Claim } from './claim.ts'
import type { Pair } from './survey.ts'

/** Orders of a pair that are taken whole, which anybody may turn into positions for the tip. */
export function takenOrders(pair: Pair): readonly Claim[] {
  const { instrument, expiry, holders } = pair
  return holders.flatMap(({ account, orders }) =>
    orders
      .filter(({ taken, size }) => taken === size)
      .map((order) => {
        const args = [fillWord(expiry, account, order)] as const
        const chore = {
          subject: `${accountSubject('fill', pair, account)}:${order.tick}:${order.nonce}`,
          state: String(order.size),
          to: instrument.address,
          data: encodeFunctionData({ abi: instrumentAbi, functionName: 'fill', args }),
        }
        return { pair, owner: account, chore, functionName: 'fill' as const }
      }),
  )
}
