import { delegationReasons } from '../../delegation/reasons.ts'
import { httpReasons } from '../../http/reasons.ts'
import type { OperationReference } from '../../http/reference.ts'
import { decimalReasons } from '../../lib/decimal.ts'
import type { Reason } from '../../lib/errors.ts'
import { stockReasons } from '../reasons.ts'
import { EXAMPLE_FIELDS } from './reference-examples.ts'

const { not_indexed_yet, chain_unreachable, symbol_unknown, time_range_invalid } = stockReasons

const RECORDING: readonly Reason[] = [
  httpReasons.idempotency_key_reused,
  stockReasons.transaction_of_other_key,
  stockReasons.transaction_of_other_kind,
  stockReasons.transaction_of_other_user,
  chain_unreachable,
]
const TOKEN: readonly Reason[] = [
  decimalReasons.amount_invalid,
  stockReasons.token_unknown,
  stockReasons.token_paused,
  not_indexed_yet,
]
const MOVE: readonly Reason[] = [...TOKEN, stockReasons.token_of_other_kind]
const ORDER: readonly Reason[] = [
  ...MOVE,
  stockReasons.notional_missing,
  stockReasons.quantity_missing,
  stockReasons.price_missing,
  stockReasons.time_in_force_missing,
  stockReasons.time_in_force_unsupported,
  stockReasons.field_not_applicable,
  stockReasons.fraction_not_tradable,
  stockReasons.order_too_large,
  stockReasons.deadline_expired,
  stockReasons.market_not_regular,
]
const WITH_DEPOSIT: readonly Reason[] = [
  ...ORDER,
  stockReasons.deposit_token_missing,
  stockReasons.deposit_too_small,
  stockReasons.deposit_not_instant,
  chain_unreachable,
]

const {
  key_not_bound,
  delegation_not_enabled,
  allowance_too_low,
  would_revert,
  gas_limit_too_low,
  gas_budget_exhausted,
  one_click_unavailable,
  chain_not_answering,
} = delegationReasons
const ONE_CLICK: readonly Reason[] = [key_not_bound, chain_not_answering, one_click_unavailable]
const CHANGE: readonly Reason[] = [...ONE_CLICK, would_revert, gas_budget_exhausted, httpReasons.idempotency_key_reused]
const SEND: readonly Reason[] = [...CHANGE, delegation_not_enabled, gas_limit_too_low]
const CANCEL: readonly Reason[] = [
  stockReasons.order_not_found,
  stockReasons.order_not_owned,
  stockReasons.order_not_cancelable,
  stockReasons.order_not_open,
  stockReasons.cancel_already_requested,
]

const { stockAddress, tokenAddress: depositTokenAddress, userAddress, deadline } = EXAMPLE_FIELDS
const marketBuy = { stockAddress, side: 'Buy', type: 'Market', notional: '1000', deadline }
const marketSell = { stockAddress, side: 'Sell', type: 'Market', quantity: '1.25', deadline }
const limit = { stockAddress, type: 'Limit', quantity: '5', price: '180.50', timeInForce: 'DAY', deadline }
const limitBuy = { ...limit, side: 'Buy' }
const limitSell = { ...limit, side: 'Sell' }

const orderView = { type: 'Market', side: 'Buy' }
const stockMove = { method: 'depositStock' }

