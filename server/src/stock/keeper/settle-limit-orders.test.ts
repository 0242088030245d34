import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Hex } from '../../chain/types.ts'
import { WAD } from '../../lib/wad.ts'
import { findBrokerOrders } from '../../market/broker-store.ts'
import { REJECTION_CODE } from '../orders/rejection-reason.ts'
import {
  AAPL,
  CHAIN_ID,
  cancelRequested,
  cancelSettled,
  closed,
  LONG_AGO_SEC,
  limitFilled,
  placedLimit,
  randomHash,
  STOCK,
  TestChain,
  USDC,
} from '../testing/chain.ts'
import { KeeperWorld, revert, type SentIntent, START_MS, usd } from '../testing/keeper.ts'
import { bookHedges, sumHedges } from './hedges.ts'
import { settlementMemory, settleOrders } from './settle-orders.ts'

let world: KeeperWorld
let memory: ReturnType<typeof settlementMemory>
beforeEach(async () => {
  TestChain.startSec = START_MS / 1000
  world = await KeeperWorld.open()
  memory = settlementMemory()
})
afterEach(() => {
  TestChain.startSec = LONG_AGO_SEC
  return world.drop()
})

const PRICE8 = 200_00000000n
const PRICE_WAD = 200n * WAD

async function round(): Promise<SentIntent[]> {
  await settleOrders(world.venue, memory)
  return world.newIntents()
}

const named = (intents: readonly SentIntent[], name: string) =>
  intents.filter((intent) => intent.name === name).map(({ args }) => args)

/** A limit order that the broker has. */
async function resting(quantity: bigint, price = PRICE_WAD): Promise<Hex> {
  const orderId = await world.placeLimit(quantity, price)
  await world.trade()
  return orderId
}

/** The chain carries out what the round sent, as the contract would. */
async function carryOut(intents: readonly SentIntent[]): Promise<void> {
  for (const intent of intents) {
    if (intent.name === 'settleLimitOrders') {
      for (const { orderId, quantity, price, last } of intent.args[2]) {
        const fill = limitFilled({ orderId, quantity, price })
        await world.chain.emit(...(last ? [fill, closed(orderId, 'filled')] : [fill]))
      }
    }
    if (intent.name === 'settleCancels') {
      for (const { orderId, quantity, price, cause } of intent.args[2]) {
        const part = quantity > 0n ? [limitFilled({ orderId, quantity, price })] : []
        const status = (['canceled', 'rejected', 'expired'] as const)[cause as 0 | 1 | 2]
        await world.chain.emit(...part, ...cancelSettled(orderId, status))
      }
    }
    await world.end(intent, { state: 'mined' })
  }
}

describe('taking a limit order', () => {
  it('gives it with quantity, limit and the end of its day', async () => {
    const orderId = await resting(3n * WAD, 201n * WAD)
    expect(await findBrokerOrders(world.sql, CHAIN_ID, [orderId])).toMatchObject([
      {
        symbol: 'AAPL',
        terms: { type: 'limit', side: 'buy', quantityWad: 3n * WAD, limitPrice8: 201_00000000n },
        expiresAtMs: world.hours.dayOrderExpiry(TestChain.timestampSec(world.chain.head.number) * 1000),
      },
    ])
  })

  it('placed by a chain whose clock runs ahead ends with the market’s own day', async () => {
    world.nowMs = 1_600_000_000_000
    const orderId = await resting(-WAD)
    expect(await findBrokerOrders(world.sql, CHAIN_ID, [orderId])).toMatchObject([
      { terms: { side: 'sell' }, expiresAtMs: world.hours.dayOrderExpiry(1_600_000_000_000) },
    ])
  })

  it('that nothing is left of in the broker’s digits is rejected, and holds up no other', async () => {
    const dust = await world.placeLimit(WAD, 1n)
    const other = await world.placeLimit(WAD, PRICE_WAD)
    await world.trade()
    expect(world.broker.orderIds).toEqual([other])
    expect(named(await round(), 'settleCancels')[0]?.[2]).toEqual([
      { orderId: dust, filledBefore: 0n, quantity: 0n, price: 0n, cause: 1, reasonCode: REJECTION_CODE.rejected },
    ])
  })
})

