import { defineReasons } from '../lib/errors.ts'

/** What can go wrong in the stock product, beyond the reasons of the modules it uses. */
export const stockReasons = defineReasons({
  not_indexed_yet: {
    kind: 'unavailable',
    retryable: true,
    doc: 'The venue has just started and has not read its contracts from the chain yet. Try again in a moment.',
  },
  session_message_invalid: {
    kind: 'invalid',
    retryable: false,
    doc: 'The text that a wallet signed opens no session here. It must be one of EIP-4361 with the domain and URI of a page of this venue, which its operator lists in APP_ORIGINS, this venue’s chain, the venue’s statement, a time of issue within five minutes of the venue’s clock and an expiration in the future, and nothing optional beside. The message says which of them is wrong.',
  },
  session_signature_invalid: {
    kind: 'invalid',
    retryable: false,
    doc: 'The signature is not one of the named wallet over the text of the session. An account signs exactly this text as a personal message (EIP-191), a contract wallet what it accepts by ERC-1271.',
  },
  token_unknown: {
    kind: 'invalid',
    retryable: false,
    doc: 'The token address is not a stock token (or cash token) of this venue. GET /api/v1/symbols and /api/v1/config list them.',
  },
  token_paused: {
    kind: 'conflict',
    retryable: true,
    doc: 'Deposits, withdrawals or orders of this token are paused at the moment. Nothing was done; try again later.',
  },
  symbol_unknown: {
    kind: 'not_found',
    retryable: false,
    doc: 'No symbol, token symbol or token address of this venue matches. GET /api/v1/symbols lists them.',
  },
  market_not_regular: {
    kind: 'invalid',
    retryable: true,
    doc: 'The market is not in its regular session, the only one in which market orders are taken. The message says when the next one begins.',
  },
  time_range_invalid: {
    kind: 'invalid',
    retryable: false,
    doc: 'startTime lies after endTime. Both are Unix seconds.',
  },
  notional_missing: {
    kind: 'invalid',
    retryable: false,
    doc: 'A market buy is placed by notional: send notional (USD) and no quantity.',
  },
  quantity_missing: {
    kind: 'invalid',
    retryable: false,
    doc: 'A market sell is placed by quantity: send quantity (stock tokens) and no notional.',
  },
  price_missing: {
    kind: 'invalid',
    retryable: false,
    doc: 'A limit order needs a price: send price (USD per token).',
  },
  time_in_force_missing: {
    kind: 'invalid',
    retryable: false,
    doc: 'A limit order needs a timeInForce. DAY is the only one that the contracts take.',
  },
  time_in_force_unsupported: {
    kind: 'invalid',
    retryable: false,
    doc: 'A limit order was sent with another timeInForce than DAY. The contracts take no other and would revert.',
  },
  order_too_large: {
    kind: 'invalid',
    retryable: false,
    doc: 'Quantity times price of a limit order is more USD than the contracts can hold in one order.',
  },
  fraction_not_tradable: {
    kind: 'invalid',
    retryable: false,
    doc: 'The order is for a fraction of a share and the stock, or the part of the day that is left, is traded in whole shares only. GET /api/v1/symbols shows fractionable, fractionalEhEnabled, and by sharesPerToken and quantityIncrement what is a whole share.',
  },
  deposit_token_missing: {
    kind: 'invalid',
    retryable: false,
    doc: 'A buy with deposit names the cash token that is deposited: send depositTokenAddress.',
  },
  deposit_too_small: {
    kind: 'invalid',
    retryable: false,
    doc: 'The deposit of an order with deposit does not cover what the order locks. The message says how much it has to be.',
  },
  deposit_not_instant: {
    kind: 'invalid',
    retryable: true,
    doc: 'The cashier would queue this deposit instead of crediting it at once, and an order cannot wait for it. Deposit less, or deposit first and place the order when the deposit is settled.',
  },
  token_of_other_kind: {
    kind: 'invalid',
    retryable: false,
    doc: 'A stock token was sent to a cash endpoint, or a cash token to a stock endpoint. The message names the right one.',
  },
  field_not_applicable: {
    kind: 'invalid',
    retryable: false,
    doc: 'A field was sent that this kind of order does not have. It would have been ignored, so the request is refused.',
  },
  deadline_expired: {
    kind: 'invalid',
    retryable: false,
    doc: 'The deadline is not in the future of the chain, or does not fit 32 bits. Send a future Unix time in seconds.',
  },
  order_not_found: {
    kind: 'not_found',
    retryable: true,
    doc: 'No order with this id is indexed yet. If its transaction has just been mined, wait for the indexer.',
  },
  order_not_owned: {
    kind: 'forbidden',
    retryable: false,
    doc: 'The order does not belong to this API key. An order belongs to the key that recorded its transaction, and only that key can cancel it.',
  },
  order_not_cancelable: {
    kind: 'invalid',
    retryable: false,
    doc: 'A market order cannot be cancelled: it is filled or ended by the broker within moments.',
  },
  order_not_open: {
    kind: 'conflict',
    retryable: false,
    doc: 'The order is no longer open, so there is nothing to cancel.',
  },
  cancel_already_requested: {
    kind: 'conflict',
    retryable: false,
    doc: 'The cancel of this order was requested before: it waits to be mined, or for the broker. A second request would revert. The detail has the hash of the first, and its id where the venue sent it or a key recorded it.',
  },
  transaction_not_recorded: {
    kind: 'not_found',
    retryable: false,
    doc: 'This API key has recorded no such transaction. Record its hash with the tx endpoint first.',
  },
  send_not_found: {
    kind: 'not_found',
    retryable: false,
    doc: 'This API key has sent nothing by One Click with this id, or under this Idempotency-Key. The id is that of the answer to a send, not a transaction hash.',
  },
  date_range_invalid: {
    kind: 'invalid',
    retryable: false,
    doc: 'The dates are none, end lies before start, or they span more than 366 days. Dates are YYYY-MM-DD.',
  },
  operation_not_found: {
    kind: 'not_found',
    retryable: true,
    doc: 'No such operation is indexed yet. If its transaction has just been mined, wait for the indexer.',
  },
  transaction_of_other_key: {
    kind: 'conflict',
    retryable: false,
    doc: 'Another API key has recorded this transaction and has the better claim to it: it is bound to the wallet, was the first key of the wallet to record it, or (of keys without a wallet) built the calldata earlier.',
  },
  transaction_of_other_user: {
    kind: 'conflict',
    retryable: false,
    doc: 'The transaction was made by another wallet than the one this API key is bound to, or (for an unbound key) carries calldata that this key did not build, or built only after the transaction was mined.',
  },
  transaction_of_other_kind: {
    kind: 'conflict',
    retryable: false,
    doc: 'The transaction is not of the kind this endpoint records. Use the tx endpoint of its operation.',
  },
  client_order_id_taken: {
    kind: 'conflict',
    retryable: false,
    doc: 'This API key has sent or recorded an order with the same clientOrderId before. GET /api/v1/orders?clientOrderId= finds it. Choose another one for a new order.',
  },
  chain_unreachable: {
    kind: 'upstream',
    retryable: true,
    doc: 'The chain node does not answer, so a figure that lives on chain cannot be given. No stale number is shown instead.',
  },
})
