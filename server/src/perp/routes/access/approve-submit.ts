import { approvalProblem } from '../../access/approval.ts'
import type { PerpContext } from '../../context.ts'
import { refused } from '../../sending/signed-transaction.ts'
import { submitRoute } from '../submit-route.ts'

/** POST approve/submit (perp-api 2A.0, 5): sends what approve/prepare made and the wallet signed. */
export const postApproveSubmit = (context: PerpContext) =>
  submitRoute(context, {
    path: '/v4/public/trader/approve/submit',
    summary: 'Sends an approval that the wallet of the API key has signed',
    description:
      'Its signer must be the wallet of the API key, its chain this venue’s, its target a quote token of an instrument, its function approve and its spender Gate; nothing else is sent.',
    example: 'request',
    async check(transaction) {
      const problem = await approvalProblem(context, transaction)
      if (problem !== null) throw refused(problem)
    },
  })
