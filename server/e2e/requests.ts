import type { RawRequest } from './raw-client.ts'

// Requests to the stock API, and how each way to get one wrong is answered.

export const ADDRESS = `0x${'12'.repeat(20)}`
export const HASH = `0x${'34'.repeat(32)}`
const FUTURE = 4_000_000_000

/** What is known of the venue that is asked: its contracts, and one operation of each kind. */
export interface Known {
  readonly contracts: Readonly<Record<string, string>>
  /** The wallet that the asking key is bound to. */
  readonly user: string
  readonly order: string
  /** An open limit order of that key. */
  readonly limitOrder: string
  /** Another one, which is cancelled. */
  readonly orderToCancel: string
  /** What enables One Click for that key's wallet. */
  readonly enabling: { readonly signature: string; readonly deadline: number }
  /** A One Click send of that key. */
  readonly send: string
  readonly orderTx: string
  readonly deposit: string
  readonly depositTx: string
  readonly withdrawal: string
  readonly withdrawalTx: string
  readonly stockDeposit: string
  readonly stockDepositTx: string
  readonly stockWithdrawal: string
  readonly stockWithdrawalTx: string
}

export const get = (path: string): RawRequest => ({ method: 'GET', path: `/api/v1${path}` })
export const post = (path: string, body: unknown): RawRequest => ({
  method: 'POST',
  path: `/api/v1${path}`,
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
export const remove = (path: string): RawRequest => ({ method: 'DELETE', path: `/api/v1${path}` })

export const cash = ({ contracts }: Known) => ({
  userAddress: ADDRESS,
  tokenAddress: contracts.USDC,
  tokenAmount: '10.5',
})
export const buy = ({ contracts }: Known) => ({
  stockAddress: contracts.aAAPL,
  side: 'Buy',
  type: 'Market',
  notional: '10',
  deadline: FUTURE,
})
export const sell = (known: Known) => ({ ...without(buy(known), 'notional'), side: 'Sell', quantity: '1.25' })
export const limitBuy = (known: Known) => ({
  ...without(buy(known), 'notional'),
  type: 'Limit',
  quantity: '2',
  price: '10.50',
  timeInForce: 'DAY',
})
export const cashDeposit = ({ contracts }: Known) => ({ depositTokenAddress: contracts.USDC, depositAmount: '100' })
export const moved = ({ contracts }: Known) => ({
  userAddress: ADDRESS,
  tokenAddress: contracts.aAAPL,
  tokenAmount: '1.5',
})

function without(body: object, field: string): object {
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== field))
}

const inCapitals = (hex: string): string => hex.toUpperCase().replace('0X', '0x')

