import { defineReasons } from '../lib/errors.ts'

/** What can go wrong in the perpetual product, beyond the reasons of the modules it uses. */
export const perpReasons = defineReasons({
  instrument_unknown: {
    kind: 'invalid',
    retryable: false,
    doc: 'No instrument of this venue has this symbol or address. GET /v4/public/trader/market/instruments lists them, such as BTC/USDC.',
  },
  pair_unknown: {
    kind: 'invalid',
    retryable: false,
    doc: 'The instrument has no pair of this expiry. Leave expiry out, or send 4294967295, for the perpetual.',
  },
  perp_range_invalid: {
    kind: 'invalid',
    retryable: false,
    doc: 'The range of time ends before it begins.',
  },
  permission_missing: {
    kind: 'forbidden',
    retryable: false,
    doc: 'The API key is right, and does not have the permission trade, without which it may only read.',
  },
  chain_id_differs: {
    kind: 'invalid',
    retryable: false,
    doc: 'The chain that the request names is not the one that the venue serves, which X-Chain-Id names too. Send the same, or leave it out where that is allowed.',
  },
  wallet_signature_invalid: {
    kind: 'invalid',
    retryable: false,
    doc: 'The signature is not one of the wallet over the text that makes an API key. The message of the failure shows the text, line by line: the wallet signs exactly this one as a personal message (EIP-191), a contract wallet what it accepts by ERC-1271.',
  },
  wallet_timestamp_outside_window: {
    kind: 'invalid',
    retryable: false,
    doc: 'The timestamp of the signed text is more than five minutes away from the venue’s clock. It is Unix milliseconds; GET /v4/public/trader/market/serverTime tells the time. Sign anew.',
  },
  perp_chain_unreachable: {
    kind: 'upstream',
    retryable: true,
    doc: 'The chain node does not answer, so what lives on chain cannot be given. No stale figure is shown instead.',
  },
  leverage_too_high: {
    kind: 'invalid',
    retryable: false,
    doc: 'The leverage is above the instrument’s greatest, which is 10000 over its initialMarginRatio. Send a lower one.',
  },
  deadline_passed: {
    kind: 'invalid',
    retryable: false,
    doc: 'The deadline, or the time at which a kept order is to end, is not in the future of the chain. Send a later Unix time in seconds, or 0: for a deadline the venue then takes ten minutes from now, and a kept order does not end by its time.',
  },
  value_out_of_range: {
    kind: 'invalid',
    retryable: false,
    doc: 'What the request comes to is larger than the contract’s field for it, such as the margin of a leverage near zero. Send less, or a higher leverage.',
  },
  price_out_of_range: {
    kind: 'invalid',
    retryable: false,
    doc: 'The price is one that the instrument cannot express. Prices reach from about 10^-14 to 1.8·10^19.',
  },
  position_missing: {
    kind: 'not_found',
    retryable: false,
    doc: 'The wallet has no position in this pair, so there is nothing to close, to reduce or to adjust.',
  },
  size_above_position: {
    kind: 'invalid',
    retryable: false,
    doc: 'A close, or an order with reduceOnly, is for more than the position holds. Send at most its size; a close without a size closes all of it.',
  },
  reduce_only_would_increase: {
    kind: 'invalid',
    retryable: false,
    doc: 'An order with reduceOnly is of the same side as the position, which would grow. Send the other side, or leave reduceOnly out.',
  },
  reduction_under_way: {
    kind: 'conflict',
    retryable: true,
    doc: 'A close, or an order with reduceOnly, came while trades of the wallet in the same pair and direction were under way, or cancels and fills of orders that were taken, or the removal of a range, and after them it would turn the position round. The venue has waited three seconds for them; nothing was sent. Wait until they are mined and send it for what is left.',
  },
  kept_price_reached: {
    kind: 'invalid',
    retryable: false,
    doc: 'The mark price has reached the price of the kept order already. The take-profit of a long and the stop-loss of a short lie above the mark, the other two below. Send a price on that side, or trade at once by order/market or position/close.',
  },
  kept_orders_exhausted: {
    kind: 'conflict',
    retryable: false,
    doc: 'The wallet has as many kept orders open as it may. GET /v4/public/trader/order/kept lists them; cancel some.',
  },
  kept_order_unknown: {
    kind: 'not_found',
    retryable: false,
    doc: 'The wallet has no kept order with this keptOrderId. GET /v4/public/trader/order/kept lists them.',
  },
  kept_order_not_open: {
    kind: 'conflict',
    retryable: false,
    doc: 'The kept order is sent or has ended, so it cannot be cancelled. GET /v4/public/trader/order/kept shows what became of it.',
  },
  perp_order_not_open: {
    kind: 'not_found',
    retryable: false,
    doc: 'The wallet has no such order open in this pair. It may be filled or cancelled already. GET /v4/public/trader/order/realtime lists the open ones.',
  },
  order_not_taken: {
    kind: 'invalid',
    retryable: false,
    doc: 'A part of the order still rests, and only an order of which everything was taken can be filled. Cancel it instead: what was taken becomes a position.',
  },
  range_not_found: {
    kind: 'not_found',
    retryable: false,
    doc: 'The wallet has no range between these ticks in this pair. GET /v4/public/trader/liquidity/list lists its ranges.',
  },
  fields_not_together: {
    kind: 'invalid',
    retryable: false,
    doc: 'The request has fields of which one excludes another, or lacks one that another needs. The message names them.',
  },
  quote_unknown: {
    kind: 'invalid',
    retryable: false,
    doc: 'No instrument of this venue is quoted in this token. GET /v4/public/trader/market/instruments shows their quotes.',
  },
  signed_transaction_invalid: {
    kind: 'invalid',
    retryable: false,
    doc: 'The signed transaction is not one that this operation sends: its signer must be the wallet of the API key, its chain this venue’s, its target and function those that the operation names. Nothing was sent.',
  },
  transaction_refused: {
    kind: 'invalid',
    retryable: false,
    doc: 'The chain node refuses the signed transaction and has not kept it: another one has its nonce, its fees or its gas are too low, or the wallet cannot pay. Build and sign it anew.',
  },
  transaction_unknown: {
    kind: 'upstream',
    retryable: true,
    doc: 'The chain node did not say whether it took the signed transaction. It may be mined: send the same bytes again, which answers the same hash, or look for the hash that the message gives.',
  },
  perp_not_indexed: {
    kind: 'unavailable',
    retryable: true,
    doc: 'The venue has not read the chain, or its newest blocks, yet, so it cannot tell what accounts hold or which order an orderId is now. GET /readyz says when it has. Try again later.',
  },
  send_unknown: {
    kind: 'not_found',
    retryable: false,
    doc: 'No send of this wallet is stored under this sendId, or none of this API key under this Idempotency-Key. A request that is on its way is stored once the venue has it: while its signature is fresh, half a minute, it may still arrive.',
  },
  order_unknown: {
    kind: 'not_found',
    retryable: false,
    doc: 'The wallet has no order with this orderId. Ids are in GET /v4/public/trader/order/realtime and order/history; a new order has one as soon as its block is indexed.',
  },
})
