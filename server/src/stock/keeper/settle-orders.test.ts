import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Hex } from '../../chain/types.ts'
import { WAD } from '../../lib/wad.ts'
import { REJECTION_CODE } from '../orders/rejection-reason.ts'
import { AAPL, closed, filled, MSFT, placed, randomHash, SETTLER, STOCK, USDC } from '../testing/chain.ts'
import { KeeperWorld, type SentIntent, START_MS, usd } from '../testing/keeper.ts'
import { settlementMemory, settleOrders } from './settle-orders.ts'

let world: KeeperWorld
let memory: ReturnType<typeof settlementMemory>
beforeEach(async () => {
  world = await KeeperWorld.open()
  memory = settlementMemory()
})
afterEach(() => world.drop())

const PRICE8 = 200_00000000n
const PRICE_WAD = 200n * WAD

async function round(): Promise<SentIntent[]> {
  await settleOrders(world.venue, memory)
  return world.newIntents()
}

/** The chain carries out a settlement as the contract would, every fill applied. */
async function carryOut(intent: SentIntent): Promise<void> {
  const [, , fills] = intent.args
  for (const { orderId, quantity, price, last } of fills) {
    const fill = filled({ orderId, quantity, price })
    await world.chain.emit(...(last ? [fill, closed(orderId, 'filled')] : [fill]))
  }
  await world.end(intent, { state: 'mined' })
}

describe('a filled order', () => {
  it('is settled in one batch a token', async () => {
    const a = await world.filledOrder(usd(1000), PRICE8)
    const b = await world.filledOrder(usd(500), PRICE8)
    const c = await world.filledOrder(usd(430), PRICE8, MSFT)
    const intents = await round()
    expect(intents.map(({ name, to }) => [name, to])).toEqual([
      ['settleMarketOrders', STOCK],
      ['settleMarketOrders', STOCK],
    ])
    const [settle, settleMsft] = intents as [SentIntent, SentIntent]
    const fill = (order: { orderId: Hex; quantityWad: bigint }) => ({
      orderId: order.orderId,
      filledBefore: 0n,
      quantity: order.quantityWad,
      price: PRICE_WAD,
      last: true,
    })
    expect(settle.args.slice(0, 2).map((one: string) => one.toLowerCase())).toEqual([AAPL, USDC])
    expect(settle.args[2]).toEqual([fill(a), fill(b)])
    expect(settleMsft.args[2]).toEqual([fill(c)])
    expect(await world.hedge()).toEqual([])
  })

  it('goes together with sells: the exchange itself mints and burns the net', async () => {
    await world.filledOrder(usd(1000), PRICE8)
    await world.filledOrder(-6n * WAD, PRICE8)
    const intents = await round()
    expect(intents.map(({ name }) => name)).toEqual(['settleMarketOrders'])
    expect(intents[0]?.args[2].map(({ quantity }: { quantity: bigint }) => quantity)).toEqual([5n * WAD, 6n * WAD])
  })

  it('waits while its token is busy, and for nothing else', async () => {
    await world.filledOrder(usd(100), PRICE8)
    const [first] = await round()
    await world.filledOrder(usd(200), PRICE8)
    await world.filledOrder(usd(300), PRICE8, MSFT)
    const meanwhile = await round()
    expect(meanwhile.map(({ args }) => args[0].toLowerCase())).toEqual([MSFT])
    expect(await round()).toEqual([])
    await carryOut(first as SentIntent)
    expect((await round()).map(({ args }) => args[0].toLowerCase())).toEqual([AAPL])
  })

  it('is settled once by two keepers at the same moment', async () => {
    await world.filledOrder(usd(100), PRICE8)
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => settleOrders(world.venue, settlementMemory())))
    const intents = await world.newIntents()
    expect(intents.filter(({ name }) => name === 'settleMarketOrders')).toHaveLength(1)
    expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true)
  })

  it('waits for a relayer that can settle', async () => {
    await world.sql`delete from tx_signers`
    await world.filledOrder(usd(100), PRICE8)
    expect(await round()).toEqual([])
    expect(await world.openExecutions()).toBe(1)
    await world.signer(SETTLER, new Date())
    expect((await round()).map(({ name }) => name)).toEqual(['settleMarketOrders'])
  })

  it('is settled in pieces when it has more fills than a transaction may hold', async () => {
    const orderId = await world.place(usd(1000))
    await world.trade()
    for (let index = 1; index <= 60; index++) {
      world.broker.fill(orderId, WAD / 100n, PRICE8, index === 60 ? 'filled' : 'partially_filled')
    }
    await world.trade()
    const [first] = (await round()) as [SentIntent]
    expect(first.args[2]).toHaveLength(50)
    expect(first.args[2].some(({ last }: { last: boolean }) => last)).toBe(false)
    await carryOut(first)
    const second = (await round()).at(-1) as SentIntent
    expect(second.args[2]).toHaveLength(10)
    expect(second.args[2][0].filledBefore).toBe(WAD / 2n)
    expect(second.args[2].map(({ last }: { last: boolean }) => last)).toEqual([...Array(9).fill(false), true])
  })
})