describe('a limit order', () => {
  it('is settled part by part while it rests, and closes with its last part', async () => {
    const orderId = await resting(3n * WAD)
    expect(await round()).toEqual([])
    world.broker.fill(orderId, WAD, PRICE8, 'partially_filled')
    await world.trade()
    const first = await round()
    expect(first.map(({ name }) => name)).toEqual(['settleLimitOrders'])
    expect(first[0]?.to).toBe(STOCK)
    expect(first[0]?.args.slice(0, 2).map((one: string) => one.toLowerCase())).toEqual([AAPL, USDC])
    expect(first[0]?.args[2]).toEqual([{ orderId, filledBefore: 0n, quantity: WAD, price: PRICE_WAD, last: false }])
    expect(await round()).toEqual([])
    await carryOut(first)
    expect(await round()).toEqual([])
    world.broker.fill(orderId, 2n * WAD, PRICE8 - 1n, 'filled')
    await world.trade()
    const second = await round()
    expect(named(second, 'settleLimitOrders')[0]?.[2]).toEqual([
      { orderId, filledBefore: WAD, quantity: 2n * WAD, price: PRICE_WAD - 10n ** 10n, last: true },
    ])
    await carryOut(second)
    expect(await round()).toEqual([])
    expect(await world.hedge()).toEqual([])
  })

  it('to sell is one transaction as well', async () => {
    const orderId = await resting(-2n * WAD)
    world.broker.fill(orderId, 2n * WAD, PRICE8, 'filled')
    await world.trade()
    const intents = await round()
    expect(intents.map(({ name }) => name)).toEqual(['settleLimitOrders'])
  })

  it('takes turns with market orders of its token, so that a closed market holds back only these', async () => {
    const market = await world.filledOrder(usd(200), PRICE8)
    const limit = await resting(WAD)
    world.broker.fill(limit, WAD, PRICE8, 'filled')
    await world.trade()
    const first = await round()
    expect(named(first, 'settleMarketOrders')).toHaveLength(1)
    for (const intent of first) {
      await world.end(intent, { state: 'rejected', revertData: revert('MarketClosed') })
    }
    const second = await round()
    expect(second.map(({ name }) => name)).toEqual(['settleLimitOrders'])
    await carryOut(second)
    expect(await round()).toEqual([])
    world.nowMs += 5000
    expect(named(await round(), 'settleMarketOrders')[0]?.[2]).toMatchObject([{ orderId: market.orderId }])
  })
})

describe('a cancel that its user asked for', () => {
  it('goes to the broker, and is settled when the broker has ended the order', async () => {
    const orderId = await resting(3n * WAD)
    await world.chain.emit(cancelRequested(orderId))
    await world.trade()
    await world.trade()
    expect(world.broker.cancelRequests).toEqual([orderId])
    expect(await round()).toEqual([])
    world.broker.end(orderId, 'canceled')
    await world.trade()
    const intents = await round()
    expect(intents.map(({ name }) => name)).toEqual(['settleCancels'])
    expect(intents[0]?.args[2]).toEqual([
      { orderId, filledBefore: 0n, quantity: 0n, price: 0n, cause: 0, reasonCode: 0 },
    ])
    await carryOut(intents)
    world.nowMs += 3_600_000
    expect(await round()).toEqual([])
  })

  it('settles a part that was filled before it, as the last part, or the earlier ones first when there are several', async () => {
    const one = await resting(3n * WAD)
    const two = await resting(3n * WAD)
    await world.chain.emit(cancelRequested(one), cancelRequested(two))
    world.broker.fill(one, WAD, PRICE8, 'canceled')
    world.broker.fill(two, WAD, PRICE8, 'partially_filled')
    world.broker.fill(two, WAD / 2n, PRICE8, 'canceled')
    await world.trade()
    const first = await round()
    expect(named(first, 'settleLimitOrders')[0]?.[2]).toMatchObject([{ orderId: two, quantity: WAD, last: false }])
    await carryOut(first)
    const second = await round()
    expect(named(second, 'settleCancels')[0]?.[2]).toEqual([
      { orderId: one, filledBefore: 0n, quantity: WAD, price: PRICE_WAD, cause: 0, reasonCode: 0 },
      { orderId: two, filledBefore: WAD, quantity: WAD / 2n, price: PRICE_WAD, cause: 0, reasonCode: 0 },
    ])
    await carryOut(second)
    expect([await round(), await world.openExecutions(), await world.hedge()]).toEqual([[], 0, []])
  })

  it('that comes too late is a fill', async () => {
    const orderId = await resting(WAD)
    await world.chain.emit(cancelRequested(orderId))
    world.broker.fill(orderId, WAD, PRICE8, 'filled')
    await world.trade()
    expect(named(await round(), 'settleLimitOrders')[0]?.[2]).toMatchObject([{ orderId, last: true }])
  })

  it('of an order that the broker never got is settled without it', async () => {
    const orderId = await world.placeLimit(WAD, PRICE_WAD)
    await world.chain.emit(cancelRequested(orderId))
    await world.trade()
    expect(world.broker.orderIds).toEqual([])
    expect(named(await round(), 'settleCancels')[0]?.[2]).toMatchObject([{ orderId, quantity: 0n, cause: 0 }])
  })

  it('is not sent in a loop while it cannot be settled', async () => {
    const orderId = await resting(WAD)
    await world.chain.emit(cancelRequested(orderId))
    await world.trade()
    world.broker.end(orderId, 'canceled')
    await world.trade()
    for (const [waitMs, expected] of [
      [0, 1],
      [4999, 0],
      [1, 1],
      [9999, 0],
    ] as const) {
      world.nowMs += waitMs
      const intents = await round()
      expect(intents).toHaveLength(expected)
      for (const intent of intents) await world.end(intent, { state: 'rejected' })
    }
  })
})

