import { withdrawCall } from '../calldata/calls.ts'
import { perpReasons } from '../reasons.ts'
import { defineAction } from './action.ts'
import { moneyParams, ofGate, readMoney } from './quotes.ts'

/** Takes money from the reserve to the wallet (perp-api 2A.0). */
export const withdraw = defineAction({
  summary: 'Withdraws quote from the reserve to the wallet',
  params: moneyParams,
  reasons: [perpReasons.quote_unknown],
  examples: { withdraw: { quote: 'USDC', amount: '250' } },
  async prepare(context, user, params) {
    const money = await readMoney(context, params)
    const call = withdrawCall(user, money.token.address, money.amountRaw)
    return ofGate(context, params, money, call)
  },
})