/** Requests that succeed, at least one for every operation. */
export const successfulRequests = (known: Known): readonly RawRequest[] => [
  get('/config'),
  get('/symbols'),
  get('/prices/AAPL'),
  get('/prices/aspx'),
  get(`/prices/${known.contracts.aSPX}`),
  get(`/prices/AAPL/history?endTime=${FUTURE}&interval=1m`),
  get(`/prices/SPX/history?startTime=0&endTime=${FUTURE}&interval=1w&adjustment=raw&limit=5000`),
  get('/underlying/AAPL/price'),
  get('/corporate-action'),
  get('/clock'),
  get('/calendar?start=2026-01-01&end=2026-12-31'),
  get('/corporate-action?symbol=AAPL&startTime=0'),
  get(`/users/${inCapitals(ADDRESS)}`),
  get(`/users/%20${ADDRESS}%20`),
  get(`/users/${ADDRESS}/balance`),
  get(`/users/${ADDRESS}/balance?spenderAddress=${known.contracts.StockRouter}`),
  get(`/users/${ADDRESS}/positions`),
  get(`/users/${inCapitals(known.user)}/positions`),
  get(`/users/${known.user}/activities?type=fill&limit=5`),
  get('/orders?status=Filled&symbol=AAPL&side=Buy&startTime=0&endTime=4000000000'),
  get('/orders'),
  get('/orders?page=0&limit=1000'),
  post('/orders/calldata', buy(known)),
  post('/orders/calldata', { ...sell(known), deferred: false }),
  post('/orders/calldata', limitBuy(known)),
  post('/orders/calldata', { ...limitBuy(known), side: 'Sell', quantity: 2, price: 300.25 }),
  post('/orders/with-deposit/calldata', { ...buy(known), ...cashDeposit(known) }),
  post('/orders/with-deposit/calldata', { ...limitBuy(known), ...cashDeposit(known) }),
  post('/orders/with-deposit/calldata', { ...sell(known), depositAmount: '1.25' }),
  post('/orders/with-deposit/calldata', { ...limitBuy(known), side: 'Sell', depositAmount: 2 }),
  post('/orders/preview', { ...buy(known), userAddress: known.user }),
  post('/orders/preview', { ...limitBuy(known), ...cashDeposit(known), userAddress: inCapitals(known.user) }),
  post('/orders/preview', { ...sell(known), userAddress: known.user }),
  post('/orders/tx', { txHash: known.orderTx }),
  post('/orders/tx', { txHash: HASH }),
  get(`/orders/tx/${HASH}`),
  get(`/orders/tx/${inCapitals(known.orderTx)}`),
  get(`/orders/${inCapitals(known.order)}`),
  remove(`/orders/${inCapitals(known.limitOrder)}/calldata`),
  remove('/orders/calldata?symbol=AAPL'),
  post('/cash/deposits/calldata', cash(known)),
  post('/cash/deposits/tx', { txHash: HASH }),
  get('/cash/deposits?page=2'),
  get(`/cash/deposits/${inCapitals(known.deposit)}`),
  post('/cash/withdrawals/calldata', { ...cash(known), tokenAmount: 7 }),
  post('/cash/withdrawals/tx', { txHash: HASH }),
  get('/cash/withdrawals'),
  get(`/cash/withdrawals/${known.withdrawal}`),
  post('/stock/deposits/calldata', moved(known)),
  post('/stock/deposits/tx', { txHash: HASH }),
  post('/stock/deposits/tx', { txHash: known.stockDepositTx }),
  get('/stock/deposits'),
  get(`/stock/deposits/${inCapitals(known.stockDeposit)}`),
  post('/stock/withdrawals/calldata', { ...moved(known), tokenAmount: 3 }),
  post('/stock/withdrawals/tx', { txHash: HASH }),
  get('/stock/withdrawals?page=1&limit=100'),
  get(`/stock/withdrawals/${known.stockWithdrawal}`),
]

/** A key under which one of the requests above is sent. */
export const IDEMPOTENCY_KEY = 'conformance'

/** One Click from its beginning to its end: requests that succeed in this order, while the wallet has it enabled before. */
export const oneClickRequests = (known: Known): readonly RawRequest[] => [
  get('/1ct/status'),
  post('/1ct/prepare', { deadline: FUTURE }),
  post('/1ct/enable', known.enabling),
  {
    ...post('/cash/deposits/send', { ...without(cash(known), 'userAddress'), gasLimit: 900_000 }),
    headers: { 'idempotency-key': IDEMPOTENCY_KEY },
  },
  post('/cash/withdrawals/send', { ...cash(known), userAddress: inCapitals(known.user), tokenAmount: 7 }),
  post('/orders/send', { ...limitBuy(known), clientOrderId: 'a-first', userAddress: known.user, deferred: true }),
  get('/orders?clientOrderId=a-first'),
  post('/orders/with-deposit/send', { ...limitBuy(known), ...cashDeposit(known) }),
  remove(`/orders/${inCapitals(known.orderToCancel)}/send?gasLimit=400000`),
  post('/stock/deposits/send', { ...without(moved(known), 'userAddress'), tokenAmount: '0.001' }),
  post('/stock/withdrawals/send', { ...without(moved(known), 'userAddress'), tokenAmount: '0.002' }),
  remove('/orders/send?symbol=MSFT'),
  get(`/sends/${known.send}`),
  get(`/sends/byIdempotencyKey?idempotencyKey=${IDEMPOTENCY_KEY}`),
  post('/1ct/disable', {}),
]

/** The answer's code and reason, what its message says, and the request. */
export type Failure = readonly [code: number, reason: string, message: RegExp, request: (known: Known) => RawRequest]

export const INVALID = 10_000
export const NOT_FOUND = 10_001
export const CONFLICT = 10_002

const order =
  (change: object, base: (known: Known) => object = buy): Failure[3] =>
  (known) =>
    post('/orders/calldata', { ...base(known), ...change })

