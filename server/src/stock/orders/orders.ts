import Type from 'typebox'
import { CREATED_AT, DEADLINE, SETTLED_AT, TX_HASH, WALLET } from '../../http/examples.ts'
import { nullable } from '../../http/schemas.ts'
import { jsonNumber } from '../../lib/decimal.ts'
import { WAD_DECIMALS } from '../../lib/wad.ts'
import type { StockContext } from '../context.ts'
import { ORDER_ID, SETTLE_TX_HASH, STOCK_TOKEN } from '../examples.ts'
import { type MappingStatus, mappingExample, mappingStatus, mappingView, statusReason } from '../recording/mapping.ts'
import type { MappingRow } from '../recording/mapping-store.ts'
import { mappingSchema } from '../schemas.ts'
import type { FillRow, OrderRow } from '../store.ts'
import { PRICE_DECIMALS } from '../units.ts'
import { REJECTION_CODE, rejectionText } from './rejection-reason.ts'

/** Order statuses of the wire, exact (stock-api 3.2). */
export const ORDER_STATUSES = [
  'Init',
  'Pending',
  'New',
  'Partial filled',
  'Filled',
  'Canceled',
  'Expired',
  'Rejected',
  'Failed',
] as const
export type OrderStatus = (typeof ORDER_STATUSES)[number]

/** Status of an order that is not on chain, by its mapping. */
const MAPPED_STATUS: Readonly<Record<MappingStatus, OrderStatus>> = {
  pending: 'Init',
  confirmed: 'Init',
  failed: 'Failed',
  expired: 'Expired',
}

const CLOSED_STATUS: Readonly<Record<Exclude<OrderRow['status'], 'open' | 'partially_filled'>, OrderStatus>> = {
  filled: 'Filled',
  rejected: 'Rejected',
  taken_back: 'Canceled',
  canceled: 'Canceled',
  expired: 'Expired',
}

/** The keeper calls a fill the last without a reason only when the broker has filled all that it could take. */
const partReason = (reasonCode: number): number => reasonCode || REJECTION_CODE.tooFine

/**
 * An order that ended with a part filled: as full as it can be when its rest is too fine to trade, else by what ended it.
 * `Partial filled` is an open order's alone, so that every other status is final.
 */
function endedInPart(reasonCode: number): OrderStatus {
  if (partReason(reasonCode) === REJECTION_CODE.tooFine) return 'Filled'
  return reasonCode === REJECTION_CODE.expired ? 'Expired' : 'Canceled'
}

/**
 * The status of an order that may not be on chain yet (stock-api 3.2 to 3.4). One of the two is always given. A limit order
 * is New while it rests, also when its cancellation has been requested; a market order is Pending until it is filled.
 */
export function orderStatus(order: OrderRow | null, mapping: MappingRow | null): OrderStatus {
  if (order === null) return MAPPED_STATUS[mapping ? mappingStatus(mapping) : 'pending']
  if (order.status === 'rejected' && order.reasonCode === REJECTION_CODE.expired) return 'Expired'
  if (order.status === 'partially_filled') return endedInPart(order.reasonCode)
  if (order.status !== 'open') return CLOSED_STATUS[order.status]
  if (order.filledQuantityWad > 0n) return 'Partial filled'
  return order.orderType === 'Limit' ? 'New' : 'Pending'
}

/** What a client sees of an order: its mapping, and the order itself as open or as history (stock-api 2.3). */
export function orderView(order: OrderRow | null, mapping: MappingRow | null, context: OrderViewContext) {
  const open = order?.status === 'open'
  const cancel = mapping && isCancel(order, mapping) ? mapping : null
  return {
    orderId: order?.orderId ?? cancel?.cancelOrderId ?? null,
    txHash: cancel?.txHash ?? order?.createTxHash ?? mapping?.txHash ?? null,
    mappingStatus: mapping && mappingStatus(mapping),
    orderStatus: orderStatus(order, mapping),
    mapping: mapping && mappingView(mapping, context.productType),
    cancellation: cancellationView(order, cancel),
    openOrder: order && open ? openOrder(order) : null,
    historyOrder: order && !open ? historyOrder(order, context.rejectReasons.get(order.orderId) ?? null) : null,
  }
}

/** Whether a mapping is of a cancel of the order, and not of its placing. */
const isCancel = (order: OrderRow | null, { operationType, txHash }: MappingRow): boolean =>
  operationType === 'cancel' || (order !== null && txHash === order.cancelTxHash && txHash !== order.createTxHash)

