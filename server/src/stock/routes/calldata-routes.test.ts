import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createRpc } from '../../chain/rpc.ts'
import { inTransaction } from '../../db/pool.ts'
import { freePort } from '../../lib/free-port.ts'
import { WAD } from '../../lib/wad.ts'
import { saveMarketHours } from '../../market/hours-store.ts'
import { ScriptedNode, serveApi } from '../testing/api.ts'
import { AAPL, ROUTER, USDC } from '../testing/chain.ts'
import { KeeperWorld } from '../testing/keeper.ts'
import {
  cashDeposit,
  deadline,
  expectRefused,
  limitBuy,
  limitSell,
  marketBuy,
  marketSell,
  moved,
  recordLimitOrder,
} from '../testing/orders.ts'

let world: KeeperWorld
let node: ScriptedNode
let api: Awaited<ReturnType<typeof serveApi>>

async function open() {
  world = await KeeperWorld.open()
  node = new ScriptedNode()
  api = await serveApi({ ...world.venue, rpc: node })
}

async function close() {
  await api.close()
  await world.drop()
}

describe('each operation builds its transaction', () => {
  beforeAll(open)
  afterAll(close)

  it.each([
    ['/orders/calldata', marketBuy, 'placeMarketOrder'],
    ['/orders/calldata', marketSell, 'placeMarketOrder'],
    ['/orders/calldata', limitBuy, 'placeLimitOrder'],
    ['/orders/calldata', { ...limitSell, deferred: false }, 'placeLimitOrder'],
    ['/orders/with-deposit/calldata', { ...marketBuy, ...cashDeposit }, 'depositAndMarketBuy'],
    ['/orders/with-deposit/calldata', { ...limitBuy, ...cashDeposit }, 'depositAndLimitBuy'],
    ['/orders/with-deposit/calldata', { ...marketSell, depositAmount: '1.25' }, 'depositStockAndMarketSell'],
    [
      '/orders/with-deposit/calldata',
      { ...limitSell, depositAmount: 2, depositTokenAddress: AAPL.toUpperCase().replace('0X', '0x') },
      'depositStockAndLimitSell',
    ],
    ['/stock/deposits/calldata', moved, 'depositStock'],
    ['/stock/withdrawals/calldata', { ...moved, tokenAmount: 3 }, 'withdrawStock'],
  ])('POST %s %j: %s', async (path, body, method) => {
    const { code, data } = await api.post(path, body)
    expect(code).toBe(200)
    expect(data).toEqual({
      chainId: 31_337,
      productType: 'Bourse',
      toAddress: ROUTER,
      value: '0',
      method,
      callData: expect.stringMatching(/^0x[0-9a-f]+$/),
    })
  })

  it('DELETE /orders/{orderId}/calldata: cancelLimitOrder', async () => {
    const orderId = await recordLimitOrder({ world, api })
    const { data } = await api.remove(`/orders/${orderId.toUpperCase().replace('0X', '0x')}/calldata`)
    const callData = `0x4584eff6${orderId.slice(2)}`
    expect(data).toMatchObject({ toAddress: ROUTER, value: '0', method: 'cancelLimitOrder', callData })
  })

  it('and remembers it for an unbound key', async () => {
    const built = () => world.sql`select api_key_id from stock_built_calldata`
    const bodies: [string, object][] = [
      ['/orders/calldata', limitBuy],
      ['/orders/with-deposit/calldata', { ...limitBuy, ...cashDeposit }],
      ['/stock/deposits/calldata', moved],
      ['/stock/withdrawals/calldata', moved],
    ]
    for (const [path, body] of bodies) await api.post(path, body)
    expect(await built()).toHaveLength(0)
    for (const [path, body] of bodies) await api.post(path, body, 'unbound')
    expect(await built()).toHaveLength(4)
  })
})

describe('outside the regular session', () => {
  beforeEach(async () => {
    await open()
    await inTransaction(world.sql, (tx) => saveMarketHours(tx, 'calendar'))
    // A Saturday.
    world.nowMs = Date.UTC(2026, 7, 8, 15, 0, 0)
  })
  afterEach(close)
  const later = { deadline: deadline + 14 * 86_400 }

  it('market orders are refused with the next session, limit orders taken', async () => {
    const message = /market orders are taken in the regular session only; the next one begins at 2026-08-10T13:30:00Z/
    for (const body of [marketBuy, marketSell]) {
      expectRefused(await api.post('/orders/calldata', { ...body, ...later }), 10_000, 'market_not_regular', message)
    }
    const combined = { ...marketBuy, ...cashDeposit, ...later }
    expectRefused(await api.post('/orders/with-deposit/calldata', combined), 10_000, 'market_not_regular', message)
    for (const body of [limitBuy, limitSell]) {
      expect(await api.post('/orders/calldata', { ...body, ...later })).toMatchObject({ code: 200 })
    }
  })

  it('fractions follow the flags of the symbol', async () => {
    const fraction = { ...limitBuy, ...later, quantity: '0.5' }
    await world.sql`update market_symbols set fractional_eh_enabled = false where symbol = 'AAPL'`
    expect(await api.post('/orders/calldata', fraction)).toMatchObject({ code: 200 })
    // Monday's after-hours session is the last of its day.
    world.nowMs = Date.UTC(2026, 7, 10, 21, 0, 0)
    const refused = await api.post('/orders/calldata', fraction)
    expectRefused(refused, 10_000, 'fraction_not_tradable', /AAPL is traded in whole shares only until the day/)
    await world.sql`update market_symbols set fractionable = false where symbol = 'AAPL'`
    world.nowMs = Date.UTC(2026, 7, 10, 15, 0, 0)
    for (const body of [fraction, { ...marketBuy, ...later }, { ...marketSell, ...later }]) {
      expectRefused(await api.post('/orders/calldata', body), 10_000, 'fraction_not_tradable', /whole shares only/)
    }
    for (const body of [limitBuy, { ...marketSell, quantity: '3.0' }]) {
      expect(await api.post('/orders/calldata', { ...body, ...later })).toMatchObject({ code: 200 })
    }
  })
})

