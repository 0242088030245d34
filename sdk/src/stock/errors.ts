// Made of the OpenAPI document by scripts/generate-sdk.ts; a change belongs there.
import { type ErrorTable, VenueError } from '../core/errors.ts'

/** Key, signature, clock, address or scope were not accepted; which of them is not told. Code 401. */
export class Unauthenticated extends VenueError<'unauthenticated'> {
  override readonly name = 'Unauthenticated'
}

/** Too many requests; `retryAfterMs` says how long to wait. Code 429. */
export class RateLimited extends VenueError<'rate_limited'> {
  override readonly name = 'RateLimited'
}

/** The venue cannot answer now. Code 500. */
export class Unavailable extends VenueError<
  'authentication_unavailable' | 'internal_error' | 'not_indexed_yet' | 'one_click_unavailable' | 'sends_overloaded'
> {
  override readonly name = 'Unavailable'
}

/** The request is wrong, and its message says what would be right. Code 10000. */
export class InvalidRequest extends VenueError<
  | 'amount_invalid'
  | 'body_too_large'
  | 'date_range_invalid'
  | 'deadline_expired'
  | 'delegation_deadline_expired'
  | 'delegation_signature_invalid'
  | 'deposit_not_instant'
  | 'deposit_token_missing'
  | 'deposit_too_small'
  | 'field_not_applicable'
  | 'fraction_not_tradable'
  | 'gas_limit_too_low'
  | 'market_not_regular'
  | 'notional_missing'
  | 'order_not_cancelable'
  | 'order_too_large'
  | 'price_missing'
  | 'quantity_missing'
  | 'request_invalid'
  | 'session_message_invalid'
  | 'session_signature_invalid'
  | 'time_in_force_missing'
  | 'time_in_force_unsupported'
  | 'time_range_invalid'
  | 'token_of_other_kind'
  | 'token_unknown'
> {
  override readonly name = 'InvalidRequest'
}

/** What the request names is not there, or not yet. Code 10001. */
export class NotFound extends VenueError<
  | 'operation_not_found'
  | 'order_not_found'
  | 'send_not_found'
  | 'session_unknown'
  | 'symbol_unknown'
  | 'transaction_not_recorded'
> {
  override readonly name = 'NotFound'
}

/** The request is right, but what it asks for is not possible now or not allowed. Code 10002. */
export class Refused extends VenueError<
  | 'allowance_too_low'
  | 'cancel_already_requested'
  | 'client_order_id_taken'
  | 'delegation_not_enabled'
  | 'gas_budget_exhausted'
  | 'key_not_bound'
  | 'order_not_open'
  | 'order_not_owned'
  | 'origin_refused'
  | 'out_of_gas'
  | 'token_paused'
  | 'transaction_of_other_key'
  | 'transaction_of_other_kind'
  | 'transaction_of_other_user'
  | 'user_not_bound'
  | 'wallet_nonce_used'
  | 'would_revert'
> {
  override readonly name = 'Refused'
}

/** The chain could not be asked; nothing was sent. Code 10003. */
export class ChainUnavailable extends VenueError<'chain_not_answering' | 'chain_unreachable'> {
  override readonly name = 'ChainUnavailable'
}

/** Another request was sent with this Idempotency-Key. Code 10002. */
export class IdempotencyKeyReused extends VenueError<'idempotency_key_reused'> {
  override readonly name = 'IdempotencyKeyReused'
}

/** Every reason for which a request fails. */
export type Reason =
  | 'allowance_too_low'
  | 'amount_invalid'
  | 'authentication_unavailable'
  | 'body_too_large'
  | 'cancel_already_requested'
  | 'chain_not_answering'
  | 'chain_unreachable'
  | 'client_order_id_taken'
  | 'date_range_invalid'
  | 'deadline_expired'
  | 'delegation_deadline_expired'
  | 'delegation_not_enabled'
  | 'delegation_signature_invalid'
  | 'deposit_not_instant'
  | 'deposit_token_missing'
  | 'deposit_too_small'
  | 'field_not_applicable'
  | 'fraction_not_tradable'
  | 'gas_budget_exhausted'
  | 'gas_limit_too_low'
  | 'idempotency_key_reused'
  | 'internal_error'
  | 'key_not_bound'
  | 'market_not_regular'
  | 'not_indexed_yet'
  | 'notional_missing'
  | 'one_click_unavailable'
  | 'operation_not_found'
  | 'order_not_cancelable'
  | 'order_not_found'
  | 'order_not_open'
  | 'order_not_owned'
  | 'order_too_large'
  | 'origin_refused'
  | 'out_of_gas'
  | 'price_missing'
  | 'quantity_missing'
  | 'rate_limited'
  | 'request_invalid'
  | 'send_not_found'
  | 'sends_overloaded'
  | 'session_message_invalid'
  | 'session_signature_invalid'
  | 'session_unknown'
  | 'symbol_unknown'
  | 'time_in_force_missing'
  | 'time_in_force_unsupported'
  | 'time_range_invalid'
  | 'token_of_other_kind'
  | 'token_paused'
  | 'token_unknown'
  | 'transaction_not_recorded'
  | 'transaction_of_other_key'
  | 'transaction_of_other_kind'
  | 'transaction_of_other_user'
  | 'unauthenticated'
  | 'user_not_bound'
  | 'wallet_nonce_used'
  | 'would_revert'

export const ERRORS: ErrorTable = {
  classes: {
    '401': Unauthenticated,
    '429': RateLimited,
    '500': Unavailable,
    '10000': InvalidRequest,
    '10001': NotFound,
    '10002': Refused,
    '10003': ChainUnavailable,
    '422/10002': IdempotencyKeyReused,
  },
  retryable: [
    'authentication_unavailable',
    'chain_not_answering',
    'chain_unreachable',
    'deposit_not_instant',
    'gas_budget_exhausted',
    'internal_error',
    'market_not_regular',
    'not_indexed_yet',
    'one_click_unavailable',
    'operation_not_found',
    'order_not_found',
    'out_of_gas',
    'rate_limited',
    'sends_overloaded',
    'token_paused',
  ],
}