/** The cancel that was asked for, or the one that the chain shows; null without any. */
function cancellationView(order: OrderRow | null, cancel: MappingRow | null) {
  if (cancel) return { txHash: cancel.txHash, status: mappingStatus(cancel), statusReason: statusReason(cancel) }
  if (!order?.cancelRequested) return null
  return { txHash: order.cancelTxHash, status: 'confirmed' as const, statusReason: null }
}

export interface OrderViewContext {
  readonly productType: string
  /** The broker's own words for orders it refused, by order id. */
  readonly rejectReasons: ReadonlyMap<string, string>
}

const amount = (wad: bigint) => jsonNumber(wad, WAD_DECIMALS)

/** The contract's numbers of timeInForce (stock-api 3.1); it takes only the first. */
const TIME_IN_FORCE = ['DAY', 'GTC', 'OPG', 'IOC', 'FOK', 'GTX', 'GTD', 'CLS'] as const

function terms(order: OrderRow) {
  const byNotional = order.orderType === 'Market' && order.side === 'Buy'
  return {
    orderId: order.orderId,
    userAddress: order.userAddress,
    stockAddress: order.token,
    symbol: order.ticker,
    side: order.side,
    type: order.orderType,
    quantity: byNotional ? null : amount(order.amountWad),
    notional: byNotional ? amount(order.amountWad) : null,
    price: order.limitPriceWad === null ? null : amount(order.limitPriceWad),
    timeInForce: order.timeInForce === null ? null : (TIME_IN_FORCE[order.timeInForce] ?? null),
    filledQuantity: amount(order.filledQuantityWad),
    avgFillPrice: averagePrice(order),
    cancelRequested: order.cancelRequested,
    cancelTxHash: order.cancelTxHash ?? (order.status === 'taken_back' ? order.lastSettleTxHash : null),
    depositOperationId: order.depositOperationId,
    createTxHash: order.createTxHash,
    createdAt: Number(order.createdAtSec),
    deadline: Number(order.deadlineSec),
  }
}

/** The raw on-chain words of stock-api 3.3: a market order is being placed until something of it is filled. */
function rawStatus(order: OrderRow): 'placing' | 'open' | 'canceling' {
  if (order.cancelRequested) return 'canceling'
  return order.orderType === 'Limit' || order.filledQuantityWad > 0n ? 'open' : 'placing'
}

const openOrder = (order: OrderRow) => ({ ...terms(order), status: rawStatus(order) })

function historyOrder(order: OrderRow, rejectReason: string | null) {
  const isPart = order.status === 'partially_filled'
  return {
    ...terms(order),
    status: orderStatus(order, null),
    filledNotional: amount(order.filledNotionalWad),
    thirdPartyFee: amount(order.thirdPartyFeeWad),
    protocolFee: amount(order.protocolFeeWad),
    feeAmount: amount(order.thirdPartyFeeWad + order.protocolFeeWad),
    settleTxHash: order.lastSettleTxHash,
    settledAt: order.closedAtSec === null ? null : Number(order.closedAtSec),
    reason: rejectReason ?? rejectionText(isPart ? partReason(order.reasonCode) : order.reasonCode),
  }
}

/** Notional by quantity to 8 decimals, half rounded up: a figure for people, on which nothing is computed. */
export function averagePrice(order: Pick<OrderRow, 'filledQuantityWad' | 'filledNotionalWad'>) {
  const { filledQuantityWad, filledNotionalWad } = order
  if (filledQuantityWad === 0n) return null
  const scaled = filledNotionalWad * 10n ** BigInt(PRICE_DECIMALS)
  return jsonNumber((scaled + filledQuantityWad / 2n) / filledQuantityWad, PRICE_DECIMALS)
}

/** One execution of an order (seed 2A: partial fills). */
export const fillView = (fill: FillRow) => ({
  quantity: amount(fill.quantityWad),
  price: amount(fill.priceWad),
  notional: amount(fill.notionalWad),
  thirdPartyFee: amount(fill.thirdPartyFeeWad),
  protocolFee: amount(fill.protocolFeeWad),
  txHash: fill.txHash,
  settledAt: Number(fill.settledAtSec),
})