const EXPONENT = `{"notional":1e2,"stockAddress":"${ADDRESS}","side":"Buy","type":"Market","deadline":${FUTURE}}`

const orderFailures: readonly Failure[] = [
  [INVALID, 'notional_missing', /notional is required/, order({ notional: undefined })],
  [INVALID, 'quantity_missing', /quantity is required/, order({ quantity: undefined }, sell)],
  [INVALID, 'request_invalid', /deadline is required/, order({ deadline: undefined })],
  [INVALID, 'deadline_expired', /must be in the future/, order({ deadline: 1 })],
  [INVALID, 'deadline_expired', /at most 4294967295/, order({ deadline: 2 ** 32 })],
  [INVALID, 'request_invalid', /deadline must be a Unix time/, order({ deadline: '4000000000' })],
  [INVALID, 'request_invalid', /deadline must be a Unix time/, order({ deadline: 1.5 })],
  [INVALID, 'request_invalid', /side must be one of Buy, Sell/, order({ side: 'buy' })],
  [INVALID, 'request_invalid', /type must be one of Market, Limit/, order({ type: 'Stop' })],
  [INVALID, 'price_missing', /price is required for a limit order/, order({ price: undefined }, limitBuy)],
  [INVALID, 'quantity_missing', /quantity is required for a limit/, order({ quantity: undefined }, limitBuy)],
  [INVALID, 'time_in_force_missing', /DAY is the only one taken/, order({ timeInForce: undefined }, limitBuy)],
  [INVALID, 'time_in_force_unsupported', /must be DAY.*got "GTC"/, order({ timeInForce: 'GTC' }, limitBuy)],
  [INVALID, 'field_not_applicable', /by quantity and price/, order({ notional: '1' }, limitBuy)],
  [INVALID, 'amount_invalid', /price must be greater than zero/, order({ price: '0' }, limitBuy)],
  [INVALID, 'order_too_large', /more USD than/, order({ quantity: '1000000', price: '79229' }, limitBuy)],
  [INVALID, 'token_of_other_kind', /is a cash token/, (known) => order({ stockAddress: known.contracts.USDC })(known)],
  [INVALID, 'field_not_applicable', /has no price/, order({ price: '1' })],
  [INVALID, 'field_not_applicable', /has no timeInForce/, order({ timeInForce: 'DAY' })],
  [INVALID, 'field_not_applicable', /not by quantity/, order({ quantity: '1' })],
  [INVALID, 'field_not_applicable', /not by notional/, order({ notional: '1' }, sell)],
  [INVALID, 'amount_invalid', /negative/, order({ notional: '-1' })],
  [INVALID, 'amount_invalid', /exponent/, () => post('/orders/calldata', EXPONENT)],
  [INVALID, 'request_invalid', /notional must be a decimal number/, order({ notional: true })],
  [INVALID, 'token_unknown', /no stock token of this venue/, order({ stockAddress: ADDRESS })],
  [INVALID, 'request_invalid', /stockAddress must be an address/, order({ stockAddress: '0x12' })],
  [INVALID, 'request_invalid', /txHash must be a transaction hash/, () => post('/orders/tx', { txHash: '0x12' })],
  [CONFLICT, 'transaction_of_other_kind', /is no trade/, ({ depositTx }) => post('/orders/tx', { txHash: depositTx })],
  [NOT_FOUND, 'order_not_found', /no order 0x34/, () => get(`/orders/${HASH}`)],
  [NOT_FOUND, 'order_not_found', /no order/, ({ deposit }) => get(`/orders/${deposit}`)],
  [INVALID, 'request_invalid', /orderId must be an order id/, () => get('/orders/0x12')],
  [NOT_FOUND, 'transaction_not_recorded', /recorded no order/, ({ depositTx }) => get(`/orders/tx/${depositTx}`)],
  [INVALID, 'request_invalid', /txHash must be a transaction hash/, () => get('/orders/tx/xyz')],
  [INVALID, 'request_invalid', /page must be an integer, got "x"/, () => get('/orders?page=x')],
  [INVALID, 'request_invalid', /"limit" is given twice/, () => get('/orders?limit=1&limit=2')],
]

