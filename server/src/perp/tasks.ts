import type { SignerNeed } from '../chain/send/signer.ts'
import type { Task, Venue } from '../http/product.ts'
import type { Market } from '../market/tasks.ts'
import { reconcileTask } from '../reconciliation/cycle.ts'
import { Chores, KEEPER_PURPOSE } from './keeper/chores.ts'
import { type Claim, endForOthers } from './keeper/claim.ts'
import { FEED_PURPOSE, feedMemory, feedPrices } from './keeper/feed-prices.ts'
import { takenOrders } from './keeper/fill.ts'
import { protectPairs } from './keeper/protect.ts'
import { leftRanges } from './keeper/remove.ts'
import { settleAccounts } from './keeper/settle.ts'
import { openSurvey, type Pair } from './keeper/survey.ts'
import { updatePairs } from './keeper/update.ts'
import { keepOrders } from './kept/keep.ts'
import { perpComparisons } from './reconciliation/reconcile.ts'
import type { KeeperSettings, PerpSettings } from './variables.ts'

/**
 * What the keeper does for perpetuals: market prices to the feeds; positions below their maintenance margin closed, quiet pairs
 * brought to now, taken orders and left ranges ended for the tip, accounts of ended pairs settled, kept orders sent; and its books against
 * the chain.
 */
export function perpTasks(
  market: Market,
  { nativeBase, submitGasPerDay }: KeeperSettings & Pick<PerpSettings, 'submitGasPerDay'>,
): readonly Task[] {
  const feeds = feedMemory()
  const survey = openSurvey()
  const chores = new Chores()
  const ends = (claimsOf: (pair: Pair) => readonly Claim[]) => (venue: Venue) =>
    endForOthers(venue, survey, chores, { nativeBase, claimsOf })
  return [
    { name: 'perp.feed-prices', intervalMs: 1000, run: (venue) => feedPrices(venue, market, feeds) },
    { name: 'perp.liquidate', intervalMs: 1000, run: (venue) => protectPairs(venue, survey, chores, nativeBase) },
    {
      name: 'perp.kept',
      intervalMs: 1000,
      run: (venue) => keepOrders({ venue, chainId: venue.deployment.chainId, submitGasPerDay }, survey),
    },
    { name: 'perp.fill', intervalMs: 2000, run: ends(takenOrders) },
    { name: 'perp.remove', intervalMs: 5000, run: ends(leftRanges) },
    { name: 'perp.update', intervalMs: 5000, run: (venue) => updatePairs(venue, survey, chores) },
    { name: 'perp.settle', intervalMs: 5000, run: (venue) => settleAccounts(venue, survey, chores) },
    reconcileTask(perpComparisons),
  ]
}

/** Who signs for perpetuals. */
export const perpSigners: readonly SignerNeed[] = [
  {
    purpose: FEED_PURPOSE,
    variable: 'SIGNER_PERP_FEED_KEY',
    many: false,
    does: 'writes prices to the feeds of perpetuals on a development chain',
    required: false,
    embeddedAccounts: [16],
  },
  {
    purpose: KEEPER_PURPOSE,
    variable: 'SIGNER_PERP_KEEPER_KEY',
    many: false,
    does: 'liquidates, fills, settles and updates perpetuals',
    required: false,
    embeddedAccounts: [17],
  },
]
