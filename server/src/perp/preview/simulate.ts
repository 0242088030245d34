import { encodeFunctionData } from 'viem'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import type { Hex } from '../../chain/types.ts'
import type { Prepared } from '../actions/action.ts'
import { multicall } from '../calldata/calls.ts'
import type { PerpContext } from '../context.ts'
import type { Amm, Portfolio } from '../listing/observer.ts'
import { type CallOutcome, callsAt, decoded, type PairState, type StateOverride, unreachable } from '../listing/pair.ts'
import { perpReverts, wouldRevert } from '../reverts/perp-reverts.ts'
import { allowanceOverride } from './allowance.ts'

/** A pair's account and pool once the action has run. */
export interface After {
  readonly portfolio: Portfolio
  readonly amm: Amm
}

/** What an action comes to at its block; `after` is null for what is about Gate alone. */
export interface Simulation {
  readonly prepared: Prepared
  readonly after: After | null
  /** True when it was run as if Gate might take the quote from the wallet, which it may not yet. */
  readonly needsApproval: boolean
}

/**
 * Runs an action from the user's wallet on the real contracts, at the block that it was prepared at, and reads the account
 * afterwards in the same run. With `asIfApproved` a missing allowance of the wallet is no obstacle. Throws `would_revert`,
 * `perp_chain_unreachable`.
 */
export async function simulate(
  context: PerpContext,
  user: Hex,
  prepared: Prepared,
  asIfApproved: boolean,
): Promise<Simulation> {
  const first = await run(context, user, prepared)
  const isAllowanceMissing = asIfApproved && 'reverted' in first && mayLackAllowance(first.reverted)
  const override = isAllowanceMissing ? await allowanceOverride(context, user, prepared) : null
  const outcome = override ? await run(context, user, prepared, override) : first
  if ('reverted' in outcome) throw wouldRevert(outcome.reverted)
  return {
    prepared,
    after: prepared.pair ? stateAfter(outcome, prepared.calls.length) : null,
    needsApproval: override !== null,
  }
}

async function run(
  { venue }: PerpContext,
  user: Hex,
  { to, calls, block, pair }: Prepared,
  override?: StateOverride,
): Promise<CallOutcome> {
  const own = calls.map((call) => call.own)
  const [single] = own
  const data = pair ? multicall([...own, ...readsOf(pair, user)]) : single
  if (data === undefined) throw new RangeError('there is nothing to run')
  const [outcome] = await callsAt(venue, block, [{ from: user, to, data }], override)
  if (!outcome) throw unreachable(new Error('the run has no outcome'))
  return outcome
}

/** The views that follow the action, in its own call: they see what it leaves. */
const readsOf = ({ expiry }: PairState, user: Hex): Hex[] => [
  encodeFunctionData({ abi: instrumentAbi, functionName: 'getPortfolio', args: [expiry, user] }),
  encodeFunctionData({ abi: instrumentAbi, functionName: 'getAmm', args: [expiry] }),
]

function stateAfter(outcome: CallOutcome, actions: number): After {
  const results = decoded(instrumentAbi, 'multicall', outcome)
  const [portfolio, amm] = [0, 1].map((index) => ({ returned: results[actions + index] ?? '0x' }) as const)
  return {
    portfolio: decoded(instrumentAbi, 'getPortfolio', portfolio),
    amm: decoded(instrumentAbi, 'getAmm', amm),
  }
}

/** Gate says itself that the allowance is too low; a token says it in its own words. */
const mayLackAllowance = (data: Hex): boolean =>
  ['InsufficientReserve', 'ERC20InsufficientAllowance'].includes(perpReverts.decode(data)?.name ?? '')
