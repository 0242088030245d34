import Type from 'typebox'
import { defineRoute } from '../../http/product.ts'
import { AppError } from '../../lib/errors.ts'
import type { OrderDeposit } from '../calldata/calldata.ts'
import type { StockContext } from '../context.ts'
import { depositProperties, readDeposit } from '../orders/order-deposit.ts'
import { type OrderRequest, orderProperties, readOrderRequest } from '../orders/order-request.ts'
import { previewOnChain } from '../orders/preview.ts'
import { previewSchema, previewView } from '../orders/preview-view.ts'
import { stockReasons } from '../reasons.ts'
import { addressSchema } from '../schemas.ts'
import { requireBoundUser } from '../sending/bound-user.ts'

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

/**
 * POST /orders/preview: what an order would do, with or without a deposit, were its transaction sent now
 * (docs/decisions/012). A revert is an answer, no failure. Errors: `user_not_bound`, `chain_unreachable`, and as
 * `readOrderRequest` and `readDeposit`.
 */
export const postOrderPreview = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/orders/preview',
    summary: 'What an order would lock, cost and fill at, or how it would revert; nothing is sent',
    access: 'WRITABLE',
    schema: { body, data: previewSchema },
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
