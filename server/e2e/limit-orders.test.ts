import { keccak256, toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { cashierAbi } from '../src/chain/abi/cashier.ts'
import { stockAbi } from '../src/chain/abi/stock.ts'
import { stockOracleAbi } from '../src/chain/abi/stock-oracle.ts'
import { stockTokenAbi } from '../src/chain/abi/stock-token.ts'
import { WAD } from '../src/lib/wad.ts'
import { latestQuote } from '../src/market/store.ts'
import { sumHedges } from '../src/stock/keeper/hedges.ts'
import { priceIdOf } from '../src/stock/listing/price-id.ts'
import { REJECTION_CODE } from '../src/stock/orders/rejection-reason.ts'
import { AnvilWorld, USDC } from './anvil-world.ts'
import { eventually } from './client.ts'

// What becomes of limit orders, by the real contracts, indexer, keeper and relayer, with the market's clock in hand.

/** More than the simulated broker fills in six minutes. */
const MANY = 400n * WAD

vi.setConfig({ testTimeout: 1_800_000, hookTimeout: 1_800_000 })

let world: AnvilWorld
beforeAll(async () => {
  world = await AnvilWorld.start()
  await world.startKeeper()
  for (const index of [0, 1]) await world.fund(world.user(index), 300_000n)
  await eventually(
    () => latestQuote(world.sql, 'MSFT'),
    (quote) => quote !== null,
  )
})
afterAll(() => world?.stop())

/** The price of a share now, in the 18 decimals of the contracts. */
const priceWad = async (ticker: string, percent = 100n) => {
  const quote = await latestQuote(world.sql, ticker)
  return ((quote?.price8 ?? 0n) * 10n ** 10n * percent) / 100n
}

describe('a limit buy', () => {
  it('whose price is met fills part by part, pays the better price, and gives the rest of its lock back', async () => {
    const user = world.user(0)
    const before = await world.mUsd(user)
    const held = await world.shares(user, 'AAPL')
    const orderId = await world.placeLimit(user, 'AAPL', 3n * WAD, await priceWad('AAPL', 110n))
    const partly = await world.until(orderId, ({ filled_quantity_wad }) => filled_quantity_wad > 0n)
    expect(partly.filled_quantity_wad).toBeLessThanOrEqual(3n * WAD)
    const order = await world.ended(orderId)
    expect(order).toMatchObject({ status: 'filled', filled_quantity_wad: 3n * WAD })
    expect(order.filled_notional_wad).toBeLessThan(3n * (await priceWad('AAPL', 105n)))
    expect(before - (await world.mUsd(user))).toBe(order.filled_notional_wad + order.fees_wad)
    expect((await world.shares(user, 'AAPL')) - held).toBe(3n * WAD)
    const [fills] = await world.sql<{ count: number }[]>`
      select count(*)::int as count from stock_fills where order_id = ${orderId}`
    expect(fills?.count).toBeGreaterThan(2)
    await world.untilSupplyMatches()
  })

  it('rests until the market comes to its price', async () => {
    const user = world.user(1)
    const orderId = await world.placeLimit(user, 'MSFT', WAD / 2n, await priceWad('MSFT', 90n))
    await eventually(
      async () => (await world.sql`select status from broker_orders where client_order_id = ${orderId}`)[0]?.status,
      (status) => status === 'accepted',
    )
    expect((await world.order(orderId)).status).toBe('open')
    await world.cancel(user, orderId)
    expect(await world.ended(orderId)).toMatchObject({ status: 'canceled', filled_quantity_wad: 0n, reason_code: 0 })
  })
})

describe('a cancel', () => {
  it('after a part ends the order with what was filled, to the wei', async () => {
    const user = world.user(1)
    const before = await world.mUsd(user)
    const held = await world.shares(user, 'MSFT')
    const orderId = await world.placeLimit(user, 'MSFT', MANY, await priceWad('MSFT', 110n))
    await world.until(orderId, ({ filled_quantity_wad }) => filled_quantity_wad > 0n)
    await world.cancel(user, orderId)
    const order = await world.ended(orderId)
    expect(order.status).toBe('canceled')
    expect(order.filled_quantity_wad).toBeLessThan(MANY)
    expect(before - (await world.mUsd(user))).toBe(order.filled_notional_wad + order.fees_wad)
    expect((await world.shares(user, 'MSFT')) - held).toBe(order.filled_quantity_wad)
    await world.untilSupplyMatches()
  })

  it('in the same moment as the fill leaves the order filled or cancelled, never both, and money adds up', async () => {
    const user = world.user(0)
    const before = await world.mUsd(user)
    const limit = await priceWad('AAPL', 110n)
    const orderIds: `0x${string}`[] = []
    for (const _ of [1, 2, 3]) orderIds.push(await world.placeLimit(user, 'AAPL', WAD / 5n, limit))
    for (const orderId of orderIds) await world.cancel(user, orderId).catch(() => {})
    let spentWad = 0n
    for (const orderId of orderIds) {
      const order = await world.ended(orderId)
      expect(['filled', 'canceled']).toContain(order.status)
      expect(order.filled_quantity_wad === WAD / 5n).toBe(order.status === 'filled')
      spentWad += order.filled_notional_wad + order.fees_wad
    }
    expect(before - (await world.mUsd(user))).toBe(spentWad)
  })
})

describe('an end that the broker brings', () => {
  it('as a reject gives the whole lock back, with the reason', async () => {
    const user = world.user(0)
    const before = await world.mUsd(user)
    const held = await world.shares(user, 'AAPL')
    expect(held).toBeGreaterThan(2n * WAD)
    // Two shares at a price that the broker takes as more than a million.
    const orderId = await world.placeLimit(user, 'AAPL', -2n * WAD, 600_000n * WAD)
    expect(await world.ended(orderId)).toMatchObject({
      status: 'rejected',
      filled_quantity_wad: 0n,
      reason_code: REJECTION_CODE.rejected,
    })
    expect([await world.mUsd(user), await world.shares(user, 'AAPL')]).toEqual([before, held])
  })

  it('as the end of the day: what was filled stands, the rest comes back as expired', async () => {
    const user = world.user(1)
    const before = await world.mUsd(user)
    const resting = await world.placeLimit(user, 'MSFT', WAD, await priceWad('MSFT', 50n))
    await eventually(
      async () => (await world.sql`select status from broker_orders where client_order_id = ${resting}`)[0]?.status,
      (status) => status === 'accepted',
    )
    // Five minutes are not enough to fill it.
    await world.endDay(300_000)
    const part = await world.placeLimit(user, 'MSFT', MANY, await priceWad('MSFT', 110n))
    await world.until(part, ({ filled_quantity_wad }) => filled_quantity_wad > 0n)
    await world.endDay()
    const ended = await world.ended(part)
    expect(ended).toMatchObject({ status: 'expired', reason_code: REJECTION_CODE.expired })
    expect(ended.filled_quantity_wad).toBeLessThan(MANY)
    expect(await world.ended(resting)).toMatchObject({
      status: 'expired',
      filled_quantity_wad: 0n,
      reason_code: REJECTION_CODE.expired,
    })
    expect(before - (await world.mUsd(user))).toBe(ended.filled_notional_wad + ended.fees_wad)
    await world.untilSupplyMatches()
  })
})

describe('the Cashier’s buffers', () => {
  it('are topped up by the cash that is there, so that a withdrawal is instant again after a queued one', async () => {
    const user = world.user(0)
    const cashier = world.contract('Cashier')
    const buffer = async () =>
      (await world.read(cashier, cashierAbi, 'tokenConfig', world.contract('USDC'))).withdrawBuffer
    const canWithdraw = (dollars: bigint) =>
      world.read(cashier, cashierAbi, 'canInstantWithdraw', world.contract('USDC'), dollars * WAD)
    expect(await canWithdraw(1500n)).toBe(true)
    // Not with the venue's own key: a signer that sends what the venue does not know is stopped.
    const { admin } = world.accounts
    await world.call(admin, cashier, cashierAbi, 'grantRole', [keccak256(toHex('SETTLER_ROLE')), admin.address])
    // The keeper may top up before the withdrawal is mined, which is instant then.
    const isQueued = async () => {
      await world.call(admin, cashier, cashierAbi, 'adjustWithdrawBuffer', [
        world.contract('USDC'),
        -(await buffer()) + 1000n * USDC,
      ])
      const txHash = await world.route(user, 'withdraw', [world.contract('USDC'), 1500n * WAD])
      const [operation] = await eventually(
        () => world.sql`select status, is_instant from cash_operations where create_tx_hash = ${txHash}`,
        (rows) => rows[0]?.status === 'settled',
      )
      return operation?.is_instant === false
    }
    await eventually(isQueued, (queued) => queued)
    await eventually(
      async () => String(await buffer()),
      (raw) => raw === String(25_000n * USDC),
    )
    expect(await canWithdraw(1500n)).toBe(true)
  })
})

describe('a split', () => {
  it('goes to the chain once, and prices, positions and orders go on as if nothing had happened', async () => {
    const user = world.user(1)
    const before = await latestQuote(world.sql, 'MSFT')
    const held = await world.shares(user, 'MSFT')
    const today = new Date(world.nowMs() - 12 * 3_600_000).toISOString().slice(0, 10)
    const args = ['apply', '--symbol', 'MSFT', '--from', '1', '--to', '4', '--ex-date', today]
    for (const _ of [1, 2]) await world.command('splits', args)
    const perToken = () => world.read(world.token('MSFT'), stockTokenAbi, 'sharesPerToken')
    await eventually(
      async () => String(await perToken()),
      (value) => value === String(4n * WAD),
    )
    const share = await eventually(
      () => latestQuote(world.sql, 'MSFT').then((quote) => Number(quote?.price8)),
      (price8) => price8 * 3 < Number(before?.price8),
    )
    expect(share / Number(before?.price8)).toBeCloseTo(0.25, 1)
    const oracle = await eventually(
      async () => {
        const asked = world.contract('StockOracle')
        const { price } = await world.read(asked, stockOracleAbi, 'latestPrice', priceIdOf('MSFT'))
        return Number(price)
      },
      (price8) => Math.abs(price8 - 4 * share) < share / 10,
    )
    expect(oracle / Number(before?.price8)).toBeCloseTo(1, 1)
    expect(await world.shares(user, 'MSFT')).toBe(held)
    const bought = await world.placeLimit(user, 'MSFT', WAD / 2n, (await priceWad('MSFT', 110n)) * 4n)
    const order = await world.ended(bought)
    expect(order).toMatchObject({ status: 'filled', filled_quantity_wad: WAD / 2n })
    expect(Number(order.filled_notional_wad) / Number(2n * (await priceWad('MSFT')))).toBeCloseTo(1, 1)
    const sold = await world.ended(await world.placeMarket(user, 'MSFT', -WAD / 4n))
    expect(sold).toMatchObject({ status: 'filled', filled_quantity_wad: WAD / 4n })
    const sent = await world.sql`select 1 from tx_intents where dedupe_key like 'stock.split:%'`
    expect(sent).toHaveLength(1)
    await world.untilSupplyMatches()
  })
})

// Last of all: no price is fresh on a chain whose clock alone went forward.
describe('an order that its user takes back', () => {
  it('is cancelled at the broker, and what was filled for it is a hedge of the venue', async () => {
    const user = world.user(0)
    const admin = world.accounts.admin
    await world.call(admin, world.token('AAPL'), stockTokenAbi, 'pause', [])
    const before = await world.mUsd(user)
    const orderId = await world.placeLimit(user, 'AAPL', MANY, await priceWad('AAPL', 110n))
    const executed = async () =>
      (
        await world.sql<{ sum: bigint | null }[]>`
        select sum(quantity_wad) as sum from broker_executions where client_order_id = ${orderId}`
      )[0]?.sum ?? 0n
    // A bigint cannot be shown by a time-out.
    await eventually(
      async () => String(await executed()),
      (sum) => sum !== '0',
    )
    await world.increaseChainTime(8 * 24 * 3600)
    await world.call(user, world.contract('Stock'), stockAbi, 'takeBackOrder', [orderId])
    expect(await world.ended(orderId)).toMatchObject({ status: 'taken_back', filled_quantity_wad: 0n })
    expect(await world.mUsd(user)).toBe(before)
    await eventually(
      async () => (await world.sql`select status from broker_orders where client_order_id = ${orderId}`)[0]?.status,
      (status) => status === 'canceled',
    )
    // What the broker made of it before the cancel, whether the keeper has read all of that yet or not.
    const [made] = await world.sql<{ total: bigint }[]>`
      select sum(quantity_wad) as total from simulated_broker_executions where client_order_id = ${orderId}`
    const total = made?.total ?? 0n
    expect(total).toBeLessThan(MANY)
    const hedged = await eventually(
      async () => (await sumHedges(world.sql, 31_337)).map(({ symbol, quantityWad }) => [symbol, String(quantityWad)]),
      (rows) => rows.some(([, sum]) => sum === String(total)),
    )
    expect(hedged).toEqual([['AAPL', String(total)]])
    await world.call(admin, world.token('AAPL'), stockTokenAbi, 'unpause', [])
    await world.untilSupplyMatches()
  })
})
