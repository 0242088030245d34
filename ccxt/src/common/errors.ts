import type { ErrorName, ErrorTable } from '../venue.ts'

/** Reasons that both products have. */
const COMMON = {
  allowance_too_low: 'InsufficientFunds',
  amount_invalid: 'InvalidOrder',
  authentication_unavailable: 'ExchangeNotAvailable',
  body_too_large: 'BadRequest',
  channel_private: 'AuthenticationError',
  channel_unknown: 'BadRequest',
  chain_not_answering: 'ExchangeNotAvailable',
  delegation_deadline_expired: 'BadRequest',
  delegation_not_enabled: 'AccountNotEnabled',
  delegation_signature_invalid: 'BadRequest',
  first_answer_unknown: 'RequestTimeout',
  gas_budget_exhausted: 'RateLimitExceeded',
  gas_limit_too_low: 'InvalidOrder',
  https_required: 'PermissionDenied',
  idempotency_key_reused: 'DuplicateOrderId',
  internal_error: 'RequestTimeout',
  key_not_bound: 'PermissionDenied',
  one_click_unavailable: 'ExchangeNotAvailable',
  origin_refused: 'PermissionDenied',
  path_unknown: 'BadRequest',
  permission_missing: 'PermissionDenied',
  rate_limited: 'RateLimitExceeded',
  request_aborted: 'RequestTimeout',
  request_invalid: 'BadRequest',
  request_unreadable: 'BadRequest',
  send_abandoned: 'ExchangeNotAvailable',
  send_unconfirmed: 'RequestTimeout',
  sends_overloaded: 'ExchangeNotAvailable',
  stopping: 'ExchangeNotAvailable',
  too_many_connections: 'RateLimitExceeded',
  unauthenticated: 'AuthenticationError',
  upgrade_required: 'BadRequest',
  user_not_bound: 'PermissionDenied',
  wallet_keys_exhausted: 'OperationRejected',
  wallet_nonce_used: 'InvalidNonce',
  would_revert: 'InvalidOrder',
} as const satisfies Record<string, ErrorName>

export const PERP_ERRORS: ErrorTable = {
  reasons: {
    ...COMMON,
    chain_id_differs: 'BadRequest',
    deadline_passed: 'InvalidOrder',
    fields_not_together: 'BadRequest',
    instrument_unknown: 'BadSymbol',
    key_unknown: 'BadRequest',
    leverage_too_high: 'InvalidOrder',
    order_not_taken: 'InvalidOrder',
    order_unknown: 'OrderNotFound',
    pair_unknown: 'BadSymbol',
    perp_chain_unreachable: 'ExchangeNotAvailable',
    perp_not_indexed: 'ExchangeNotAvailable',
    perp_order_not_open: 'OrderNotFound',
    perp_range_invalid: 'BadRequest',
    position_missing: 'InvalidOrder',
    price_out_of_range: 'InvalidOrder',
    quote_unknown: 'BadRequest',
    range_not_found: 'BadRequest',
    reduce_only_would_increase: 'InvalidOrder',
    signed_transaction_invalid: 'BadRequest',
    size_above_position: 'InvalidOrder',
    transaction_refused: 'OperationRejected',
    transaction_unknown: 'RequestTimeout',
    value_out_of_range: 'InvalidOrder',
    wallet_signature_invalid: 'AuthenticationError',
    wallet_timestamp_outside_window: 'InvalidNonce',
  },
  codes: {
    40001: 'BadRequest',
    40002: 'BadSymbol',
    40003: 'OperationRejected',
    40004: 'InvalidNonce',
    40101: 'AuthenticationError',
    40102: 'AuthenticationError',
    40301: 'PermissionDenied',
    40302: 'AccountNotEnabled',
    40303: 'PermissionDenied',
    40401: 'BadRequest',
    42201: 'DuplicateOrderId',
    42901: 'RateLimitExceeded',
    50001: 'RequestTimeout',
  },
}

