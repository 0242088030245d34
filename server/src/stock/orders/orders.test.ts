import { Check } from 'typebox/value'
import { describe, expect, it } from 'vitest'
import type { Hex } from '../../chain/types.ts'
import { WAD } from '../../lib/wad.ts'
import type { MappingRow } from '../recording/mapping-store.ts'
import type { OrderRow } from '../store.ts'
import { averagePrice, orderStatus, orderView, orderViewSchema } from './orders.ts'
import { REJECTION_CODE } from './rejection-reason.ts'

const hex = (digit: string): Hex => `0x${digit.repeat(64)}`

const order: OrderRow = {
  orderId: hex('a'),
  userAddress: `0x${'1'.repeat(40)}`,
  token: `0x${'2'.repeat(40)}`,
  ticker: 'AAPL',
  side: 'Buy',
  orderType: 'Market',
  amountWad: 100n * WAD,
  limitPriceWad: null,
  timeInForce: null,
  deadlineSec: 1_900_000_000n,
  status: 'open',
  cancelRequested: false,
  cancelTxHash: null,
  depositOperationId: null,
  filledQuantityWad: 0n,
  filledNotionalWad: 0n,
  thirdPartyFeeWad: 0n,
  protocolFeeWad: 0n,
  refundWad: 0n,
  reasonCode: 0,
  createTxHash: hex('b'),
  createdAtSec: 1_700_000_000n,
  lastSettleTxHash: null,
  closedAtSec: null,
}

const mapping: MappingRow = {
  claimId: '00000000-0000-4000-8000-000000000000',
  chainId: 31_337,
  txHash: hex('b'),
  operationType: 'trade',
  clientOrderId: null,
  revertData: null,
  problem: null,
  ofOthers: null,
  cancelOrderId: null,
  expired: false,
  boundAddress: `0x${'1'.repeat(40)}`,
  createdAt: new Date(1_700_000_001_500),
  succeeded: null,
  minedAtSec: null,
  operationId: null,
  userAddress: null,
}
const limit = { orderType: 'Limit', amountWad: 2n * WAD, limitPriceWad: 180n * WAD + WAD / 2n, timeInForce: 0 } as const
const canceling = { ...limit, cancelRequested: true, cancelTxHash: hex('e') } as const
const confirmed: MappingRow = { ...mapping, succeeded: true, minedAtSec: 1_700_000_000n, operationId: order.orderId }

describe('orderStatus', () => {
  it.each<[string, Partial<OrderRow> | null, Partial<MappingRow>]>([
    ['Init', null, {}],
    ['Failed', null, { succeeded: false }],
    ['Failed', null, { succeeded: true, operationId: null }],
    ['Pending', {}, {}],
    ['Partial filled', { filledQuantityWad: 1n }, {}],
    ['Filled', { status: 'filled', filledQuantityWad: 1n }, {}],
    ['Filled', { status: 'partially_filled', filledQuantityWad: 1n, reasonCode: REJECTION_CODE.tooFine }, {}],
    ['Canceled', { status: 'partially_filled', filledQuantityWad: 1n, reasonCode: REJECTION_CODE.canceled }, {}],
    ['Canceled', { status: 'partially_filled', filledQuantityWad: 1n, reasonCode: REJECTION_CODE.tooLate }, {}],
    ['Expired', { status: 'partially_filled', filledQuantityWad: 1n, reasonCode: REJECTION_CODE.expired }, {}],
    ['Rejected', { status: 'rejected', reasonCode: REJECTION_CODE.rejected }, {}],
    ['Rejected', { status: 'rejected', reasonCode: REJECTION_CODE.canceled }, {}],
    ['Expired', { status: 'rejected', reasonCode: REJECTION_CODE.expired }, {}],
    ['Canceled', { status: 'taken_back' }, {}],
    ['Canceled', { status: 'taken_back', filledQuantityWad: 1n }, {}],
    ['New', limit, {}],
    ['Partial filled', { ...limit, filledQuantityWad: 1n }, {}],
    ['New', canceling, {}],
    ['Partial filled', { ...canceling, filledQuantityWad: 1n }, {}],
    ['Filled', { ...limit, status: 'filled', filledQuantityWad: 2n * WAD }, {}],
    ['Filled', { ...canceling, status: 'filled', filledQuantityWad: 2n * WAD }, {}],
    ['Canceled', { ...canceling, status: 'canceled' }, {}],
    ['Canceled', { ...canceling, status: 'canceled', filledQuantityWad: 1n }, {}],
    ['Expired', { ...limit, status: 'expired' }, {}],
    ['Expired', { ...limit, status: 'expired', filledQuantityWad: 1n }, {}],
    ['Rejected', { ...limit, status: 'rejected', reasonCode: REJECTION_CODE.rejected }, {}],
    ['Filled', { ...limit, status: 'partially_filled', filledQuantityWad: 1n }, {}],
    [
      'Canceled',
      { ...limit, status: 'partially_filled', filledQuantityWad: 1n, reasonCode: REJECTION_CODE.rejected },
      {},
    ],
    ['Canceled', { ...limit, status: 'taken_back' }, {}],
  ])('%s', (status, change, mappingChange) => {
    expect(orderStatus(change && { ...order, ...change }, { ...mapping, ...mappingChange })).toBe(status)
  })
})

