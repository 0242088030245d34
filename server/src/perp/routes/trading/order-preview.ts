import { boundUser } from '../../../auth/bound-user.ts'
import { AtBlock, defineRoute } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { simulate } from '../../preview/simulate.ts'
import { simulationExample, simulationSchema, simulationView } from '../../preview/simulation-view.ts'
import { ACTION_EXAMPLES, ACTION_REASONS, actionBody, prepareAction } from './action-body.ts'

/** POST order/preview: what an action would do were it sent now (perp-api 2A.0). */
export const postOrderPreview = (context: PerpContext) =>
  defineRoute({
    method: 'POST',
    path: '/v4/public/trader/order/preview',
    summary: 'What an action would do, run on the real contracts at the block of the answer; nothing is sent',
    description:
      'The body is that of order/build. A wallet that has not approved Gate yet sees what would happen once it has. What would revert is refused with the revert’s name and meaning.',
    access: 'WRITABLE',
    schema: { body: actionBody, data: simulationSchema },
    reasons: ACTION_REASONS,
    examples: { bodies: ACTION_EXAMPLES, data: simulationExample },
    async handler({ body, caller }) {
      const user = boundUser(caller)
      const prepared = await prepareAction(context, user, body)
      const simulation = await simulate(context, user, prepared, true)
      return new AtBlock(prepared.block, simulationView(simulation))
    },
  })
