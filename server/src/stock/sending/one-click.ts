import type { DelegationContext } from '../../delegation/delegation.ts'
import { oneClickOf } from '../../delegation/one-click.ts'
import type { Spending } from '../../delegation/submit.ts'
import type { StockContext } from '../context.ts'
import { decodeRevert, explainRevert } from '../reverts/revert-name.ts'

/** One Click of the stock product. Throws `one_click_unavailable` where the chain does not have it. */
export const stockOneClick = ({ venue, submitGasPerDay }: StockContext): DelegationContext => ({
  venue,
  oneClick: oneClickOf(venue.deployment, 'OneClickRouter'),
  budget: submitGasPerDay,
  explain: (data) => (decodeRevert(data) === null ? null : explainRevert(data)),
})

/** What a deposit takes from the wallet: the user must have approved the StockRouter for it. */
export const spendingOf = (
  { router }: StockContext,
  token: Omit<Spending, 'spender' | 'amountRaw'>,
  amountRaw: bigint,
): Spending => ({ token: token.token, symbol: token.symbol, decimals: token.decimals, spender: router, amountRaw })
