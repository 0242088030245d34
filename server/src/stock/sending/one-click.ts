import type { DelegationContext } from '../../delegation/delegation.ts'
import { oneClickOf } from '../../delegation/one-click.ts'
import type { Spending } from '../../delegation/submit.ts'
import type { StockContext } from '../context.ts'
import { stockReverts } from '../reverts/stock-reverts.ts'

/** Path of the One Click operations, before `/status` and the others (stock-api 2.4). */
export const ONE_CLICK_PREFIX = '/api/v1/1ct'

/** One Click of the stock product. Throws `one_click_unavailable` where the chain does not have it. */
export const stockOneClick = ({ venue, submitGasPerDay }: StockContext): DelegationContext => ({
  venue,
  oneClick: oneClickOf(venue.deployment, 'OneClickRouter'),
  budget: submitGasPerDay,
  prefix: ONE_CLICK_PREFIX,
  explain: stockReverts.explain,
})

/** What a deposit takes from the wallet: the user must have approved the StockRouter for it. */
export const spendingOf = (
  { router }: StockContext,
  token: Pick<Spending, 'token' | 'symbol' | 'decimals'>,
  amountRaw: bigint,
): Spending => ({
  token: token.token,
  symbol: token.symbol,
  decimals: token.decimals,
  spender: router,
  amountRaw,
  approveBy: `Call approve on ${token.token} with the user's own wallet first`,
})
