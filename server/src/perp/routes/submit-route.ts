import Type from 'typebox'
import { boundUser } from '../../auth/bound-user.ts'
import { authReasons } from '../../auth/reasons.ts'
import type { Hex } from '../../chain/types.ts'
import { TX_HASH } from '../../http/examples.ts'
import { defineRoute, type Route } from '../../http/product.ts'
import type { PerpContext } from '../context.ts'
import { perpReasons } from '../reasons.ts'
import {
  broadcast,
  readSignedTransaction,
  type SignedTransaction,
  signedTransactionSchema,
} from '../sending/signed-transaction.ts'

interface SubmitRoute {
  readonly path: `/v4/public/trader/${string}`
  readonly summary: string
  readonly description: string
  /** What the body of the example holds. */
  readonly example: string
  /** Throws `signed_transaction_invalid` for what the operation does not send, and `perp_chain_unreachable`. */
  check(transaction: SignedTransaction): Promise<void>
}

/** An operation that sends what the wallet has signed itself (perp-api 2A.0). */
export const submitRoute = (context: PerpContext, { path, summary, description, example, check }: SubmitRoute): Route =>
  defineRoute({
    method: 'POST',
    path,
    summary,
    description: `${description} The same bytes again have the same answer.`,
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
    examples: { bodies: { [example]: { signedTransaction: '0x02f8' } }, data: { txHash: TX_HASH } },
    async handler({ body, caller }) {
      const wanted = { chainId: context.chainId, signer: boundUser(caller) }
      const transaction = await readSignedTransaction(body.signedTransaction as Hex, wanted)
      await check(transaction)
      return { txHash: await broadcast(context.venue.rpc, transaction) }
    },
  })
