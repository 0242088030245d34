import Type from 'typebox'
import { WALLET } from '../../http/examples.ts'
import { defineRoute } from '../../http/product.ts'
import { userIdExample, userIdSchema, walletOf } from '../portfolio/user-id.ts'

/** GET /users/{userId}: the user behind an id, which is its wallet (stock-api 2.2). */
export const getUser = () =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/users/:userId',
    summary: 'User info; the user id is the wallet address',
    access: 'READ_ONLY',
    schema: {
      params: userIdSchema,
      data: Type.Object({ userId: Type.String(), userAddress: Type.String() }),
    },
    examples: { params: userIdExample, data: { userId: WALLET, userAddress: WALLET } },
    async handler({ params }) {
      const wallet = walletOf(params.userId)
      return { userId: wallet, userAddress: wallet }
    },
  })
