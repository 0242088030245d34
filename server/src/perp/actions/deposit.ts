import { contractAddress } from '../../chain/deployment.ts'
import { depositCall } from '../calldata/calls.ts'
import { perpReasons } from '../reasons.ts'
import { defineAction } from './action.ts'
import { moneyParams, ofGate, readMoney } from './quotes.ts'

const APPROVE_BY = "POST approve/prepare, sign its transaction with the user's own wallet, POST approve/submit"

/** Brings money from the wallet to the reserve (perp-api 2A.0). */
export const deposit = defineAction({
  summary: 'Deposits quote from the wallet into the reserve',
  params: moneyParams,
  reasons: [perpReasons.quote_unknown],
  examples: { deposit: { quote: 'USDC', amount: '1000' } },
  async prepare(context, user, params) {
    const money = await readMoney(context, params)
    const { token, amountRaw } = money
    const prepared = await ofGate(context, params, money, depositCall(user, token.address, amountRaw))
    const spender = contractAddress(context.venue.deployment, 'Gate')
    const { symbol, decimals, address } = token
    const spending = { token: address, symbol, decimals, spender, amountRaw, approveBy: APPROVE_BY }
    return { ...prepared, spending }
  },
})