const termsSchema = {
  orderId: Type.String(),
  userAddress: Type.String(),
  stockAddress: Type.String(),
  symbol: Type.String(),
  side: Type.Enum(['Buy', 'Sell']),
  type: Type.Enum(['Market', 'Limit']),
  quantity: nullable(Type.Number({ description: 'Stock tokens; null for a market buy.' })),
  notional: nullable(Type.Number({ description: 'USD; a market buy’s alone.' })),
  price: nullable(Type.Number({ description: 'USD per token; a limit order’s alone.' })),
  timeInForce: nullable(Type.Enum([...TIME_IN_FORCE])),
  filledQuantity: Type.Number({ description: 'Stock tokens.' }),
  avgFillPrice: nullable(Type.Number({ description: 'USD per token.' })),
  status: Type.String(),
  cancelRequested: Type.Boolean({ description: 'The cancellation has been requested on chain.' }),
  cancelTxHash: nullable(Type.String({ description: 'By which its user asked for the end of the order.' })),
  depositOperationId: nullable(
    Type.String({
      description: 'The cash deposit (buy) or stock deposit (sell) that was made in the same transaction.',
    }),
  ),
  createTxHash: Type.String(),
  createdAt: Type.Integer({ description: 'Unix seconds.' }),
  deadline: Type.Integer({ description: 'Unix seconds.' }),
}

export const orderViewSchema = Type.Object({
  orderId: nullable(Type.String({ description: 'bytes32; null until the transaction is indexed.' })),
  txHash: nullable(Type.String({ description: 'The transaction that was asked for; for a cancel, the cancel’s own.' })),
  mappingStatus: nullable(Type.Enum(['pending', 'confirmed', 'failed', 'expired'])),
  orderStatus: Type.Enum([...ORDER_STATUSES]),
  mapping: nullable(mappingSchema),
  cancellation: nullable(
    Type.Object(
      {
        txHash: nullable(Type.String()),
        status: Type.Enum(['pending', 'confirmed', 'failed', 'expired'], {
          description: 'Status of the cancel’s transaction; confirmed once the chain shows the request.',
        }),
        statusReason: nullable(Type.String()),
      },
      { description: 'The user’s cancel of the order; null while none is known.' },
    ),
  ),
  openOrder: nullable(Type.Object(termsSchema)),
  historyOrder: nullable(
    Type.Object({
      ...termsSchema,
      filledNotional: Type.Number(),
      thirdPartyFee: Type.Number(),
      protocolFee: Type.Number(),
      feeAmount: Type.Number(),
      settleTxHash: nullable(Type.String()),
      settledAt: nullable(Type.Integer({ description: 'Unix seconds.' })),
      reason: nullable(Type.String()),
    }),
  ),
})

/** An order alone, with its executions. */
export const orderDetailSchema = Type.Object({
  ...orderViewSchema.properties,
  fills: Type.Array(
    Type.Object({
      quantity: Type.Number({ description: 'Stock tokens.' }),
      price: Type.Number({ description: 'USD per token.' }),
      notional: Type.Number({ description: 'USD, without fees.' }),
      thirdPartyFee: Type.Number(),
      protocolFee: Type.Number(),
      txHash: Type.String({ description: 'The transaction that settled it.' }),
      settledAt: Type.Integer({ description: 'Unix seconds.' }),
    }),
    { description: 'What was executed and settled of the order, oldest first.' },
  ),
})

const fillExample = {
  quantity: 5.5,
  price: 180.5,
  notional: 992.75,
  thirdPartyFee: 0.99275,
  protocolFee: 0.099275,
  txHash: SETTLE_TX_HASH,
  settledAt: SETTLED_AT,
}

/** A market buy that is filled. */
export const orderExample = (context: StockContext) => ({
  orderId: ORDER_ID,
  txHash: TX_HASH,
  mappingStatus: 'confirmed' as const,
  orderStatus: 'Filled' as const,
  mapping: mappingExample(context, 'trade'),
  cancellation: null,
  openOrder: null,
  historyOrder: {
    orderId: ORDER_ID,
    userAddress: WALLET,
    stockAddress: STOCK_TOKEN,
    symbol: 'AAPL',
    side: 'Buy' as const,
    type: 'Market' as const,
    quantity: null,
    notional: 992.75,
    price: null,
    timeInForce: null,
    filledQuantity: fillExample.quantity,
    avgFillPrice: fillExample.price,
    status: 'Filled',
    cancelRequested: false,
    cancelTxHash: null,
    depositOperationId: null,
    createTxHash: TX_HASH,
    createdAt: CREATED_AT,
    deadline: DEADLINE,
    filledNotional: fillExample.notional,
    thirdPartyFee: fillExample.thirdPartyFee,
    protocolFee: fillExample.protocolFee,
    feeAmount: 1.092025,
    settleTxHash: SETTLE_TX_HASH,
    settledAt: SETTLED_AT,
    reason: null,
  },
})

export const orderDetailExample = (context: StockContext) => ({ ...orderExample(context), fills: [fillExample] })
