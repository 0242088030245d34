import Type from 'typebox'
import type { Hex } from '../../../chain/types.ts'
import { WALLET } from '../../../http/examples.ts'
import { AtBlock, defineRoute } from '../../../http/product.ts'
import { readWalletBalance } from '../../access/wallet-balance.ts'
import { balanceExample, balanceSchema, balanceView } from '../../access/wallet-balance-view.ts'
import { ofUser } from '../../client/query.ts'
import type { PerpContext } from '../../context.ts'
import { perpReasons } from '../../reasons.ts'
import { chainIdProperty, checkChainId } from '../../schemas.ts'

/** GET /v4/public/market/user/gateValue (perp-api 8): the wallet's balance, of any wallet and without a key. */
export const getGateValue = (context: PerpContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/market/user/gateValue',
    summary: 'A wallet’s money at Gate and in itself, by quote token, for the published client',
    access: 'PUBLIC',
    schema: { query: Type.Object({ ...ofUser, ...chainIdProperty }), data: balanceSchema },
    reasons: [perpReasons.chain_id_differs, perpReasons.perp_chain_unreachable],
    examples: { query: { userAddress: WALLET, chainId: 31_337 }, data: balanceExample },
    async handler({ query }) {
      checkChainId(context.chainId, query)
      const wallet = query.userAddress.toLowerCase() as Hex
      const balance = await readWalletBalance(context, wallet)
      return new AtBlock(balance.block, balanceView(wallet, balance))
    },
  })
