import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Hex } from '../../chain/types.ts'
import { WAD } from '../../lib/wad.ts'
import { BOB, cancelSettled, LONG_AGO_SEC, placedLimit, randomHash, TestChain } from '../testing/chain.ts'
import { KeeperWorld, type SentIntent, START_MS, usd } from '../testing/keeper.ts'
import { settlementMemory, settleOrders } from './settle-orders.ts'

// Orders cost next to nothing to place: a crowd that has only to be ended must not keep what was filled, or others, waiting.

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

/** What a round considers of a kind, and a batch beyond. */
const CROWD = 250
const PRICE_WAD = 200n * WAD

async function round(): Promise<SentIntent[]> {
  await settleOrders(world.venue, memory)
  return world.newIntents()
}

/** One user's limit buys of which nothing is left in the broker's digits. */
async function crowd(): Promise<void> {
  await world.chain.emit(
    ...Array.from({ length: CROWD }, () => placedLimit({ orderId: randomHash(), quantity: 1n, price: PRICE_WAD })),
  )
  await world.trade()
}

const orderIdsOf = ({ args }: SentIntent): Hex[] => args[2].map(({ orderId }: { orderId: Hex }) => orderId)

async function endAll(batch: SentIntent): Promise<void> {
  await world.chain.emit(...orderIdsOf(batch).flatMap((orderId) => cancelSettled(orderId, 'rejected')))
  await world.end(batch, { state: 'mined' })
}

it('of limit orders that are rejected holds up no market order of their token for more than one batch', async () => {
  await crowd()
  const [first] = (await round()) as [SentIntent]
  expect(first.name).toBe('settleCancels')
  const { orderId } = await world.filledOrder(usd(100))
  await endAll(first)
  const [second] = (await round()) as [SentIntent]
  expect(second.name).toBe('settleMarketOrders')
  expect(orderIdsOf(second)).toEqual([orderId])
})

it('of one user leaves room for the others within its kind', async () => {
  await crowd()
  const orderId = randomHash()
  await world.chain.emit(placedLimit({ orderId, user: BOB, quantity: WAD, price: PRICE_WAD }))
  await world.trade()
  world.broker.end(orderId, 'canceled')
  await world.trade()
  const [first] = (await round()) as [SentIntent]
  expect(first.name).toBe('settleCancels')
  expect(orderIdsOf(first)).toContain(orderId)
})