describe('an end that the broker brings', () => {
  it.each([
    ['expired', 2, REJECTION_CODE.expired],
    ['rejected', 1, REJECTION_CODE.rejected],
    ['canceled', 1, REJECTION_CODE.canceled],
  ] as const)('%s is settled with its cause', async (status, cause, reasonCode) => {
    const orderId = await resting(WAD)
    world.broker.end(orderId, status)
    await world.trade()
    expect(named(await round(), 'settleCancels')[0]?.[2]).toEqual([
      { orderId, filledBefore: 0n, quantity: 0n, price: 0n, cause, reasonCode },
    ])
  })

  it('of an order that was filled as far as the broker’s digits go gives the rest back', async () => {
    const orderId = await resting(WAD + 5n)
    world.broker.fill(orderId, WAD, PRICE8, 'partially_filled')
    await world.trade()
    await carryOut(await round())
    world.broker.end(orderId, 'filled')
    await world.trade()
    expect(named(await round(), 'settleCancels')[0]?.[2]).toEqual([
      { orderId, filledBefore: WAD, quantity: 0n, price: 0n, cause: 1, reasonCode: REJECTION_CODE.tooFine },
    ])
  })
})

describe('an order that its user takes back', () => {
  const hedges = async () => {
    await bookHedges(world.venue)
    return (await sumHedges(world.sql, CHAIN_ID)).map(({ quantityWad, cashWad }) => [quantityWad, cashWad])
  }

  it('is cancelled at the broker; what was filled late is a hedge of the venue, once', async () => {
    const orderId = await resting(3n * WAD)
    await world.chain.emit(closed(orderId, 'takenBack'))
    await world.trade()
    expect(world.broker.cancelRequests).toEqual([orderId])
    expect(await hedges()).toEqual([])
    world.broker.fill(orderId, WAD, PRICE8, 'canceled')
    await world.trade()
    expect(await round()).toEqual([])
    expect(await hedges()).toEqual([[WAD, -PRICE_WAD]])
    expect(await hedges()).toEqual([[WAD, -PRICE_WAD]])
    const [row] = await world.sql`select reason, order_id from hedges`
    expect(row).toEqual({ reason: 'taken_back', order_id: orderId })
  })

  it('while its settlement was on its way: what the chain skipped is a hedge', async () => {
    const orderId = await resting(-WAD)
    world.broker.fill(orderId, WAD, PRICE8, 'filled')
    await world.trade()
    const intents = await round()
    await world.chain.emit(closed(orderId, 'takenBack'))
    for (const intent of intents) await world.end(intent, { state: 'mined' })
    await round()
    expect(await hedges()).toEqual([[-WAD, PRICE_WAD]])
    world.nowMs += 60_000
    expect(named(await round(), 'settleLimitOrders')).toEqual([])
  })

  it('in a block that a reorganisation removes gets its fill after all', async () => {
    const orderId = await resting(WAD)
    await world.chain.emit(closed(orderId, 'takenBack'))
    world.broker.fill(orderId, WAD, PRICE8, 'filled')
    await world.trade()
    expect(await hedges()).toEqual([[WAD, -PRICE_WAD]])
    await world.chain.undo(1)
    expect(await hedges()).toEqual([])
    expect(named(await round(), 'settleLimitOrders')[0]?.[2]).toMatchObject([{ orderId, quantity: WAD }])
    await world.chain.emit(closed(orderId, 'takenBack'))
  })

  it('and another order under its id after a reorganisation: the first is cancelled, its fills are hedges', async () => {
    const orderId = await resting(WAD)
    await world.chain.undo(1)
    await world.chain.emit(placedLimit({ orderId, quantity: WAD, price: PRICE_WAD + 1n }))
    world.broker.fill(orderId, WAD / 2n, PRICE8, 'partially_filled')
    await world.trade()
    expect(world.broker.cancelRequests).toEqual([orderId])
    expect(named(await round(), 'settleCancels')[0]?.[2]).toMatchObject([
      { orderId, quantity: 0n, cause: 1, reasonCode: REJECTION_CODE.replaced },
    ])
    expect(await hedges()).toEqual([[WAD / 2n, -PRICE_WAD / 2n]])
    expect((await world.sql`select reason from hedges`)[0]).toEqual({ reason: 'replaced' })
  })
})

