import Type from 'typebox'
import { boundUser } from '../../../auth/bound-user.ts'
import { authReasons } from '../../../auth/reasons.ts'
import type { Hex } from '../../../chain/types.ts'
import { TX_HASH } from '../../../http/examples.ts'
import { defineRoute } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { perpReasons } from '../../reasons.ts'
import { requireTradersCall } from '../../sending/own-calls.ts'
import { broadcast, readSignedTransaction, signedTransactionSchema } from '../../sending/signed-transaction.ts'

/** POST order/submit: sends what `order/build` made and the wallet signed (perp-api 2A.0). */
export const postOrderSubmit = (context: PerpContext) =>
  defineRoute({
    method: 'POST',
    path: '/v4/public/trader/order/submit',
    summary: 'Sends a transaction that the wallet of the API key has signed',
    description:
      'Its signer, chain, target and function are checked, then it goes to the chain node as it is. The same bytes again have the same answer.',
    access: 'WRITABLE',
    schema: {
      body: Type.Object({ signedTransaction: signedTransactionSchema }),
      data: Type.Object({ txHash: Type.String() }),
    },
    reasons: [
      authReasons.key_not_bound,
      perpReasons.signed_transaction_invalid,
      perpReasons.transaction_refused,
      perpReasons.transaction_unknown,
      perpReasons.perp_chain_unreachable,
    ],
    examples: { bodies: { 'a signed trade': { signedTransaction: '0x02f8' } }, data: { txHash: TX_HASH } },
    async handler({ body, caller }) {
      const wanted = { chainId: context.chainId, signer: boundUser(caller) }
      const transaction = await readSignedTransaction(body.signedTransaction as Hex, wanted)
      await requireTradersCall(context, transaction)
      return { txHash: await broadcast(context.venue.rpc, transaction) }
    },
  })
