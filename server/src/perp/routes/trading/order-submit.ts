import type { PerpContext } from '../../context.ts'
import { requireTradersCall } from '../../sending/own-calls.ts'
import { submitRoute } from '../submit-route.ts'

/** POST order/submit: sends what `order/build` made and the wallet signed (perp-api 2A.0). */
export const postOrderSubmit = (context: PerpContext) =>
  submitRoute(context, {
    path: '/v4/public/trader/order/submit',
    summary: 'Sends a transaction that the wallet of the API key has signed',
    description: 'Its signer, chain, target and function are checked, then it goes to the chain node as it is.',
    example: 'a signed trade',
    check: (transaction) => requireTradersCall(context, transaction),
  })
