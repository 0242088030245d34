// Made of the OpenAPI document by scripts/generate-sdk.ts; a change belongs there.
import { type ErrorTable, VenueError } from '../core/errors.ts'

/** The request is wrong, and its message says what would be right. Code 40001. */
export class InvalidRequest extends VenueError<
  | 'amount_invalid'
  | 'body_too_large'
  | 'chain_id_differs'
  | 'deadline_passed'
  | 'delegation_deadline_expired'
  | 'delegation_signature_invalid'
  | 'fields_not_together'
  | 'gas_limit_too_low'
  | 'kept_price_reached'
  | 'leverage_too_high'
  | 'order_not_taken'
  | 'perp_range_invalid'
  | 'price_out_of_range'
  | 'quote_unknown'
  | 'reduce_only_would_increase'
  | 'request_invalid'
  | 'signed_transaction_invalid'
  | 'size_above_position'
  | 'transaction_refused'
  | 'value_out_of_range'
  | 'wallet_timestamp_outside_window'
> {
  override readonly name = 'InvalidRequest'
}

/** The venue has no such instrument or pair. Code 40002. */
export class InstrumentUnknown extends VenueError<'instrument_unknown' | 'pair_unknown'> {
  override readonly name = 'InstrumentUnknown'
}

/** The chain would refuse it now, with the revert that the message names; nothing was sent. Code 40003. */
export class WouldRevert extends VenueError<'would_revert'> {
  override readonly name = 'WouldRevert'
}

/** The request is right, but what stands excludes it now: a nonce is used, a budget is spent. Code 40004. */
export class Refused extends VenueError<
  | 'allowance_too_low'
  | 'first_answer_unknown'
  | 'gas_budget_exhausted'
  | 'kept_order_not_open'
  | 'kept_orders_exhausted'
  | 'out_of_gas'
  | 'reduction_under_way'
  | 'signature_used'
  | 'wallet_keys_exhausted'
  | 'wallet_nonce_used'
> {
  override readonly name = 'Refused'
}

/** Key, signature, clock or chain were not accepted; which of them is not told. Code 40101. */
export class Unauthenticated extends VenueError<'unauthenticated'> {
  override readonly name = 'Unauthenticated'
}

/** The signature is not the wallet’s over the text. Code 40102. */
export class WalletSignatureInvalid extends VenueError<'wallet_signature_invalid'> {
  override readonly name = 'WalletSignatureInvalid'
}

/** The API key may not do this. Code 40301. */
export class Forbidden extends VenueError<
  'key_not_bound' | 'origin_refused' | 'permission_missing' | 'user_not_bound'
> {
  override readonly name = 'Forbidden'
}

/** The wallet has not enabled One Click. Code 40302. */
export class OneClickNotEnabled extends VenueError<'delegation_not_enabled'> {
  override readonly name = 'OneClickNotEnabled'
}

/** Plain HTTP is answered on the venue’s own machine only. Code 40303. */
export class HttpsRequired extends VenueError<'https_required'> {
  override readonly name = 'HttpsRequired'
}

/** What the request names is not there. Code 40401. */
export class NotFound extends VenueError<
  | 'kept_order_unknown'
  | 'key_unknown'
  | 'order_unknown'
  | 'perp_order_not_open'
  | 'position_missing'
  | 'range_not_found'
  | 'send_unknown'
> {
  override readonly name = 'NotFound'
}

/** Another request was sent with this Idempotency-Key. Code 42201. */
export class IdempotencyKeyReused extends VenueError<'idempotency_key_reused'> {
  override readonly name = 'IdempotencyKeyReused'
}

/** Too many requests; `retryAfterMs` says how long to wait. Code 42901. */
export class RateLimited extends VenueError<'rate_limited'> {
  override readonly name = 'RateLimited'
}

/** The venue cannot answer now. Code 50001. */
export class Unavailable extends VenueError<
  | 'authentication_unavailable'
  | 'chain_not_answering'
  | 'internal_error'
  | 'one_click_unavailable'
  | 'perp_chain_unreachable'
  | 'perp_not_indexed'
  | 'sends_overloaded'
  | 'transaction_unknown'
> {
  override readonly name = 'Unavailable'
}

/** Every reason for which a request fails. */
export type Reason =
  | 'allowance_too_low'
  | 'amount_invalid'
  | 'authentication_unavailable'
  | 'body_too_large'
  | 'chain_id_differs'
  | 'chain_not_answering'
  | 'deadline_passed'
  | 'delegation_deadline_expired'
  | 'delegation_not_enabled'
  | 'delegation_signature_invalid'
  | 'fields_not_together'
  | 'first_answer_unknown'
  | 'gas_budget_exhausted'
  | 'gas_limit_too_low'
  | 'https_required'
  | 'idempotency_key_reused'
  | 'instrument_unknown'
  | 'internal_error'
  | 'kept_order_not_open'
  | 'kept_order_unknown'
  | 'kept_orders_exhausted'
  | 'kept_price_reached'
  | 'key_not_bound'
  | 'key_unknown'
  | 'leverage_too_high'
  | 'one_click_unavailable'
  | 'order_not_taken'
  | 'order_unknown'
  | 'origin_refused'
  | 'out_of_gas'
  | 'pair_unknown'
  | 'permission_missing'
  | 'perp_chain_unreachable'
  | 'perp_not_indexed'
  | 'perp_order_not_open'
  | 'perp_range_invalid'
  | 'position_missing'
  | 'price_out_of_range'
  | 'quote_unknown'
  | 'range_not_found'
  | 'rate_limited'
  | 'reduce_only_would_increase'
  | 'reduction_under_way'
  | 'request_invalid'
  | 'send_unknown'
  | 'sends_overloaded'
  | 'signature_used'
  | 'signed_transaction_invalid'
  | 'size_above_position'
  | 'transaction_refused'
  | 'transaction_unknown'
  | 'unauthenticated'
  | 'user_not_bound'
  | 'value_out_of_range'
  | 'wallet_keys_exhausted'
  | 'wallet_nonce_used'
  | 'wallet_signature_invalid'
  | 'wallet_timestamp_outside_window'
  | 'would_revert'

export const ERRORS: ErrorTable = {
  classes: {
    '40001': InvalidRequest,
    '40002': InstrumentUnknown,
    '40003': WouldRevert,
    '40004': Refused,
    '40101': Unauthenticated,
    '40102': WalletSignatureInvalid,
    '40301': Forbidden,
    '40302': OneClickNotEnabled,
    '40303': HttpsRequired,
    '40401': NotFound,
    '42201': IdempotencyKeyReused,
    '42901': RateLimited,
    '50001': Unavailable,
  },
  retryable: [
    'authentication_unavailable',
    'chain_not_answering',
    'gas_budget_exhausted',
    'internal_error',
    'one_click_unavailable',
    'out_of_gas',
    'perp_chain_unreachable',
    'perp_not_indexed',
    'rate_limited',
    'reduction_under_way',
    'sends_overloaded',
    'transaction_unknown',
  ],
}
