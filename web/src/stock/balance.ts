import { getBalance } from '@bourse/sdk/stock'
import { setup } from '../app-state.ts'
import { createResource, ofSession } from '../lib/resource.ts'
import { changes, trader, trading } from './venue.ts'

const EVERY_MS = 5000

/** Cash and tokens of the session's wallet, at the venue and in the wallet. */
export const balance = createResource((abort) => {
  const { client, user } = trader()
  const spenderAddress = setup.peek()?.contracts.StockRouter
  return getBalance(client, { userId: user, ...(spenderAddress ? { spenderAddress } : {}) }, { signal: abort })
})

ofSession(trading, [balance], changes)
setInterval(() => {
  if (trading.peek() && !document.hidden) void balance.refresh()
}, EVERY_MS)
