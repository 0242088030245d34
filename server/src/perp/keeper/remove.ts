import { encodeFunctionData } from 'viem'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import { accountSubject } from './chores.ts'
import type { Claim } from './claim.ts'
import { removeWords } from './packed.ts'
import type { Pair } from './survey.ts'

/** Ranges of a pair that its price has left, which anybody may remove for the tip. */
export function leftRanges(pair: Pair): readonly Claim[] {
  const { instrument, expiry, holders, amm } = pair
  return holders.flatMap(({ account, ranges }) =>
    ranges
      .filter(({ tickLower, tickUpper }) => amm.tick < tickLower || amm.tick >= tickUpper)
      .map((range) => {
        const args = [removeWords(expiry, account, range)] as const
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
