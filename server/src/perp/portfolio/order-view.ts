import Type, { type Static } from 'typebox'
import { CREATED_AT, SETTLED_AT, TX_HASH } from '../../http/examples.ts'
import { abs } from '../../lib/bigints.ts'
import type { ListedInstrument } from '../listing/catalogue.ts'
import { wad } from '../schemas.ts'
import type { OrderRow } from './record-store.ts'
import { pairFieldSchemas, pairFields, TOKEN_EXAMPLES } from './tokens.ts'

const seconds = (description: string) => Type.Integer({ description: `${description}, Unix seconds.` })

/** 1 SHORT, 2 LONG (perp-api 1.6). */
export const sideOf = (size: bigint): 1 | 2 => (size < 0n ? 1 : 2)
export const sideText = (size: bigint): 'short' | 'long' => (size < 0n ? 'short' : 'long')

/** Rows 10 and 11 of perp-api 2B. */
export const orderSchema = Type.Object({
  taken: wad('How much of the size was taken, signed like it'),
  tick: Type.Integer(),
  nonce: Type.Integer({ description: 'The generation of orders at the tick.' }),
  balance: wad('Margin'),
  size: wad('Positive buys'),
  oid: Type.Integer({ description: 'Tick and nonce in one: tick · 2^24 + nonce, the tick as 24 bits.' }),
  orderId: Type.String(),
  side: Type.Enum([1, 2], { description: '1 SHORT, 2 LONG.' }),
  limitPrice: wad('Price'),
  lastUpdateTime: seconds('When it was placed, or ended'),
  lastUpdateTxHash: Type.String(),
  instrumentAddr: Type.String(),
  expiry: Type.Integer(),
  symbol: Type.String(),
  status: Type.Enum(['open', 'partial_filled', 'filled', 'canceled']),
})
export type OrderView = Static<typeof orderSchema>

export const orderExample: OrderView = {
  taken: '0',
  tick: 109_867,
  nonce: 0,
  balance: '200000000000000000000',
  size: '10000000000000000',
  oid: 1_843_262_521_344,
  orderId: '4611686018427387904',
  side: 2,
  limitPrice: '59001236411256731282612',
  lastUpdateTime: CREATED_AT,
  lastUpdateTxHash: TX_HASH,
  instrumentAddr: '0x73ada1ea346cc3908f41cf67a040f0acd7808be0',
  expiry: 4_294_967_295,
  symbol: 'BTC/USDC',
  status: 'open',
}

/** An order; `taken` of an open one is the contract's word. */
export function orderView(row: OrderRow, instrument: ListedInstrument, taken: bigint): OrderView {
  return {
    taken: String(taken),
    tick: row.tick,
    nonce: row.nonce,
    balance: String(row.balanceWad),
    size: String(row.sizeWad),
    oid: Number(row.oid),
    orderId: String(row.orderId),
    side: sideOf(row.sizeWad),
    limitPrice: String(row.priceWad),
    lastUpdateTime: Number(row.closedAtSec ?? row.placedAtSec),
    lastUpdateTxHash: row.closeTxHash ?? row.placeTxHash,
    instrumentAddr: row.instrument,
    expiry: Number(row.expiry),
    symbol: instrument.symbol,
    status: statusOf(row, taken),
  }
}

/** An open order that was taken whole still waits to be claimed: `order/fill` makes it a position. */
function statusOf({ status, sizeWad }: OrderRow, taken: bigint): OrderView['status'] {
  if (status === 'cancelled') return 'canceled'
  if (status !== 'open') return status
  return taken === 0n ? 'open' : taken === sizeWad ? 'filled' : 'partial_filled'
}

/** Row 12 of perp-api 2B. */
export const closedOrderSchema = Type.Object({
  id: Type.String({ description: 'The order’s orderId.' }),
  instrumentAddress: Type.String(),
  expiry: Type.Integer(),
  placeTimestamp: seconds('When it was placed'),
  placeTxHash: Type.String(),
  size: wad('Size, without sign'),
  balance: wad('Margin'),
  takenSize: wad('The part of the size that became position, without sign'),
  takenBalance: wad('The part of the margin that went with it'),
  orderPrice: wad('Price'),
  feeRebate: wad('The maker’s rebate'),
  type: Type.Enum([0, 1], { description: '1 filled: taken whole, whatever ended it; 0 cancelled.' }),
  cancelTimestamp: seconds('When it was cancelled, 0 if it was not'),
  cancelTxHash: Type.String({ description: 'Empty if it was not cancelled.' }),
  fillTimestamp: seconds('When it was filled, 0 if it was not'),
  fillTxHash: Type.String({ description: 'Empty if it was not filled.' }),
  tradeValue: wad('Notional of the taken size'),
  typeString: Type.Enum(['filled', 'cancelled', 'partial_filled']),
  side: Type.Enum(['long', 'short']),
  ...pairFieldSchemas,
})
type ClosedOrderView = Static<typeof closedOrderSchema>

export const closedOrderExample: ClosedOrderView = {
  id: '4611686018427387904',
  instrumentAddress: '0x73ada1ea346cc3908f41cf67a040f0acd7808be0',
  expiry: 4_294_967_295,
  placeTimestamp: CREATED_AT,
  placeTxHash: TX_HASH,
  size: '10000000000000000',
  balance: '200000000000000000000',
  takenSize: '10000000000000000',
  takenBalance: '200000000000000000000',
  orderPrice: '59001236411256731282612',
  feeRebate: '295006182056283656',
  type: 1,
  cancelTimestamp: 0,
  cancelTxHash: '',
  fillTimestamp: SETTLED_AT,
  fillTxHash: TX_HASH,
  tradeValue: '590012364112567312826',
  typeString: 'filled',
  side: 'long',
  symbol: 'BTC/USDC',
  ...TOKEN_EXAMPLES,
}

export function closedOrderView(row: OrderRow, instrument: ListedInstrument) {
  // What was taken whole is filled, also where a cancel claims it, as One Click does.
  const isFill = row.status === 'filled' || row.closeEvent === 'Fill'
  const end = { at: Number(row.closedAtSec ?? 0), hash: row.closeTxHash ?? '' }
  const none = { at: 0, hash: '' }
  const [cancelled, filled] = isFill ? [none, end] : [end, none]
  return {
    id: String(row.orderId),
    instrumentAddress: row.instrument,
    expiry: Number(row.expiry),
    placeTimestamp: Number(row.placedAtSec),
    placeTxHash: row.placeTxHash,
    size: String(abs(row.sizeWad)),
    balance: String(row.balanceWad),
    takenSize: String(abs(row.filledSizeWad)),
    takenBalance: String(row.filledBalanceWad),
    orderPrice: String(row.priceWad),
    feeRebate: String(row.rebateWad),
    type: isFill ? 1 : 0,
    cancelTimestamp: cancelled.at,
    cancelTxHash: cancelled.hash,
    fillTimestamp: filled.at,
    fillTxHash: filled.hash,
    tradeValue: String(row.filledNotionalWad),
    typeString: row.status as ClosedOrderView['typeString'],
    side: sideText(row.sizeWad),
    ...pairFields(instrument),
  }
}
