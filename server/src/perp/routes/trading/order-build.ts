import Type from 'typebox'
import { boundUser } from '../../../auth/bound-user.ts'
import { delegationReasons } from '../../../delegation/reasons.ts'
import { WALLET } from '../../../http/examples.ts'
import { AtBlock, defineRoute } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { simulate } from '../../preview/simulate.ts'
import { simulationExample, simulationSchema, simulationView } from '../../preview/simulation-view.ts'
import { unsignedTransaction } from '../../sending/own-transaction.ts'
import { ACTION_EXAMPLES, ACTION_REASONS, actionBody, prepareAction } from './action-body.ts'

const transactionSchema = Type.Object({
  chainId: Type.Integer(),
  from: Type.String({ description: 'The wallet of the API key, which has to sign.' }),
  to: Type.String({ description: 'An instrument, or Gate.' }),
  value: Type.String({ description: 'Native coin to send along, wei.' }),
  data: Type.String(),
  gas: Type.String({ description: 'Gas limit.' }),
  nonce: Type.Integer({ description: 'The wallet’s next nonce, waiting transactions counted.' }),
})

/** POST order/build: the signing flow for wallets without One Click (perp-api 2A.0). */
export const postOrderBuild = (context: PerpContext) =>
  defineRoute({
    method: 'POST',
    path: '/v4/public/trader/order/build',
    summary: 'An action as an unsigned transaction of the wallet, with what it would do',
    description:
      'params is the body of the action’s own operation. Sign the transaction with fees of your choice, and send it by order/submit or by any node. Nothing is stored.',
    access: 'WRITABLE',
    schema: { body: actionBody, data: Type.Object({ transaction: transactionSchema, simulation: simulationSchema }) },
    reasons: [...ACTION_REASONS, delegationReasons.gas_limit_too_low],
    examples: {
      bodies: ACTION_EXAMPLES,
      data: {
        transaction: {
          chainId: 31_337,
          from: WALLET,
          to: '0x73ada1ea346cc3908f41cf67a040f0acd7808be0',
          value: '0',
          data: '0x50347fcb',
          gas: '420000',
          nonce: 7,
        },
        simulation: simulationExample,
      },
    },
    async handler({ body, caller }) {
      const user = boundUser(caller)
      const prepared = await prepareAction(context, user, body)
      const simulation = await simulate(context, user, prepared, false)
      const transaction = await unsignedTransaction(context, user, prepared)
      return new AtBlock(prepared.block, { transaction, simulation: simulationView(simulation) })
    },
  })
