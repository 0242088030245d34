import Type from 'typebox'
import { authReasons } from '../../../auth/reasons.ts'
import { delegationStatus, ONE_CLICK_REASONS } from '../../../delegation/delegation.ts'
import { SETTLED_AT } from '../../../http/examples.ts'
import { AtBlock, defineRoute } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { accountQuery, traderOf } from '../../portfolio/trader.ts'
import { perpReasons } from '../../reasons.ts'
import { ONE_CLICK_PREFIX, perpOneClick } from '../../sending/one-click.ts'

const statusSchema = Type.Object({
  status: Type.Enum(['enable', 'disabled'], { description: 'enable is what trading calls without a wallet need.' }),
  delegatee: Type.String({ description: 'The contract that acts for wallets that have enabled One Click.' }),
  deadline: Type.Optional(
    Type.Integer({ description: 'Unix seconds from which on it holds no longer; there while it is enabled.' }),
  ),
})

/** GET 1ct/status: whether the venue may act for the wallet, read from the router (perp-api 2A.0). */
export const getOneClickStatus = (context: PerpContext) =>
  defineRoute({
    method: 'GET',
    path: `${ONE_CLICK_PREFIX}/status`,
    summary: 'Whether One Click is enabled for the wallet',
    access: 'READ_ONLY',
    schema: { query: Type.Object(accountQuery), data: statusSchema },
    reasons: [...ONE_CLICK_REASONS, authReasons.user_not_bound, perpReasons.chain_id_differs],
    examples: {
      data: {
        status: 'enable',
        delegatee: '0x2279b7a0a67db372996a5fab50d91eaa73d2ebe6',
        deadline: SETTLED_AT + 7_776_000,
      },
    },
    async handler({ query, caller }) {
      traderOf(context, caller, query)
      const { block, delegation } = await delegationStatus(perpOneClick(context), { caller })
      const { status, delegatee, endsAt } = delegation
      const isOn = status === 'enable' && endsAt !== null
      return new AtBlock(block, isOn ? { status, delegatee, deadline: endsAt } : { status, delegatee })
    },
  })
