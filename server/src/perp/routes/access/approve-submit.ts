import Type from 'typebox'
import { authReasons } from '../../../auth/reasons.ts'
import type { Hex } from '../../../chain/types.ts'
import { TX_HASH } from '../../../http/examples.ts'
import { defineRoute } from '../../../http/product.ts'
import { approvalProblem } from '../../access/approval.ts'
import { walletOf } from '../../access/wallet-scope.ts'
import type { PerpContext } from '../../context.ts'
import { perpReasons } from '../../reasons.ts'
import { broadcast, readSignedTransaction, refused, signedTransactionSchema } from '../../sending/signed-transaction.ts'

/** POST approve/submit (perp-api 2A.0, 5): sends what approve/prepare made and the wallet signed. */
export const postApproveSubmit = (context: PerpContext) =>
  defineRoute({
    method: 'POST',
    path: '/v4/public/trader/approve/submit',
    summary: 'Sends an approval that the wallet of the API key has signed',
    description:
      'Its signer must be the wallet of the API key, its chain this venue’s, its target a quote token of an instrument, its function approve and its spender Gate; nothing else is sent. The same bytes again have the same answer.',
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
    examples: { bodies: { request: { signedTransaction: '0x02f8' } }, data: { txHash: TX_HASH } },
    async handler({ caller, body }) {
      const wanted = { chainId: context.chainId, signer: walletOf(caller) }
      const transaction = await readSignedTransaction(body.signedTransaction as Hex, wanted)
      const problem = await approvalProblem(context, transaction)
      if (problem !== null) throw refused(problem)
      return { txHash: await broadcast(context.venue.rpc, transaction) }
    },
  })
