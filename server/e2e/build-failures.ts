import {
  ADDRESS,
  buy,
  CONFLICT,
  cash,
  cashDeposit,
  type Failure,
  HASH,
  INVALID,
  type Known,
  limitBuy,
  moved,
  NOT_FOUND,
  post,
  remove,
  sell,
} from './requests.ts'

// How each way to get a build wrong is answered, beyond those of a plain order: deposits, previews, cancels, moves of stock.

const withDeposit =
  (change: object, base: (known: Known) => object = buy): Failure[3] =>
  (known) =>
    post('/orders/with-deposit/calldata', { ...base(known), ...cashDeposit(known), ...change })

const previewed =
  (change: object): Failure[3] =>
  (known) =>
    post('/orders/preview', { ...buy(known), userAddress: known.user, ...change })

const stockMove =
  (kind: 'deposits' | 'withdrawals', change: object): Failure[3] =>
  (known) =>
    post(`/stock/${kind}/calldata`, { ...moved(known), ...change })

export const buildFailures: readonly Failure[] = [
  [INVALID, 'request_invalid', /depositAmount is required/, withDeposit({ depositAmount: undefined })],
  [INVALID, 'deposit_token_missing', /depositTokenAddress is req/, withDeposit({ depositTokenAddress: undefined })],
  [INVALID, 'field_not_applicable', /deposits the stock it sells/, withDeposit({}, sell)],
  [INVALID, 'token_unknown', /no cash token/, withDeposit({ depositTokenAddress: ADDRESS })],
  [INVALID, 'amount_invalid', /at most 6 decimals/, withDeposit({ depositAmount: '0.0000001' })],
  [INVALID, 'deposit_too_small', /the smallest deposit of USDC is 1/, withDeposit({ depositAmount: '0.5' })],
  [INVALID, 'deposit_too_small', /the order locks 10.011 mUSD/, withDeposit({ depositAmount: '10.010999' })],
  [INVALID, 'deposit_not_instant', /not credit this deposit at once/, withDeposit({ depositAmount: '900000' })],
  [INVALID, 'deposit_not_instant', /deposit less/, withDeposit({ depositAmount: '70000000000000000' })],
  [INVALID, 'time_in_force_unsupported', /must be DAY/, withDeposit({ timeInForce: 'FOK' }, limitBuy)],
  [INVALID, 'deadline_expired', /must be in the future/, withDeposit({ deadline: 1 })],
  [CONFLICT, 'user_not_bound', /the wallet this API key is bound to/, previewed({ userAddress: ADDRESS })],
  [INVALID, 'request_invalid', /userAddress is required/, previewed({ userAddress: undefined })],
  [INVALID, 'notional_missing', /notional is required/, previewed({ notional: undefined })],
  [INVALID, 'field_not_applicable', /depositAmount too/, previewed({ depositTokenAddress: ADDRESS })],
  [INVALID, 'order_not_cancelable', /only a limit order can/, ({ order: id }) => remove(`/orders/${id}/calldata`)],
  [NOT_FOUND, 'order_not_found', /no order 0x34/, () => remove(`/orders/${HASH}/calldata`)],
  [INVALID, 'request_invalid', /orderId must be an order id/, () => remove('/orders/0x12/calldata')],
  [
    INVALID,
    'request_invalid',
    /DELETE takes no body here/,
    ({ limitOrder }) => ({
      ...remove(`/orders/${limitOrder}/calldata`),
      // Node gives a DELETE no length of its own.
      body: '{}',
      headers: { 'content-length': '2' },
    }),
  ],
  ...(['deposits', 'withdrawals'] as const).flatMap((kind): readonly Failure[] => [
    [INVALID, 'request_invalid', /userAddress is required/, stockMove(kind, { userAddress: undefined })],
    [INVALID, 'request_invalid', /tokenAmount is required/, stockMove(kind, { tokenAmount: undefined })],
    [INVALID, 'token_unknown', /no stock token of this venue/, stockMove(kind, { tokenAddress: ADDRESS })],
    [
      INVALID,
      'token_of_other_kind',
      new RegExp(`use POST /api/v1/cash/${kind}/calldata`),
      (known) => stockMove(kind, { tokenAddress: known.contracts.USDC })(known),
    ],
    [INVALID, 'amount_invalid', /at most 18 decimals/, stockMove(kind, { tokenAmount: `0.${'0'.repeat(18)}1` })],
    [
      INVALID,
      'token_of_other_kind',
      new RegExp(`use POST /api/v1/stock/${kind}/calldata`),
      (known) => post(`/cash/${kind}/calldata`, { ...cash(known), tokenAddress: known.contracts.aAAPL }),
    ],
  ]),
]