describe('orderView', () => {
  const context = { productType: 'Bourse', rejectReasons: new Map<string, string>() }
  const view = (change: Partial<OrderRow> | null, row: MappingRow | null = confirmed) => {
    const wire = JSON.parse(JSON.stringify(orderView(change && { ...order, ...change }, row, context)))
    expect(Check(orderViewSchema, wire), JSON.stringify(wire)).toBe(true)
    return wire
  }

  it('of a transaction that is not indexed has no order, but its hash', () => {
    expect(view(null, mapping)).toMatchObject({
      orderId: null,
      txHash: hex('b'),
      mappingStatus: 'pending',
      orderStatus: 'Init',
      openOrder: null,
      historyOrder: null,
    })
  })

  it('of another key’s order has no mapping', () => {
    expect(view({}, null)).toMatchObject({ orderId: hex('a'), mapping: null, mappingStatus: null })
  })

  it('is open, being placed until a part is filled', () => {
    expect(view({})).toMatchObject({
      historyOrder: null,
      openOrder: { status: 'placing', notional: 100, quantity: null },
    })
    expect(view({ filledQuantityWad: WAD, filledNotionalWad: WAD })).toMatchObject({ openOrder: { status: 'open' } })
  })

  it('of a limit order has quantity, price and DAY, and is open while it rests', () => {
    const expected = { type: 'Limit', quantity: 2, notional: null, price: 180.5, timeInForce: 'DAY' }
    const untouched = { cancelRequested: false, cancelTxHash: null, depositOperationId: null }
    expect(view(limit)).toMatchObject({
      orderStatus: 'New',
      openOrder: { ...expected, ...untouched, status: 'open', side: 'Buy', filledQuantity: 0, avgFillPrice: null },
    })
    expect(view({ ...limit, side: 'Sell', filledQuantityWad: WAD, filledNotionalWad: 181n * WAD })).toMatchObject({
      orderStatus: 'Partial filled',
      openOrder: { ...expected, status: 'open', side: 'Sell', filledQuantity: 1, avgFillPrice: 181 },
    })
  })

  it('is canceling from the request on, and then history with the request’s transaction', () => {
    const request = { cancelRequested: true, cancelTxHash: hex('e') }
    expect(view(canceling)).toMatchObject({ orderStatus: 'New', openOrder: { status: 'canceling', ...request } })
    const ended = { status: 'canceled', lastSettleTxHash: hex('c'), closedAtSec: 1_700_000_009n } as const
    const part = {
      filledQuantityWad: WAD / 2n,
      filledNotionalWad: 90n * WAD,
      thirdPartyFeeWad: WAD,
      protocolFeeWad: WAD,
    }
    expect(view({ ...canceling, ...ended, ...part })).toMatchObject({
      openOrder: null,
      historyOrder: {
        status: 'Canceled',
        ...request,
        quantity: 2,
        filledQuantity: 0.5,
        avgFillPrice: 180,
        feeAmount: 2,
        settleTxHash: hex('c'),
        settledAt: 1_700_000_009,
        reason: null,
      },
    })
  })

  it('names the deposit of the same step', () => {
    expect(view({ depositOperationId: hex('9') })).toMatchObject({ openOrder: { depositOperationId: hex('9') } })
  })

  it('is history once it has ended, with fees and the average price', () => {
    const fees = { thirdPartyFeeWad: 3n * 10n ** 16n, protocolFeeWad: 10n ** 16n }
    const ended = { status: 'filled' as const, lastSettleTxHash: hex('c'), closedAtSec: 1_700_000_009n }
    const fill = { filledQuantityWad: WAD / 2n, filledNotionalWad: 50n * WAD }
    const { openOrder, historyOrder } = view({ ...ended, ...fill, ...fees, side: 'Sell', amountWad: WAD / 2n })
    expect(openOrder).toBeNull()
    expect(historyOrder).toMatchObject({
      status: 'Filled',
      quantity: 0.5,
      notional: null,
      filledQuantity: 0.5,
      filledNotional: 50,
      avgFillPrice: 100,
      thirdPartyFee: 0.03,
      protocolFee: 0.01,
      feeAmount: 0.04,
      settleTxHash: hex('c'),
      settledAt: 1_700_000_009,
      cancelTxHash: null,
      reason: null,
    })
  })

  it('says why it was rejected: in the broker’s words, else by the chain’s code', () => {
    const rejected = { status: 'rejected' as const, reasonCode: REJECTION_CODE.replaced }
    expect(view(rejected).historyOrder.reason).toMatch(/reorganisation/)
    context.rejectReasons.set(order.orderId, 'too large')
    expect(view(rejected).historyOrder.reason).toBe('too large')
  })

  it('names the transaction by which it was taken back', () => {
    const { historyOrder } = view({ status: 'taken_back', lastSettleTxHash: hex('d') })
    expect(historyOrder).toMatchObject({ status: 'Canceled', cancelTxHash: hex('d') })
  })

  it('prints amounts digit for digit', () => {
    const text = JSON.stringify(orderView({ ...order, amountWad: 39_614_081_257_132168796771975167n }, null, context))
    expect(text).toContain('"notional":39614081257.132168796771975167')
  })
})

describe('averagePrice', () => {
  const text = (filledQuantityWad: bigint, filledNotionalWad: bigint) =>
    JSON.stringify(averagePrice({ filledQuantityWad, filledNotionalWad }))

  it('is the notional by the quantity to 8 decimals, half rounded up', () => {
    expect(text(0n, 0n)).toBe('null')
    expect(text(3n, 1n)).toBe('0.33333333')
    expect(text(3n, 2n)).toBe('0.66666667')
    expect(text(8n * 10n ** 8n, 4n)).toBe('0.00000001')
    expect(text(WAD, 230n * WAD)).toBe('230')
  })
})