describe('a token that stands for four shares', () => {
  const FOUR = 4n * WAD
  beforeEach(() => world.split(AAPL, FOUR, START_MS - 1))

  it('is ordered in shares at the price of a share, and settled in tokens at the price of a token', async () => {
    const orderId = await resting(3n * WAD, 800n * WAD)
    expect(await findBrokerOrders(world.sql, CHAIN_ID, [orderId])).toMatchObject([
      { terms: { quantityWad: 12n * WAD, limitPrice8: PRICE8 } },
    ])
    world.broker.fill(orderId, 2n * WAD, PRICE8 - 4n, 'partially_filled')
    world.broker.fill(orderId, 10n * WAD, PRICE8, 'filled')
    await world.trade()
    const intents = await round()
    expect(named(intents, 'settleLimitOrders')[0]?.[2]).toEqual([
      { orderId, filledBefore: 0n, quantity: WAD / 2n, price: 4n * (PRICE8 - 4n) * 10n ** 10n, last: false },
      { orderId, filledBefore: WAD / 2n, quantity: (5n * WAD) / 2n, price: 800n * WAD, last: true },
    ])
  })

  it('keeps market orders as they were: a buy by its notional, a sell by shares', async () => {
    const buy = await world.place(usd(800))
    const sell = await world.place(-WAD)
    await world.trade()
    expect((await findBrokerOrders(world.sql, CHAIN_ID, [buy, sell])).map(({ terms }) => terms)).toEqual(
      expect.arrayContaining([
        { type: 'market', side: 'buy', notionalWad: usd(800) },
        { type: 'market', side: 'sell', quantityWad: FOUR },
      ]),
    )
    world.broker.fill(buy, FOUR, PRICE8, 'filled')
    world.broker.fill(sell, FOUR, PRICE8, 'filled')
    await world.trade()
    const fills = named(await round(), 'settleMarketOrders')[0]?.[2] ?? []
    expect(fills).toHaveLength(2)
    for (const fill of fills) expect(fill).toMatchObject({ quantity: WAD, price: 800n * WAD, last: true })
  })

  it('ends orders that are at the broker before the next change', async () => {
    const nextMs = START_MS + 3_600_000
    await world.sql`
      insert into token_splits (chain_id, token, ex_date, ticker, effective_at, shares_per_token_wad, actor)
      values (${CHAIN_ID}, ${AAPL}, '2026-08-05', 'AAPL', ${new Date(nextMs)}, 1, 'test')`
    const orderId = await resting(WAD, 800n * WAD)
    const market = await world.place(usd(10), AAPL, randomHash())
    await world.trade()
    for (const id of [orderId, market]) {
      const [order] = await findBrokerOrders(world.sql, CHAIN_ID, [id])
      expect(order?.expiresAtMs).toBeLessThanOrEqual(nextMs)
    }
  })
})
