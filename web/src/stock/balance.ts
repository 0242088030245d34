import { getBalance } from '@bourse/sdk/stock'
import { effect } from '@preact/signals'
import { setup } from '../app-state.ts'
import { createResource } from '../lib/resource.ts'
import { changes, trader, trading } from './venue.ts'

const EVERY_MS = 5000

/** Cash and tokens of the session's wallet, at the venue and in the wallet. */
export const balance = createResource((abort) => {
  const { client, user } = trader()
  const spenderAddress = setup.peek()?.contracts.StockRouter
  return getBalance(client, { userId: user, ...(spenderAddress ? { spenderAddress } : {}) }, { signal: abort })
})

effect(() => {
  changes.value
  if (!trading.value) {
    balance.data.value = undefined
    return
  }
  void balance.refresh()
  const timer = setInterval(() => document.hidden || void balance.refresh(), EVERY_MS)
  return () => clearInterval(timer)
})