describe('a buy with deposit', () => {
  beforeEach(open)
  afterEach(close)

  const path = '/orders/with-deposit/calldata'
  const body = { ...marketBuy, ...cashDeposit }

  it('is refused when the contracts would queue its deposit', async () => {
    node.answer('canInstantDeposit', false)
    expectRefused(await api.post(path, body), 10_000, 'deposit_not_instant', /would not credit this deposit at once/)
    expect(node.asked.map(({ name, args }) => [name, args])).toEqual([
      ['canInstantDeposit', [expect.stringMatching(new RegExp(USDC, 'i')), 500_000_000n]],
      ['tokenToBalanceWadInstant', [expect.stringMatching(new RegExp(USDC, 'i')), 500_000_000n]],
      ['previewLock', [100n * WAD]],
    ])
  })

  it('is refused when it is more than the cashier can count', async () => {
    node.revert('canInstantDeposit', 'SafeCastOverflowedUintDowncast', [96, 1n << 96n])
    const huge = await api.post(path, { ...body, depositAmount: '70000000000000000' })
    expectRefused(huge, 10_000, 'deposit_not_instant', /would not credit this deposit at once/)
  })

  it('is refused when its credit does not cover what the contracts would lock, to the last digit', async () => {
    node.answer('tokenToBalanceWadInstant', 100_109_999_999_999_999_999n)
    const message =
      'depositAmount is too small: the order locks 100.11 mUSD, fees included, and the deposit credits 100.109999999999999999'
    expectRefused(await api.post(path, body), 10_000, 'deposit_too_small', message)
    node.answer('tokenToBalanceWadInstant', 100_110_000_000_000_000_000n)
    expect(await api.post(path, body)).toMatchObject({ code: 200 })
    const limit = await api.post(path, { ...limitBuy, ...cashDeposit })
    expectRefused(limit, 10_000, 'deposit_too_small', /the order locks 361.3971 mUSD/)
    expect(node.asked.at(-1)).toMatchObject({
      name: 'previewLimitLock',
      args: [2n * WAD, 180_500_000_000_000_000_000n],
    })
  })

  it('is refused while the node is away; a sell needs no node', async () => {
    node.failure = await connectionRefused()
    const message = 'the chain node does not answer, so whether the deposit covers the order cannot be said'
    expectRefused(await api.post(path, body), 10_003, 'chain_unreachable', message)
    expect(await api.post(path, { ...marketSell, depositAmount: '2' })).toMatchObject({ code: 200 })
  })
})

describe('a paused token', () => {
  beforeEach(open)
  afterEach(close)

  const pauseStock = async (depositPaused: boolean, withdrawPaused: boolean) => {
    await world.chain.emit(['StockPauseUpdated', { token: AAPL, depositPaused, withdrawPaused }])
    world.nowMs += 1000
  }

  it('of stock is neither moved nor deposited with an order', async () => {
    const sell = { ...marketSell, depositAmount: '2' }
    await pauseStock(true, false)
    const message = 'deposits of aAAPL are paused at the moment'
    expectRefused(await api.post('/stock/deposits/calldata', moved), 10_002, 'token_paused', message)
    expectRefused(await api.post('/orders/with-deposit/calldata', sell), 10_002, 'token_paused', message)
    expect(await api.post('/stock/withdrawals/calldata', moved)).toMatchObject({ code: 200 })
    await pauseStock(false, true)
    expect(await api.post('/stock/deposits/calldata', moved)).toMatchObject({ code: 200 })
    expect(await api.post('/orders/with-deposit/calldata', sell)).toMatchObject({ code: 200 })
    const withdrawals = 'withdrawals of aAAPL are paused at the moment'
    expectRefused(await api.post('/stock/withdrawals/calldata', moved), 10_002, 'token_paused', withdrawals)
  })

  it('of cash is not deposited with an order', async () => {
    const config = {
      minAmount: 1n,
      usdRate: 1_000_000,
      decimals: 6,
      withdrawBuffer: 0n,
      withdrawBufferCapacity: 0n,
      depositPaused: true,
      withdrawPaused: false,
    }
    await world.chain.emit(['TokenConfigUpdated', { token: USDC, config }])
    const answer = await api.post('/orders/with-deposit/calldata', { ...marketBuy, ...cashDeposit })
    expectRefused(answer, 10_002, 'token_paused', 'deposits of USDC are paused at the moment')
  })
})

/** The failure of a call to a port on which nobody listens. */
async function connectionRefused() {
  const [outcome] = await createRpc({ url: `http://127.0.0.1:${await freePort()}` }).outcomes([
    { method: 'eth_blockNumber', params: [] },
  ])
  if (!outcome || outcome.ok) throw new Error('somebody answered')
  return outcome.error
}
