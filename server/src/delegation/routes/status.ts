import Type from 'typebox'
import { SETTLED_AT, TX_HASH } from '../../http/examples.ts'
import { AtBlock, defineRoute } from '../../http/product.ts'
import { nullable } from '../../http/schemas.ts'
import { delegationStatus, ONE_CLICK_REASONS } from '../delegation.ts'
import { EXAMPLE_DELEGATEE, type OneClickOperations } from './operations.ts'

const statusSchema = Type.Object({
  status: Type.Enum(['enable', 'disabled'], { description: 'enable is what the send operations need.' }),
  delegatee: Type.String({ description: 'The contract that acts for users who have enabled One Click.' }),
  delegatedTo: nullable(Type.String({ description: 'Who may act for the bound user now, whoever that is.' })),
  nonce: Type.Integer({ description: 'The nonce that the next signature must carry.' }),
  endsAt: nullable(
    Type.Integer({ description: 'Unix seconds from which on the delegation holds no longer; enable again before.' }),
  ),
  dailyAmount: Type.String({
    description:
      'What sends may put at risk for the user within a day, USD: cash moved and the notional of orders. The venue’s, unless the user has set one with the OneClickRouter.',
  }),
  availableAmount: Type.String({ description: 'What is left of it now, USD; it grows back over the day.' }),
  updatedAt: nullable(Type.Integer({ description: 'Unix seconds of the last change on chain that is indexed.' })),
  txHash: nullable(Type.String({ description: 'The transaction of that change.' })),
})

/** GET status: the bound user's delegation, read from the router (seed 4A). */
export const getStatus = ({ prefix, summaries, context }: OneClickOperations) =>
  defineRoute({
    method: 'GET',
    path: `${prefix}/status`,
    summary: summaries.status,
    access: 'READ_ONLY',
    schema: { data: statusSchema },
    reasons: ONE_CLICK_REASONS,
    examples: {
      data: {
        status: 'enable',
        delegatee: EXAMPLE_DELEGATEE,
        delegatedTo: EXAMPLE_DELEGATEE,
        nonce: 1,
        endsAt: SETTLED_AT + 7_776_000,
        dailyAmount: '50000',
        availableAmount: '49000',
        updatedAt: SETTLED_AT,
        txHash: TX_HASH,
      },
    },
    async handler(request) {
      const { block, delegation } = await delegationStatus(context(), request)
      return new AtBlock(block, delegation)
    },
  })