/** The stock API's operations beyond their schemas: why each may fail, and what its requests and answers look like. */
export const operationReferences: Readonly<Record<string, OperationReference>> = {
  'GET /api/v1/config': { reasons: [not_indexed_yet], fields: { symbol: 'USDC', decimals: 6 } },
  'GET /api/v1/symbols': { reasons: [not_indexed_yet] },
  'GET /api/v1/prices/:symbol': { reasons: [symbol_unknown, not_indexed_yet] },
  'GET /api/v1/prices/:symbol/history': { reasons: [symbol_unknown, time_range_invalid, not_indexed_yet] },
  'GET /api/v1/underlying/:symbol/price': { reasons: [symbol_unknown, not_indexed_yet] },
  'GET /api/v1/corporate-action': { reasons: [symbol_unknown, time_range_invalid, not_indexed_yet] },

  'GET /api/v1/users/:userId/balance': { reasons: [chain_unreachable, not_indexed_yet] },
  'GET /api/v1/users/:userId/positions': { reasons: [not_indexed_yet], fields: { quantity: '5.5' } },

  'GET /api/v1/orders': { fields: orderView },
  'POST /api/v1/orders/calldata': {
    reasons: ORDER,
    bodies: {
      'market buy': marketBuy,
      'market sell': marketSell,
      'limit buy': limitBuy,
      'limit sell': limitSell,
    },
  },
  'POST /api/v1/orders/with-deposit/calldata': {
    reasons: WITH_DEPOSIT,
    bodies: {
      'deposit cash and buy at the market': { ...marketBuy, depositTokenAddress, depositAmount: '1002' },
      'deposit cash and buy at a limit': { ...limitBuy, depositTokenAddress, depositAmount: '904' },
      'deposit stock and sell at the market': { ...marketSell, depositAmount: '1.25' },
      'deposit stock and sell at a limit': { ...limitSell, depositAmount: '5' },
    },
    fields: { method: 'depositAndMarketBuy' },
  },
  'POST /api/v1/orders/preview': {
    reasons: [...WITH_DEPOSIT, stockReasons.user_not_bound],
    bodies: { 'market buy': { ...marketBuy, userAddress }, 'limit sell': { ...limitSell, userAddress } },
    fields: {
      ...{ succeeds: true, reverts: null, deposit: null, fillsNow: true },
      ...{ asset: 'mUSD', amount: 1001.1, notional: 992.75 },
    },
  },
  'POST /api/v1/orders/tx': { reasons: RECORDING },
  'GET /api/v1/orders/tx/:txHash': { reasons: [stockReasons.transaction_not_recorded], fields: orderView },
  'GET /api/v1/orders/:orderId': { reasons: [stockReasons.order_not_found], fields: orderView },
  'DELETE /api/v1/orders/:orderId/calldata': {
    reasons: CANCEL,
    fields: { method: 'cancelLimitOrder', callData: '0x4584eff6' },
  },

  'POST /api/v1/cash/deposits/calldata': { reasons: MOVE, fields: { method: 'deposit' } },
  'POST /api/v1/cash/deposits/tx': { reasons: RECORDING, fields: { operationType: 'deposit' } },
  'GET /api/v1/cash/deposits/:operationId': { reasons: [stockReasons.operation_not_found] },
  'POST /api/v1/cash/withdrawals/calldata': { reasons: MOVE, fields: { method: 'withdraw' } },
  'POST /api/v1/cash/withdrawals/tx': { reasons: RECORDING, fields: { operationType: 'withdraw' } },
  'GET /api/v1/cash/withdrawals': { fields: { depositOperation: null, withdrawalOperation: undefined } },
  'GET /api/v1/cash/withdrawals/:operationId': {
    reasons: [stockReasons.operation_not_found],
    fields: { depositOperation: null, withdrawalOperation: undefined },
  },

  'POST /api/v1/stock/deposits/calldata': { reasons: MOVE, fields: stockMove },
  'POST /api/v1/stock/deposits/tx': { reasons: RECORDING, fields: { operationType: 'deposit' } },
  'GET /api/v1/stock/deposits/:operationId': { reasons: [stockReasons.operation_not_found] },
  'POST /api/v1/stock/withdrawals/calldata': { reasons: MOVE, fields: { method: 'withdrawStock' } },
  'POST /api/v1/stock/withdrawals/tx': { reasons: RECORDING, fields: { operationType: 'withdraw' } },
  'GET /api/v1/stock/withdrawals/:operationId': { reasons: [stockReasons.operation_not_found] },

  'POST /api/v1/orders/send': {
    reasons: [...SEND, ...ORDER, stockReasons.user_not_bound, stockReasons.client_order_id_taken],
    bodies: { 'market buy': marketBuy, 'limit sell': { ...limitSell, clientOrderId: 'my-order-1' } },
    fields: { status: 'Pending' },
  },
  'POST /api/v1/orders/with-deposit/send': {
    reasons: [
      ...[...SEND, ...WITH_DEPOSIT, allowance_too_low],
      ...[stockReasons.user_not_bound, stockReasons.client_order_id_taken],
    ],
    bodies: {
      'deposit cash and buy at the market': { ...marketBuy, depositTokenAddress, depositAmount: '1002' },
      'deposit stock and sell at a limit': { ...limitSell, depositAmount: '5' },
    },
    fields: { status: 'Pending' },
  },
  'DELETE /api/v1/orders/:orderId/send': { reasons: [...SEND, ...CANCEL], fields: { status: 'Pending' } },
  'POST /api/v1/cash/deposits/send': {
    reasons: [...SEND, ...MOVE, allowance_too_low],
    fields: { operationType: 'deposit', status: 'Pending' },
  },
  'POST /api/v1/cash/withdrawals/send': {
    reasons: [...SEND, ...MOVE, stockReasons.user_not_bound],
    fields: { operationType: 'withdraw', status: 'Pending' },
  },
  'POST /api/v1/stock/deposits/send': {
    reasons: [...SEND, ...MOVE, allowance_too_low],
    fields: { operationType: 'deposit', status: 'Pending' },
  },
  'POST /api/v1/stock/withdrawals/send': {
    reasons: [...SEND, ...MOVE, stockReasons.user_not_bound],
    fields: { operationType: 'withdraw', status: 'Pending' },
  },

  'GET /api/v1/1ct/status': { reasons: ONE_CLICK, fields: { status: 'enable' } },
  'POST /api/v1/1ct/prepare': {
    reasons: [...ONE_CLICK, delegationReasons.delegation_deadline_expired],
    bodies: { request: { deadline } },
    fields: { name: 'OneClickRouter', version: '1', primaryType: 'Delegate' },
  },
  'POST /api/v1/1ct/enable': {
    reasons: [...CHANGE, delegationReasons.delegation_deadline_expired, delegationReasons.delegation_signature_invalid],
    bodies: { request: { signature: `0x${'5a'.repeat(64)}1b`, deadline } },
    fields: { status: 'enable' },
  },
  'POST /api/v1/1ct/disable': { reasons: CHANGE, fields: { status: 'disabled' } },
}
