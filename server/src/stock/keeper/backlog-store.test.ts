import { afterEach, beforeEach, expect, it } from 'vitest'
import { inTransaction, type Tx } from '../../db/pool.ts'
import { CHAIN_ID, closed, filled, randomHash } from '../testing/chain.ts'
import { KeeperWorld, type SentIntent, usd } from '../testing/keeper.ts'
import { oldestUnsettledSec, oldestUnsubmittedSec, stageTimes } from './backlog-store.ts'
import { settlementMemory, settleOrders } from './settle-orders.ts'

let world: KeeperWorld
beforeEach(async () => {
  world = await KeeperWorld.open()
})
afterEach(() => world.drop())

/** Rounding of the chain's clock, and a machine that is busy. */
const SLACK_SEC = 30

/** Puts an order's times where the test wants them, as if the blocks had been of then. */
const shift = (work: (tx: Tx) => Promise<unknown>) =>
  inTransaction(world.sql, async (tx) => {
    await tx`select set_config('bourse.block', ${`${CHAIN_ID}/${world.chain.head.number}/final`}, true)`
    await work(tx)
  })

const unsubmitted = () => oldestUnsubmittedSec(world.sql, CHAIN_ID)
const unsettled = () => oldestUnsettledSec(world.sql, CHAIN_ID)

it('tells how long the oldest order waits for the broker, and for its settlement', async () => {
  expect([await unsubmitted(), await unsettled()]).toEqual([0, 0])
  const orderId = await world.place(usd(1000))
  await world.place(usd(10))
  await shift(
    (tx) => tx`update stock_orders set created_at_sec =
      floor(extract(epoch from now())) - case when order_id = ${orderId} then 100 else 0 end`,
  )
  expect(await unsubmitted()).toBeGreaterThanOrEqual(99)
  expect(await unsubmitted()).toBeLessThan(100 + SLACK_SEC)
  await world.trade()
  expect(await unsubmitted()).toBe(0)

  const quantity = 5n * 10n ** 18n
  world.broker.fill(orderId, quantity, 200_00000000n)
  await world.trade()
  const open = await unsettled()
  expect(open).toBeGreaterThan(0)
  await settleOrders(world.venue, settlementMemory())
  const [intent] = await world.newIntents()
  expect(await unsettled()).toBeGreaterThan(open)
  await world.chain.emit(filled({ orderId, quantity, price: usd(200) }), closed(orderId, 'filled'))
  if (intent) await world.end(intent, { state: 'mined' })
  expect(await unsettled()).toBe(0)
})

it('counts a settlement that is final before the indexer has its block as one that waits', async () => {
  await world.filledOrder(usd(1000), 200_00000000n)
  await settleOrders(world.venue, settlementMemory())
  const [intent] = await world.newIntents()
  await world.end(intent as SentIntent, { state: 'final', block: { number: 1000n, hash: randomHash() } })
  expect(await unsettled()).toBeGreaterThan(0)
})

it('tells how long the stages of market orders took, and nothing of a stage that none has ended lately', async () => {
  expect(await stageTimes(world.sql, CHAIN_ID)).toEqual([])
  const ids = [await world.place(usd(1000)), await world.place(usd(1000)), await world.place(usd(1000))]
  await world.trade()
  for (const id of ids) world.broker.fill(id, 5n * 10n ** 18n, 200_00000000n)
  await world.trade()
  // The broker answered the first after 1 s, the second after 2 s, the third after 30 s, and filled each at once.
  const delays = [1, 2, 30]
  for (const [index, id] of ids.entries()) {
    await shift(
      (
        tx,
      ) => tx`update stock_orders o set created_at_sec = floor(extract(epoch from b.answered_at)) - ${delays[index] ?? 0},
        status = 'filled', closed_at_sec = floor(extract(epoch from b.answered_at)) + 10
      from broker_orders b where o.order_id = ${id} and b.client_order_id = ${id}`,
    )
  }
  const [fill, settle, submit] = await stageTimes(world.sql, CHAIN_ID)
  expect(fill).toMatchObject({ stage: 'fill' })
  expect(fill?.p99Sec).toBeLessThan(SLACK_SEC)
  expect(settle).toEqual({ stage: 'settle', p50Sec: 12, p99Sec: expect.closeTo(39.44, 1) })
  expect(submit).toMatchObject({ stage: 'submit' })
  expect(Math.floor(submit?.p50Sec ?? 0)).toBe(2)
  expect(submit?.p99Sec).toBeGreaterThan(29)
  await world.sql`update broker_orders set answered_at = now() - interval '1 hour'`
  await shift((tx) => tx`update stock_orders set closed_at_sec = closed_at_sec - 3600`)
  expect(await stageTimes(world.sql, CHAIN_ID)).toEqual([])
})