describe('an order that the broker ends', () => {
  it.each([
    ['rejected', REJECTION_CODE.rejected],
    ['expired', REJECTION_CODE.expired],
    ['canceled', REJECTION_CODE.canceled],
  ] as const)('%s without a fill is rejected on chain', async (status, reasonCode) => {
    const orderId = await world.place(usd(100))
    await world.trade()
    world.broker.end(orderId, status, 'not today')
    await world.trade()
    const [intent, ...others] = await round()
    expect(others).toEqual([])
    expect(intent?.name).toBe('rejectMarketOrders')
    expect(intent?.args[0]).toEqual([{ orderId, filledBefore: 0n, reasonCode }])
  })

  it('after a part is settled first, and its rest released then', async () => {
    const orderId = await world.place(usd(1000))
    await world.trade()
    world.broker.fill(orderId, WAD, PRICE8, 'canceled')
    await world.trade()
    const [settle, ...others] = (await round()) as [SentIntent]
    expect(others).toEqual([])
    expect(settle.args[2]).toEqual([{ orderId, filledBefore: 0n, quantity: WAD, price: PRICE_WAD, last: false }])
    await carryOut(settle)
    const [release] = await round()
    expect(release?.args[0]).toEqual([{ orderId, filledBefore: WAD, reasonCode: REJECTION_CODE.canceled }])
  })

  it('with a rest finer than the broker trades is ended by its last fill', async () => {
    const orderId = await world.place(-(WAD + 1n))
    await world.trade()
    world.broker.fill(orderId, WAD, PRICE8)
    await world.trade()
    const [settle] = (await round()) as [SentIntent]
    expect(settle.args[2]).toMatchObject([{ orderId, quantity: WAD, last: true }])
  })

  it('does not wait for the fills of others', async () => {
    const rejected = await world.place(usd(100))
    await world.trade()
    world.broker.end(rejected, 'rejected')
    await world.filledOrder(usd(100), PRICE8)
    expect((await round()).map(({ name }) => name)).toEqual(['rejectMarketOrders', 'settleMarketOrders'])
  })

  it('is not sent in a loop while it cannot be rejected', async () => {
    const orderId = await world.place(usd(100))
    await world.trade()
    world.broker.end(orderId, 'rejected')
    await world.trade()
    for (const [waitMs, expected] of [
      [0, 1],
      [4999, 0],
      [1, 1],
      [9999, 0],
      [1, 1],
    ] as const) {
      world.nowMs += waitMs
      const intents = await round()
      expect(intents).toHaveLength(expected)
      for (const intent of intents) await world.end(intent, { state: 'rejected' })
    }
  })

  it('with an amount finer than the broker trades is rejected without having been sent', async () => {
    const orderId = await world.place(1n)
    await world.trade()
    expect(world.broker.orderIds).toEqual([])
    expect((await round())[0]?.args[0]).toEqual([{ orderId, filledBefore: 0n, reasonCode: REJECTION_CODE.rejected }])
  })
})

describe('finer digits than the broker trades', () => {
  it('of a sell are left over and returned with the last fill', async () => {
    const orderId = await world.place(-(WAD + 5n))
    await world.trade()
    world.broker.fill(orderId, WAD, PRICE8)
    await world.trade()
    const [settle] = await round()
    expect(settle?.args[2]).toEqual([{ orderId, filledBefore: 0n, quantity: WAD, price: PRICE_WAD, last: true }])
  })
})

describe('a token that stands for three shares', () => {
  it('has a buy fit that spends its notional exactly, part by part', async () => {
    await world.split(AAPL, 3n * WAD, START_MS - 1)
    const notionalWad = 750_030_000_000_000_000_000n
    const orderId = await world.place(notionalWad)
    await world.trade()
    world.broker.fill(orderId, WAD, 250_01000000n, 'partially_filled')
    world.broker.fill(orderId, 2n * WAD, 250_01000000n)
    await world.trade()
    const [both] = (await round()) as [SentIntent]
    const quantities = [333333333333333333n, 666666666666666667n] as const
    const fits = { orderId, filledBefore: quantities[0], quantity: quantities[1], price: notionalWad - 1n, last: true }
    const first = { orderId, filledBefore: 0n, quantity: quantities[0], price: notionalWad, last: false }
    expect(both.args[2]).toEqual([first, fits])
    // Of the batch the chain has taken the first alone.
    await world.chain.emit(filled({ orderId, quantity: quantities[0], price: notionalWad }))
    await world.end(both, { state: 'mined' })
    await round()
    world.nowMs += 5000
    const [second] = (await round()) as [SentIntent]
    expect(second.args[2]).toEqual([fits])
  })
})

it('more stuck orders than a round looks at hold back neither their token nor another', async () => {
  for (let index = 0; index < 3; index++) {
    await world.chain.emit(...Array.from({ length: 70 }, () => placed({ orderId: randomHash(), amount: usd(10) })))
  }
  await world.trade()
  for (const id of world.broker.orderIds) world.broker.end(id, 'rejected')
  await world.trade()
  for (let attempt = 0; attempt < 5; attempt++) {
    for (const intent of await round()) await world.end(intent, { state: 'rejected' })
  }
  const late = await world.filledOrder(usd(100), PRICE8)
  const settle = (await round()).find(({ name }) => name === 'settleMarketOrders')
  expect(settle?.args[2][0].orderId).toBe(late.orderId)
})
