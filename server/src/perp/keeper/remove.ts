import { encodeFunctionData } from 'viem'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import { removeWords } from '../calldata/words.ts'
import { accountSubject } from './chores.ts'
import type { Claim } from './claim.ts'
import type { Pair } from './survey.ts'

/** The lowest and the highest tick that a word holds: any price. */
const ANY_TICK = { lower: -(2 ** 23), upper: 2 ** 23 - 1 }

/** Ranges of a pair that its price has left, which anybody may remove for the tip. */
export function leftRanges(pair: Pair): readonly Claim[] {
  const { instrument, expiry, holders, amm } = pair
  return holders.flatMap(({ account, ranges }) =>
    ranges
      .filter(({ tickLower, tickUpper }) => amm.tick < tickLower || amm.tick >= tickUpper)
      .map((range) => {
        const { tickLower, tickUpper } = range
        const terms = { expiry, deadlineSec: 0, limits: ANY_TICK, owner: account, tickLower, tickUpper }
        const args = [removeWords(terms)] as const
        const chore = {
          subject: `${accountSubject('remove', pair, account)}:${range.tickLower}:${range.tickUpper}`,
          state: `${range.sqrtEntryPX96}:${range.balance}`,
          to: instrument.address,
          data: encodeFunctionData({ abi: instrumentAbi, functionName: 'remove', args }),
        }
        return { pair, owner: account, chore, functionName: 'remove' as const }
      }),
  )
}
