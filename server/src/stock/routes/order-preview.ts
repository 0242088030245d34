import Type from 'typebox'
import { requireBoundUser } from '../../auth/bound-user.ts'
import { authReasons } from '../../auth/reasons.ts'
import { WALLET } from '../../http/examples.ts'
import { defineRoute } from '../../http/product.ts'
import { addressSchema } from '../../http/schemas.ts'
import { AppError } from '../../lib/errors.ts'
import type { OrderDeposit } from '../calldata/calldata.ts'
import type { StockContext } from '../context.ts'
import { DEPOSIT_REASONS, depositProperties, readDeposit } from '../orders/order-deposit.ts'
import { ORDER_EXAMPLES, type OrderRequest, orderProperties, readOrderRequest } from '../orders/order-request.ts'
import { previewOnChain } from '../orders/preview.ts'
import { previewExample, previewSchema, previewView } from '../orders/preview-view.ts'
import { stockReasons } from '../reasons.ts'

const body = Type.Object({
  userAddress: addressSchema('The wallet that would send the transaction; of a bound key the bound one.'),
  ...orderProperties,
  ...depositProperties,
  depositAmount: Type.Optional(depositProperties.depositAmount),
})

interface DepositFields {
  readonly depositTokenAddress?: string
  readonly depositAmount?: string | number
}

/** POST /orders/preview: what an order would do were its transaction sent now (docs/decisions/012). */
export const postOrderPreview = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/orders/preview',
    summary: 'What an order would lock, cost and fill at, or how it would revert; nothing is sent',
    access: 'WRITABLE',
    schema: { body, data: previewSchema },
    description: 'The order may have a deposit. A revert is an answer, no failure.',
    reasons: [...DEPOSIT_REASONS, authReasons.user_not_bound],
    examples: {
      bodies: {
        'market buy': { ...ORDER_EXAMPLES.marketBuy, userAddress: WALLET },
        'limit sell': { ...ORDER_EXAMPLES.limitSell, userAddress: WALLET },
      },
      data: previewExample(context),
    },
    async handler({ body, caller }) {
      const user = requireBoundUser(caller, body.userAddress)
      const order = await readOrderRequest(context, body)
      const request = { user, order, deposit: await depositOf(context, order, body) }
      const chain = await previewOnChain(context, request)
      return previewView(context, await context.catalogue(), request, chain)
    },
  })

async function depositOf(
  context: StockContext,
  order: OrderRequest,
  { depositTokenAddress, depositAmount }: DepositFields,
): Promise<OrderDeposit | null> {
  if (depositAmount !== undefined) {
    return readDeposit(context, order, depositTokenAddress ? { depositTokenAddress, depositAmount } : { depositAmount })
  }
  if (depositTokenAddress === undefined) return null
  const message = 'depositTokenAddress is of an order with deposit: send depositAmount too, or neither'
  const detail = { field: 'depositTokenAddress' }
  throw new AppError(stockReasons.field_not_applicable, message, { detail })
}
