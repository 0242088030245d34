import Type from 'typebox'
import { authReasons } from '../../../auth/reasons.ts'
import { WALLET } from '../../../http/examples.ts'
import { AtBlock, defineRoute } from '../../../http/product.ts'
import { readWalletBalance } from '../../access/wallet-balance.ts'
import { balanceExample, balanceSchema, balanceView } from '../../access/wallet-balance-view.ts'
import type { PerpContext } from '../../context.ts'
import { accountQuery, traderOf } from '../../portfolio/trader.ts'
import { perpReasons } from '../../reasons.ts'

/** GET account/wallet-balance (perp-api 2B, row 7), all of it at one block; the older API has it too. */
export const getWalletBalance = (context: PerpContext, api: 'trader' | 'mm') =>
  defineRoute({
    method: 'GET',
    path: `/v4/public/${api}/account/wallet-balance`,
    summary: 'The wallet’s money at Gate and in itself, by quote token',
    access: 'READ_ONLY',
    schema: { query: Type.Object(accountQuery), data: balanceSchema },
    reasons: [
      authReasons.key_not_bound,
      authReasons.user_not_bound,
      perpReasons.chain_id_differs,
      perpReasons.perp_chain_unreachable,
    ],
    examples: {
      query: { address: WALLET },
      data: balanceExample,
    },
    async handler({ caller, query }) {
      const wallet = traderOf(context, caller, query)
      const balance = await readWalletBalance(context, wallet)
      return new AtBlock(balance.block, balanceView(wallet, balance))
    },
  })
