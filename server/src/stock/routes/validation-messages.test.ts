import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WAD } from '../../lib/wad.ts'
import { ScriptedNode, serveApi } from '../testing/api.ts'
import {
  AAPL,
  BOB,
  cancelRequested,
  cancelSettled,
  depositAndBuy,
  MSFT,
  placed,
  placedLimit,
  randomHash,
  USDC,
} from '../testing/chain.ts'
import { KeeperWorld, START_MS } from '../testing/keeper.ts'
import {
  cashDeposit,
  expectRefused,
  limitBuy,
  limitSell,
  marketBuy,
  marketSell,
  moved,
  recordLimitOrder,
  recordOrder,
} from '../testing/orders.ts'

let world: KeeperWorld
const node = new ScriptedNode()
let api: Awaited<ReturnType<typeof serveApi>>
beforeAll(async () => {
  world = await KeeperWorld.open()
  api = await serveApi({ ...world.venue, rpc: node })
}, 60_000)
afterAll(async () => {
  await api?.close()
  await world?.drop()
})

const without = (body: object, field: string) =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== field))

// Each validation failure of the seed (7A) that a build can meet, with the words it is answered with.
describe('each validation failure has its own message', () => {
  it.each<[string, string, object, string, string]>([
    [
      'missing notional for market buy',
      '/orders/calldata',
      without(marketBuy, 'notional'),
      'notional_missing',
      'notional is required for a market buy: the USD to spend',
    ],
    [
      'missing quantity for market sell',
      '/orders/calldata',
      without(marketSell, 'quantity'),
      'quantity_missing',
      'quantity is required for a market sell: the stock tokens to sell',
    ],
    [
      'missing quantity for a limit order',
      '/orders/calldata',
      without(limitSell, 'quantity'),
      'quantity_missing',
      'quantity is required for a limit order: the stock tokens to sell',
    ],
    [
      'missing price for a limit order',
      '/orders/calldata',
      without(limitBuy, 'price'),
      'price_missing',
      'price is required for a limit order: USD per token',
    ],
    [
      'missing timeInForce for a limit order',
      '/orders/calldata',
      without(limitBuy, 'timeInForce'),
      'time_in_force_missing',
      'timeInForce is required for a limit order, and DAY is the only one taken',
    ],
    [
      'timeInForce other than DAY for a limit order',
      '/orders/calldata',
      { ...limitBuy, timeInForce: 'GTC' },
      'time_in_force_unsupported',
      'timeInForce must be DAY, the only one that the contracts take, got "GTC"',
    ],
    [
      'the same with a deposit',
      '/orders/with-deposit/calldata',
      { ...limitBuy, ...cashDeposit, timeInForce: 'IOC' },
      'time_in_force_unsupported',
      'timeInForce must be DAY, the only one that the contracts take, got "IOC"',
    ],
    [
      'expired deadline',
      '/orders/calldata',
      { ...limitBuy, deadline: START_MS / 1000 },
      'deadline_expired',
      `deadline must be in the future, after ${START_MS / 1000} (Unix seconds), got ${START_MS / 1000}`,
    ],
    [
      'a deadline beyond 32 bits',
      '/orders/calldata',
      { ...marketBuy, deadline: 2 ** 32 },
      'deadline_expired',
      'deadline must be at most 4294967295 (Unix seconds), got 4294967296',
    ],
    [
      'a field of the other kind: price',
      '/orders/calldata',
      { ...marketBuy, price: '1' },
      'field_not_applicable',
      'a market order has no price',
    ],
    [
      'a field of the other kind: notional',
      '/orders/calldata',
      { ...limitBuy, notional: '1' },
      'field_not_applicable',
      'a limit order is placed by quantity and price, not by notional',
    ],
    [
      'a buy with deposit that names no token',
      '/orders/with-deposit/calldata',
      { ...marketBuy, depositAmount: '500' },
      'deposit_token_missing',
      'depositTokenAddress is required for a buy with deposit: the cash token to deposit',
    ],
    [
      'a sell with deposit that names another token',
      '/orders/with-deposit/calldata',
      { ...marketSell, ...cashDeposit },
      'field_not_applicable',
      `a sell deposits the stock it sells: depositTokenAddress must be left out or be ${AAPL}`,
    ],
    [
      'a deposit below the token’s minimum',
      '/orders/with-deposit/calldata',
      { ...marketBuy, ...cashDeposit, depositAmount: '0.999999' },
      'deposit_too_small',
      'depositAmount is too small: the smallest deposit of USDC is 1',
    ],
    [
      'a deposit that does not cover a sell',
      '/orders/with-deposit/calldata',
      { ...marketSell, depositAmount: '1.249999999999999999' },
      'deposit_too_small',
      'depositAmount is too small: it must cover the 1.25 that are sold',
    ],
    [
      'a stock token as cash',
      '/cash/deposits/calldata',
      moved,
      'token_of_other_kind',
      `tokenAddress ${AAPL} is a stock token: use POST /api/v1/stock/deposits/calldata`,
    ],
    [
      'a stock token as cash to withdraw',
      '/cash/withdrawals/calldata',
      moved,
      'token_of_other_kind',
      `tokenAddress ${AAPL} is a stock token: use POST /api/v1/stock/withdrawals/calldata`,
    ],
    [
      'a cash token as stock',
      '/stock/deposits/calldata',
      { ...moved, tokenAddress: USDC },
      'token_of_other_kind',
      `tokenAddress ${USDC} is a cash token: use POST /api/v1/cash/deposits/calldata`,
    ],
    [
      'a cash token as stock to withdraw',
      '/stock/withdrawals/calldata',
      { ...moved, tokenAddress: USDC },
      'token_of_other_kind',
      `tokenAddress ${USDC} is a cash token: use POST /api/v1/cash/withdrawals/calldata`,
    ],
    [
      'an order for a cash token',
      '/orders/calldata',
      { ...marketBuy, stockAddress: USDC },
      'token_of_other_kind',
      `stockAddress ${USDC} is a cash token: orders are for the stock tokens of GET /api/v1/symbols`,
    ],
    [
      'a deposit of a stock token for a buy',
      '/orders/with-deposit/calldata',
      { ...marketBuy, ...cashDeposit, depositTokenAddress: MSFT },
      'token_of_other_kind',
      `depositTokenAddress ${MSFT} is a stock token: a buy deposits a cash token of GET /api/v1/config`,
    ],
    [
      'a token that nobody knows',
      '/stock/deposits/calldata',
      { ...moved, tokenAddress: BOB },
      'token_unknown',
      `tokenAddress ${BOB} is no stock token of this venue`,
    ],
    [
      'too many decimals',
      '/stock/withdrawals/calldata',
      { ...moved, tokenAmount: `0.${'0'.repeat(18)}1` },
      'amount_invalid',
      `tokenAmount must have at most 18 decimals, got 19: 0.${'0'.repeat(18)}1`,
    ],
    [
      'no deposit amount',
      '/orders/with-deposit/calldata',
      { ...marketBuy, depositTokenAddress: USDC },
      'request_invalid',
      'depositAmount is required',
    ],
  ])('%s', async (_name, path, body, reason, message) => {
    expectRefused(await api.post(path, body), 10_000, reason, message)
    expect(node.asked).toHaveLength(0)
  })

  it('cancelling a market order', async () => {
    const orderId = randomHash()
    await recordOrder({ world, api }, placed({ orderId, amount: WAD }))
    const message = 'a market order cannot be cancelled, only a limit order can'
    expectRefused(await api.remove(`/orders/${orderId}/calldata`), 10_000, 'order_not_cancelable', message)
    const deposited = randomHash()
    await recordOrder({ world, api }, ...depositAndBuy(randomHash(), deposited))
    expectRefused(await api.remove(`/orders/${deposited}/calldata`), 10_000, 'order_not_cancelable', message)
  })

  it('cancelling an order owned by a different API key, or by none', async () => {
    const orderId = await recordLimitOrder({ world, api })
    const unrecorded = randomHash()
    await world.chain.emit(placedLimit({ orderId: unrecorded, quantity: WAD, price: WAD }))
    for (const [id, key] of [
      [orderId, 'other'],
      [orderId, 'unbound'],
      [unrecorded, 'bound'],
    ]) {
      const message = `order ${id} does not belong to this API key: an order is cancelled by the key that recorded it (POST /api/v1/orders/tx)`
      expectRefused(await api.remove(`/orders/${id}/calldata`, undefined, key), 10_002, 'order_not_owned', message)
    }
  })

  it('cancelling an order that is not there, not open, or already canceling', async () => {
    const unknown = randomHash()
    const path = (id: string) => `/orders/${id}/calldata`
    expectRefused(await api.remove(path(unknown)), 10_001, 'order_not_found', `no order ${unknown} is indexed`)
    const orderId = await recordLimitOrder({ world, api })
    await world.chain.emit(cancelRequested(orderId))
    const waiting = `the cancel of order ${orderId} was requested before and waits for the broker`
    expectRefused(await api.remove(path(orderId)), 10_002, 'cancel_already_requested', waiting)
    await world.chain.emit(...cancelSettled(orderId, 'canceled'))
    const over = `order ${orderId} is no longer open, so there is nothing to cancel`
    expectRefused(await api.remove(path(orderId)), 10_002, 'order_not_open', over)
  })

  it('a body on DELETE, and an order id that is none', async () => {
    const orderId = await recordLimitOrder({ world, api })
    const answer = await api.remove(`/orders/${orderId}/calldata`, {})
    expectRefused(answer, 10_000, 'request_invalid', 'DELETE takes no body here')
    expectRefused(await api.remove('/orders/0x12/calldata'), 10_000, 'request_invalid', /orderId must be an order id/)
    const query = await api.remove(`/orders/${orderId}/calldata?gasLimit=1`)
    expectRefused(query, 10_000, 'request_invalid', /unknown parameter gasLimit/)
  })
})
