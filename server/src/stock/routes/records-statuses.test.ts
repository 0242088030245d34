import { WAD } from '../../lib/wad.ts'
import {
  deposited,
  placedLimit,
  randomHash,
  stockDeposited,
  stockWithdrawn,
  withdrawalQueued,
} from '../testing/chain.ts'
import { recordLimitOrder, recordOperation } from '../testing/orders.ts'
import { describeStatuses } from '../testing/statuses.ts'

const unseen = () => ({ body: { txHash: randomHash() } })

describeStatuses({
  'GET /api/v1/orders': async (desk) => {
    await recordLimitOrder(desk)
    return { query: { page: '1', limit: '5' } }
  },
  'POST /api/v1/orders/tx': unseen,
  'GET /api/v1/orders/tx/:txHash': async (desk) => ({
    params: {
      txHash: await recordOperation(
        desk,
        '/orders/tx',
        placedLimit({ orderId: randomHash(), quantity: WAD, price: WAD }),
      ),
    },
  }),
  'GET /api/v1/orders/:orderId': async (desk) => ({ params: { orderId: await recordLimitOrder(desk) } }),
  'POST /api/v1/cash/deposits/tx': unseen,
  'GET /api/v1/cash/deposits': async (desk) => {
    await recordOperation(desk, '/cash/deposits/tx', deposited(randomHash(), 3n))
    return { query: { page: '1' } }
  },
  'GET /api/v1/cash/deposits/:operationId': async ({ world: { chain } }) => {
    const operationId = randomHash()
    await chain.emit(deposited(operationId, 3n))
    return { params: { operationId } }
  },
  'POST /api/v1/cash/withdrawals/tx': unseen,
  'GET /api/v1/cash/withdrawals': async (desk) => {
    await recordOperation(desk, '/cash/withdrawals/tx', withdrawalQueued(randomHash(), 3n))
    return { query: { page: '1' } }
  },
  'GET /api/v1/cash/withdrawals/:operationId': async ({ world: { chain } }) => {
    const operationId = randomHash()
    await chain.emit(withdrawalQueued(operationId, 3n))
    return { params: { operationId } }
  },
  'POST /api/v1/stock/deposits/tx': unseen,
  'GET /api/v1/stock/deposits': async (desk) => {
    await recordOperation(desk, '/stock/deposits/tx', stockDeposited(WAD))
    return { query: { page: '1' } }
  },
  'GET /api/v1/stock/deposits/:operationId': async (desk) => {
    await recordOperation(desk, '/stock/deposits/tx', stockDeposited(WAD))
    const { data } = await desk.api.get('/stock/deposits')
    return { params: { operationId: data.rows[0].operationId } }
  },
  'POST /api/v1/stock/withdrawals/tx': unseen,
  'GET /api/v1/stock/withdrawals': async (desk) => {
    await recordOperation(desk, '/stock/withdrawals/tx', stockWithdrawn(WAD))
    return { query: { page: '1' } }
  },
  'GET /api/v1/stock/withdrawals/:operationId': async (desk) => {
    await recordOperation(desk, '/stock/withdrawals/tx', stockWithdrawn(WAD))
    const { data } = await desk.api.get('/stock/withdrawals')
    return { params: { operationId: data.rows[0].operationId } }
  },
})
