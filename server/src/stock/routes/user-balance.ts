import Type from 'typebox'
import type { Hex } from '../../chain/types.ts'
import { defineRoute } from '../../http/product.ts'
import type { StockContext } from '../context.ts'
import { balanceSchema, readBalances } from '../portfolio/balance.ts'
import { userIdSchema, walletOf } from '../portfolio/user-id.ts'
import { addressSchema } from '../schemas.ts'

/** GET /users/{userId}/balance: cash, stock and wallet balances (stock-api 2.2). Errors: `chain_unreachable`. */
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
