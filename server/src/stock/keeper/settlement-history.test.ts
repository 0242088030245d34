import { afterEach, beforeEach, expect, it } from 'vitest'
import { insertHistory } from '../../chain/send/testing/history.ts'
import { WAD } from '../../lib/wad.ts'
import { AAPL, CHAIN_ID, closed, filled, MSFT } from '../testing/chain.ts'
import { KeeperWorld, revert, type SentIntent, usd } from '../testing/keeper.ts'
import { settlementMark } from './keeper-store.ts'
import { settlementMemory, settleOrders } from './settle-orders.ts'
import { settleKey } from './settlement-failures.ts'

// A leadership begins without memory, at a venue that has settled for years.

/** Looked at in one round. */
const MOST_INTENTS = 1000

let world: KeeperWorld
beforeEach(async () => {
  world = await KeeperWorld.open()
})
afterEach(() => world.drop())

const insertSettled = (count: number, token = AAPL) =>
  insertHistory(world.sql, CHAIN_ID, count, `'${settleKey(token)}'`)
const grow = () => world.sql`update tx_intents set created_at = now() - interval '1 hour'`
const mark = async () => (await settlementMark(world.sql, CHAIN_ID)).mark

/** Rounds of one leadership. */
class Leader {
  readonly memory = settlementMemory()
  async round(): Promise<{ sent: SentIntent[]; rests: boolean }> {
    const said = await settleOrders(world.venue, this.memory)
    return { sent: await world.newIntents(), rests: said === undefined }
  }
}

const PRICE8 = 200_00000000n

/** An order of which the settlement was rejected while no keeper looked. */
async function missedOrder(): Promise<string> {
  const { orderId } = await world.filledOrder(usd(200), PRICE8)
  const { sent } = await new Leader().round()
  const revertData = revert('FillPriceOutsideBand', [orderId, 1n, 1n])
  await world.end(sent[0] as SentIntent, { state: 'rejected', revertData })
  return orderId
}

it('a history is looked at a part a round, nothing of it is missed, and no settlement waits for it', async () => {
  // The first thousand are looked at by whoever sends what is missed then.
  await insertSettled(2 * MOST_INTENTS + 10)
  const missed = await missedOrder()
  await insertSettled(MOST_INTENTS, MSFT)
  await grow()
  const { orderId } = await world.filledOrder(usd(200), PRICE8)
  const leader = new Leader()
  await world.newIntents()
  const first = await leader.round()
  expect(first).toMatchObject({ sent: [{ args: [{}, {}, [{ orderId }]] }], rests: false })
  await world.chain.emit(filled({ orderId, quantity: WAD, price: 200n * WAD }), closed(orderId, 'filled'))
  await world.end(first.sent[0] as SentIntent, { state: 'mined' })
  expect([await world.openExecutions(), leader.memory.outcomes.size]).toEqual([0, MOST_INTENTS])
  expect(await leader.round()).toEqual({ sent: [], rests: false })
  expect(await world.openExecutions()).toBe(1)
  expect(await leader.round()).toEqual({ sent: [], rests: true })
  world.nowMs += 5000
  expect((await leader.round()).sent).toMatchObject([{ args: [{}, {}, [{ orderId: missed }]] }])
})

it('a leadership begins where the one before has come to', async () => {
  await insertSettled(2 * MOST_INTENTS + 10)
  const before = new Leader()
  for (const rests of [false, false, true]) expect((await before.round()).rests).toBe(rests)
  const reached = await mark()
  expect(before.memory.outcomes.size).toBeLessThan(MOST_INTENTS + 10)
  const missed = await missedOrder()
  await grow()
  const next = new Leader()
  await next.round()
  expect(next.memory.outcomes.size).toBeLessThan(20)
  expect([await world.openExecutions(), (await mark()) >= reached]).toEqual([1, true])
  expect((await new Leader().round()).sent).toMatchObject([{ args: [{}, {}, [{ orderId: missed }]] }])
})

it('the mark stays before what is not final, however much has ended behind it', async () => {
  const { orderId } = await world.filledOrder(usd(200), PRICE8)
  const leader = new Leader()
  const [settlement] = (await leader.round()).sent as [SentIntent]
  await world.chain.emit(filled({ orderId, quantity: WAD, price: 200n * WAD }), closed(orderId, 'filled'))
  await world.end(settlement, { state: 'mined' })
  await insertSettled(2 * MOST_INTENTS)
  await grow()
  for (let round = 0; round < 4; round++) await leader.round()
  expect(await mark()).toBeLessThan(settlement.id)
  // The order is reorganised away, and the transaction is mined anew without effect.
  await world.chain.undo(1)
  await world.chain.block({ events: [] })
  await world.end(settlement, { state: 'mined' })
  await leader.round()
  expect(await world.openExecutions()).toBe(1)
  await world.end(settlement, { state: 'final' })
  await leader.round()
  expect(await mark()).toBeGreaterThan(settlement.id)
})
