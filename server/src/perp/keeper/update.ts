import { encodeFunctionData } from 'viem'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { Venue } from '../../http/product.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { CONDITION, STATUS } from '../listing/states.ts'
import type { Chore, Chores } from './chores.ts'
import type { Pair, Survey } from './survey.ts'

/** A perpetual nobody has touched for so long is brought to now: well before a silence that a closing market would not count. */
const QUIET_SEC = 1800
/** While a dated pair settles, its average takes a price this often. */
const SETTLING_STEP_SEC = 120
const SETTLING_DURATION_SEC = 1800

/**
 * Brings quiet pairs to now: funding of a perpetual that somebody holds, the settling window and the end of a dated pair. A pair whose
 * market refuses its price waits for it.
 */
export async function updatePairs(venue: Venue, survey: (venue: Venue) => Promise<Survey>, chores: Chores) {
  const sender = await chores.sender(venue)
  if (!sender) return
  const { blockNumber, pairs, nowSec } = await survey(venue)
  const busy = await chores.busy(venue, blockNumber)
  const due = pairs
    .flatMap((pair) => updateChore(pair, nowSec))
    .filter(({ subject }) => !busy.has(subject) && chores.isDue(venue, subject))
  const simulated = await chores.simulate(venue, sender, due)
  for (const [index, chore] of due.entries()) {
    if (simulated[index] === null) chores.fail(venue, chore.subject)
    else await chores.send(venue, chore, blockNumber)
  }
}

function updateChore(pair: Pair, nowSec: number): Chore[] {
  const { instrument, expiry, amm, markWad } = pair
  const isLive = amm.status === STATUS.TRADING || amm.status === STATUS.SETTLING
  if (instrument.condition !== CONDITION.NORMAL || !isLive || markWad === null) return []
  const state = expiry === PERPETUAL_EXPIRY ? quietSince(pair, nowSec) : settlingStep(pair, nowSec)
  if (state === null) return []
  const data = encodeFunctionData({ abi: instrumentAbi, functionName: 'update', args: [expiry] })
  return [{ subject: `update:${instrument.address}:${expiry}`, state, isOnce: true, to: instrument.address, data }]
}

function quietSince({ amm }: Pair, nowSec: number): string | null {
  const isHeld = amm.totalLong > 0n || amm.totalShort > 0n
  return isHeld && nowSec - amm.timestamp >= QUIET_SEC ? `since ${amm.timestamp}` : null
}

function settlingStep({ amm, expiry }: Pair, nowSec: number): string | null {
  const step = Math.floor(nowSec / SETTLING_STEP_SEC)
  // Again at each step until it has ended: after a reorganisation the end may be mined before the expiry, with no effect.
  if (nowSec >= expiry) return `ended ${step}`
  if (nowSec + SETTLING_DURATION_SEC < expiry) return null
  return amm.status === STATUS.TRADING ? 'settling' : `step ${step}`
}
