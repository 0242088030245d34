import { ALICE, USDC } from '../testing/chain.ts'
import { cashDeposit, limitBuy, moved, recordLimitOrder } from '../testing/orders.ts'
import { describeStatuses } from '../testing/statuses.ts'

const money = { userAddress: ALICE, tokenAddress: USDC, tokenAmount: '25.5' }

describeStatuses({
  'POST /api/v1/orders/calldata': () => ({ body: limitBuy }),
  'POST /api/v1/orders/with-deposit/calldata': () => ({ body: { ...limitBuy, ...cashDeposit } }),
  'POST /api/v1/orders/preview': () => ({ body: { ...limitBuy, userAddress: ALICE } }),
  'DELETE /api/v1/orders/:orderId/calldata': async (desk) => ({ params: { orderId: await recordLimitOrder(desk) } }),
  'DELETE /api/v1/orders/calldata': async (desk) => {
    await recordLimitOrder(desk)
    return { query: { symbol: 'AAPL' } }
  },
  'POST /api/v1/cash/deposits/calldata': () => ({ body: money }),
  'POST /api/v1/cash/withdrawals/calldata': () => ({ body: money }),
  'POST /api/v1/stock/deposits/calldata': () => ({ body: moved }),
  'POST /api/v1/stock/withdrawals/calldata': () => ({ body: moved }),
})