function cashFailures(kind: 'deposits' | 'withdrawals'): readonly Failure[] {
  const path = `/cash/${kind}`
  const decimals = kind === 'deposits' ? 6 : 18
  const otherId = (known: Known) => (kind === 'deposits' ? known.withdrawal : known.deposit)
  const otherTx = (known: Known) => (kind === 'deposits' ? known.withdrawalTx : known.depositTx)
  const operation =
    (change: object): Failure[3] =>
    (known) =>
      post(`${path}/calldata`, { ...cash(known), ...change })
  return [
    [INVALID, 'request_invalid', /userAddress is required/, operation({ userAddress: undefined })],
    [INVALID, 'request_invalid', /tokenAddress is required/, operation({ tokenAddress: undefined })],
    [INVALID, 'request_invalid', /tokenAmount is required/, operation({ tokenAmount: undefined })],
    [INVALID, 'request_invalid', /userAddress must be an address/, operation({ userAddress: 'me' })],
    [INVALID, 'token_unknown', /no cash token of this venue/, operation({ tokenAddress: ADDRESS })],
    [
      INVALID,
      'amount_invalid',
      new RegExp(`at most ${decimals} decimals`),
      operation({ tokenAmount: `0.${'0'.repeat(decimals)}1` }),
    ],
    [INVALID, 'amount_invalid', /greater than zero/, operation({ tokenAmount: 0 })],
    [INVALID, 'amount_invalid', /must be at most/, operation({ tokenAmount: '9'.repeat(60) })],
    [
      CONFLICT,
      'transaction_of_other_kind',
      /use the tx endpoint/,
      (known) => post(`${path}/tx`, { txHash: otherTx(known) }),
    ],
    [INVALID, 'request_invalid', /txHash must be a transaction hash/, () => post(`${path}/tx`, { txHash: 1 })],
    [NOT_FOUND, 'operation_not_found', /is indexed/, () => get(`${path}/${HASH}`)],
    [NOT_FOUND, 'operation_not_found', /is indexed/, (known) => get(`${path}/${otherId(known)}`)],
    [INVALID, 'request_invalid', /operationId must be an operation id/, () => get(`${path}/1`)],
    [INVALID, 'request_invalid', /page must be an integer/, () => get(`${path}?page=1.5`)],
  ]
}

/** Of the records of stock moves; what building one refuses is above. */
function stockFailures(kind: 'deposits' | 'withdrawals'): readonly Failure[] {
  const path = `/stock/${kind}`
  const otherId = (known: Known) => (kind === 'deposits' ? known.stockWithdrawal : known.stockDeposit)
  const otherTx = (known: Known) => (kind === 'deposits' ? known.stockWithdrawalTx : known.stockDepositTx)
  return [
    [CONFLICT, 'transaction_of_other_kind', /is no stock/, (known) => post(`${path}/tx`, { txHash: otherTx(known) })],
    [
      CONFLICT,
      'transaction_of_other_kind',
      /is no stock/,
      ({ depositTx }) => post(`${path}/tx`, { txHash: depositTx }),
    ],
    [INVALID, 'request_invalid', /txHash must be a transaction hash/, () => post(`${path}/tx`, { txHash: '1' })],
    [NOT_FOUND, 'operation_not_found', /no stock .* is indexed/, () => get(`${path}/${HASH}`)],
    [NOT_FOUND, 'operation_not_found', /no stock .* is indexed/, (known) => get(`${path}/${otherId(known)}`)],
    [INVALID, 'request_invalid', /operationId must be an operation id/, () => get(`${path}/0x1`)],
    [INVALID, 'request_invalid', /limit must be an integer/, () => get(`${path}?limit=a`)],
  ]
}

const ENABLING = { signature: `0x${'11'.repeat(65)}`, deadline: FUTURE }

