import { encodeFunctionData } from 'viem'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { Hex } from '../../chain/types.ts'
import type { Venue } from '../../http/product.ts'
import { abs } from '../../lib/bigints.ts'
import { tradeWords } from '../calldata/words.ts'
import { sqrtToPrice } from '../maths/tick.ts'
import { RATIO_BASE } from '../maths/wad.ts'
import { accountSubject, type Chore, type Chores } from './chores.ts'
import { partsOf, positionState, quote, type Unsafe } from './liquidate.ts'

/** What was taken over is closed at prices within this of the mark, basis points. */
const MOST_DEVIATION_BPS = 100n

/** Closes what the keeper's own account holds in a pair at the block, all of it or the largest part by halves that moves the price little. */
export async function unwind(
  venue: Venue,
  chores: Chores,
  { sender, blockNumber }: { readonly sender: Hex; readonly blockNumber: bigint },
  own: readonly Unsafe[],
): Promise<void> {
  for (const one of own) {
    const chore = await closingChore(venue, one)
    const [returned] = chore ? await chores.simulate(venue, sender, [chore]) : []
    if (chore && returned) await chores.send(venue, chore, blockNumber)
    else chores.fail(venue, ownSubject(one))
  }
}

export const ownSubject = ({ pair, holder }: Unsafe): string => accountSubject('own', pair, holder.account)

async function closingChore(venue: Venue, one: Unsafe): Promise<Chore | null> {
  const { pair, holder } = one
  const { instrument, expiry } = pair
  const markWad = pair.markWad as bigint
  for (const part of partsOf(holder.position.size, 0)) {
    const size = -part
    const quotation = await quote(venue, pair, size)
    if (!quotation) continue
    const away = abs(sqrtToPrice(quotation.sqrtPostFairPX96) - markWad)
    if (away * RATIO_BASE > markWad * MOST_DEVIATION_BPS) continue
    const limitTick = size < 0n ? quotation.postTick : quotation.postTick + 1
    const args = [tradeWords({ expiry, deadlineSec: 0, tick: limitTick, amount: 0n, size })] as const
    return {
      subject: ownSubject(one),
      state: `close ${size}:${positionState(one)}`,
      to: instrument.address,
      data: encodeFunctionData({ abi: instrumentAbi, functionName: 'trade', args }),
    }
  }
  return null
}