export const STOCK_ERRORS: ErrorTable = {
  reasons: {
    ...COMMON,
    cancel_already_requested: 'CancelPending',
    chain_unreachable: 'ExchangeNotAvailable',
    client_order_id_taken: 'DuplicateOrderId',
    date_range_invalid: 'BadRequest',
    deadline_expired: 'InvalidOrder',
    deposit_not_instant: 'OperationRejected',
    deposit_token_missing: 'BadRequest',
    deposit_too_small: 'BadRequest',
    field_not_applicable: 'BadRequest',
    fraction_not_tradable: 'InvalidOrder',
    market_not_regular: 'MarketClosed',
    not_indexed_yet: 'ExchangeNotAvailable',
    notional_missing: 'InvalidOrder',
    operation_not_found: 'BadRequest',
    order_not_cancelable: 'InvalidOrder',
    order_not_found: 'OrderNotFound',
    order_not_open: 'OrderNotFound',
    order_not_owned: 'PermissionDenied',
    order_too_large: 'InvalidOrder',
    price_missing: 'InvalidOrder',
    quantity_missing: 'InvalidOrder',
    send_not_found: 'OrderNotFound',
    session_message_invalid: 'BadRequest',
    session_signature_invalid: 'AuthenticationError',
    session_unknown: 'AuthenticationError',
    symbol_unknown: 'BadSymbol',
    time_in_force_missing: 'InvalidOrder',
    time_in_force_unsupported: 'InvalidOrder',
    time_range_invalid: 'BadRequest',
    token_of_other_kind: 'BadSymbol',
    token_paused: 'OperationRejected',
    token_unknown: 'BadSymbol',
    transaction_not_recorded: 'OrderNotFound',
    transaction_of_other_key: 'PermissionDenied',
    transaction_of_other_kind: 'BadRequest',
    transaction_of_other_user: 'PermissionDenied',
  },
  codes: {
    401: 'AuthenticationError',
    429: 'RateLimitExceeded',
    500: 'RequestTimeout',
    10000: 'BadRequest',
    10001: 'BadRequest',
    10002: 'OperationRejected',
    10003: 'ExchangeNotAvailable',
  },
}

/** Reverts that say more than that the order cannot be: by the name that stands in the venue's message. */
const REVERTS: Readonly<Record<string, ErrorName>> = {
  DailyAmountExceeded: 'PermissionDenied',
  ERC20InsufficientAllowance: 'InsufficientFunds',
  ERC20InsufficientBalance: 'InsufficientFunds',
  InsufficientBalanceWad: 'InsufficientFunds',
  InsufficientReserve: 'InsufficientFunds',
  InsufficientStockBalance: 'InsufficientFunds',
  MarketClosed: 'MarketClosed',
  NotTradeable: 'MarketClosed',
  OrderNotExist: 'OrderNotFound',
  OrderNotFound: 'OrderNotFound',
  OrderWrongSide: 'OrderImmediatelyFillable',
  TradeOutOfLiquidity: 'OrderNotFillable',
  TradeSlippage: 'OrderNotFillable',
}

/** What a transaction that failed, or would, becomes. `text` has the revert's name as its first word. */
export const revertError = (text: string): ErrorName => REVERTS[/^\w+/.exec(text.trim())?.[0] ?? ''] ?? 'InvalidOrder'

/** The class of a refusal. */
export function errorName(table: ErrorTable, reason: string | undefined, code: string, message: string): ErrorName {
  if (reason === 'would_revert') return revertError(message.replace(/^.*would revert:/, ''))
  return (
    table.reasons[reason ?? ''] ?? table.codes[code] ?? (reason === undefined ? 'RequestTimeout' : 'OperationRejected')
  )
}

/** Refusals by which the venue does not say that nothing was done. */
export const isOpenOutcome = (name: ErrorName): boolean => name === 'RequestTimeout'
