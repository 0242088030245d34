import Type from 'typebox'
import type { Hex } from '../../chain/types.ts'
import { defineRoute } from '../../http/product.ts'
import { addressSchema } from '../../http/schemas.ts'
import type { StockContext } from '../context.ts'
import { ROUTER } from '../examples.ts'
import { balanceExample, balanceSchema, readBalances } from '../portfolio/balance.ts'
import { userIdExample, userIdSchema, walletOf } from '../portfolio/user-id.ts'
import { stockReasons } from '../reasons.ts'

/** GET /users/{userId}/balance: cash, stock and wallet balances (stock-api 2.2). */
export const getUserBalance = (context: StockContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/users/:userId/balance',
    summary: 'Cash and token balances of a user, read from the chain at one block',
    access: 'READ_ONLY',
    schema: {
      params: userIdSchema,
      query: Type.Object({ spenderAddress: Type.Optional(addressSchema('Adds the allowance given to this address.')) }),
      data: balanceSchema,
    },
    description: 'While the node does not answer there is no answer here either: no older figure is shown instead.',
    reasons: [stockReasons.chain_unreachable, stockReasons.not_indexed_yet],
    examples: { params: userIdExample, query: { spenderAddress: ROUTER }, data: balanceExample(context) },
    async handler({ params, query }) {
      const { chainId, productType, venue } = context
      const user = walletOf(params.userId)
      const spender = (query.spenderAddress?.toLowerCase() as Hex | undefined) ?? null
      const catalogue = await context.catalogue()
      const { rpc, deployment } = venue
      return {
        chainId,
        productType,
        address: user,
        ...(await readBalances({ rpc, deployment, catalogue, user, spender })),
      }
    },
  })
