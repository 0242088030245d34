import { WAD } from '../../lib/wad.ts'
import { ALICE, STOCK, stockDeposited } from '../testing/chain.ts'
import { describeStatuses } from '../testing/statuses.ts'

describeStatuses({
  'GET /api/v1/config': () => ({}),
  'GET /api/v1/symbols': () => ({}),
  'GET /api/v1/prices/:symbol': () => ({ params: { symbol: 'AAPL' } }),
  'GET /api/v1/prices/:symbol/history': () => ({
    params: { symbol: 'AAPL' },
    query: { endTime: '4000000000', interval: '1d' },
  }),
  'GET /api/v1/underlying/:symbol/price': () => ({ params: { symbol: 'AAPL' } }),
  'GET /api/v1/corporate-action': () => ({ query: { symbol: 'AAPL' } }),
  'GET /api/v1/clock': () => ({}),
  'GET /api/v1/calendar': () => ({ query: { start: '2026-01-01', end: '2026-01-09' } }),
  'GET /api/v1/users/:userId/activities': async ({ world: { chain } }) => {
    await chain.emit(stockDeposited(WAD))
    return { params: { userId: ALICE }, query: { page: '1' } }
  },
  'GET /api/v1/users/:userId': () => ({ params: { userId: ALICE } }),
  'GET /api/v1/users/:userId/balance': ({ node }) => {
    for (const read of ['balanceWad', 'balanceOf', 'stockBalance']) node.answer(read, WAD)
    return { params: { userId: ALICE }, query: { spenderAddress: STOCK } }
  },
  'GET /api/v1/users/:userId/positions': async ({ world: { chain } }) => {
    await chain.emit(stockDeposited(WAD))
    return { params: { userId: ALICE } }
  },
})
