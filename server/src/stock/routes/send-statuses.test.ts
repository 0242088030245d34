import { AAPL, USDC } from '../testing/chain.ts'
import { cashDeposit, limitBuy, recordLimitOrder } from '../testing/orders.ts'
import { describeStatuses } from '../testing/statuses.ts'

// One Click: what its operations send is proved in sending/, delegation/ and e2e/one-click.test.ts.

const money = { tokenAddress: USDC, tokenAmount: '25.5' }
const stock = { tokenAddress: AAPL, tokenAmount: '1.5' }
/** Deadline of a delegation: later than the head of the scripted node. */
const deadline = 4_000_000_000
const signature = `0x${'5a'.repeat(64)}1b`

describeStatuses({
  'POST /api/v1/orders/send': () => ({ body: { ...limitBuy, clientOrderId: 'mine' } }),
  'POST /api/v1/orders/with-deposit/send': () => ({ body: { ...limitBuy, ...cashDeposit } }),
  'DELETE /api/v1/orders/:orderId/send': async (desk) => ({
    params: { orderId: await recordLimitOrder(desk) },
    query: { gasLimit: '500000' },
  }),
  'DELETE /api/v1/orders/send': async (desk) => {
    await recordLimitOrder(desk)
    return { query: { symbol: 'AAPL', gasLimit: '500000' } }
  },
  'GET /api/v1/sends/:id': async ({ api }) => ({
    params: { id: (await api.post('/cash/withdrawals/send', money)).data.id },
  }),
  'GET /api/v1/sends/byIdempotencyKey': async ({ api }) => {
    await api.send('POST', '/cash/withdrawals/send', money, 'bound', { 'idempotency-key': 'asked-for' })
    return { query: { idempotencyKey: 'asked-for' } }
  },
  'POST /api/v1/cash/deposits/send': () => ({ body: money }),
  'POST /api/v1/cash/withdrawals/send': () => ({ body: money }),
  'POST /api/v1/stock/deposits/send': () => ({ body: stock }),
  'POST /api/v1/stock/withdrawals/send': () => ({ body: stock }),
  'GET /api/v1/1ct/status': () => ({}),
  'POST /api/v1/1ct/prepare': () => ({ body: { deadline } }),
  'POST /api/v1/1ct/enable': () => ({ body: { signature, deadline } }),
  'POST /api/v1/1ct/disable': () => ({}),
})