/** One Click once it has been disabled again. */
const oneClickFailures: readonly Failure[] = [
  [INVALID, 'request_invalid', /deadline must be a Unix time/, () => post('/1ct/prepare', { deadline: '1' })],
  [INVALID, 'delegation_deadline_expired', /must be in the future/, () => post('/1ct/prepare', { deadline: 1 })],
  [INVALID, 'delegation_deadline_expired', /in the future/, () => post('/1ct/enable', { ...ENABLING, deadline: 1 })],
  [INVALID, 'delegation_signature_invalid', /signature is not valid/, () => post('/1ct/enable', ENABLING)],
  [INVALID, 'request_invalid', /signature must be/, () => post('/1ct/enable', { ...ENABLING, signature: '0x1' })],
  [INVALID, 'request_invalid', /takes no body/, () => post('/1ct/disable', { deadline: 1 })],
  [CONFLICT, 'delegation_not_enabled', /not enabled/, (known) => post('/orders/send', limitBuy(known))],
  [INVALID, 'price_missing', /price is req/, (known) => post('/orders/send', without(limitBuy(known), 'price'))],
  [INVALID, 'request_invalid', /at least 21000/, (known) => post('/orders/send', { ...buy(known), gasLimit: 1 })],
  [
    INVALID,
    'request_invalid',
    /1 to 128 visible/,
    (known) => post('/orders/send', { ...buy(known), clientOrderId: '' }),
  ],
  [
    CONFLICT,
    'client_order_id_taken',
    /a-first already/,
    (known) => post('/orders/send', { ...limitBuy(known), clientOrderId: 'a-first' }),
  ],
  [
    CONFLICT,
    'user_not_bound',
    /the wallet this API key is bound to/,
    (known) => post('/orders/send', { ...limitBuy(known), userAddress: ADDRESS }),
  ],
  [
    CONFLICT,
    'delegation_not_enabled',
    /not enabled/,
    (known) => post('/orders/with-deposit/send', { ...limitBuy(known), ...cashDeposit(known) }),
  ],
  [CONFLICT, 'delegation_not_enabled', /not enabled/, ({ limitOrder }) => remove(`/orders/${limitOrder}/send`)],
  [
    INVALID,
    'request_invalid',
    /gasLimit must be an/,
    ({ limitOrder }) => remove(`/orders/${limitOrder}/send?gasLimit=x`),
  ],
  [INVALID, 'order_not_cancelable', /only a limit order can/, ({ order: id }) => remove(`/orders/${id}/send`)],
  ...(['cash', 'stock'] as const).flatMap((what) =>
    (['deposits', 'withdrawals'] as const).flatMap((kind): readonly Failure[] => {
      const move = (known: Known) => without(what === 'cash' ? cash(known) : moved(known), 'userAddress')
      const path = `/${what}/${kind}/send`
      return [
        [CONFLICT, 'delegation_not_enabled', /not enabled/, (known) => post(path, move(known))],
        [INVALID, 'token_unknown', /of this venue/, (known) => post(path, { ...move(known), tokenAddress: ADDRESS })],
        [INVALID, 'amount_invalid', /negative/, (known) => post(path, { ...move(known), tokenAmount: '-1' })],
        kind === 'deposits'
          ? [INVALID, 'request_invalid', /unknown field userAddress/, (known) => post(path, cash(known))]
          : [CONFLICT, 'user_not_bound', /bound to/, (known) => post(path, { ...move(known), userAddress: ADDRESS })],
      ]
    }),
  ),
]

export const failures: readonly Failure[] = [
  ...oneClickFailures,
  ...orderFailures,
  ...cashFailures('deposits'),
  ...cashFailures('withdrawals'),
  ...stockFailures('deposits'),
  ...stockFailures('withdrawals'),
  [NOT_FOUND, 'symbol_unknown', /there is no symbol NOPE/, () => get('/prices/NOPE')],
  [NOT_FOUND, 'send_not_found', /has sent nothing under/, () => get('/sends/byIdempotencyKey?idempotencyKey=none')],
  [INVALID, 'request_invalid', /symbol must be at most 64 characters/, () => get(`/prices/${'A'.repeat(65)}`)],
  [INVALID, 'request_invalid', /userId must be a wallet address/, () => get('/users/0x12')],
  [INVALID, 'request_invalid', /userId must be a wallet address/, () => get('/users/0x12/balance')],
  [INVALID, 'request_invalid', /userId must be a wallet address/, () => get('/users/me/positions')],
  [
    INVALID,
    'request_invalid',
    /spenderAddress must be an address/,
    () => get(`/users/${ADDRESS}/balance?spenderAddress=1`),
  ],
  [NOT_FOUND, 'path_unknown', /no operation has this method and path/, () => get('/nothing')],
  [NOT_FOUND, 'path_unknown', /no operation has this method/, () => ({ ...get('/orders'), method: 'DELETE' })],
]
