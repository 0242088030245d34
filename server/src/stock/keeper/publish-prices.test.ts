import { keccak256, toBytes } from 'viem'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Hex } from '../../chain/types.ts'
import { priceIdOf } from '../listing/price-id.ts'
import { type EventCall, LONG_AGO_SEC, ORACLE, TestChain } from '../testing/chain.ts'
import { KeeperWorld, revert, type SentIntent, START_MS } from '../testing/keeper.ts'
import { publishMemory, publishPrices } from './publish-prices.ts'

let world: KeeperWorld
let memory: ReturnType<typeof publishMemory>
beforeEach(async () => {
  TestChain.startSec = START_MS / 1000
  world = await KeeperWorld.open()
  memory = publishMemory()
})
afterEach(async () => {
  TestChain.startSec = LONG_AGO_SEC
  await world.drop()
})

async function round(): Promise<SentIntent[]> {
  await publishPrices(world.venue, memory)
  return world.newIntents()
}

const quote = (symbol: string, price8: bigint, afterMs?: number) => world.quote(symbol, price8, afterMs)

/** The chain carries out a publication. */
async function carryOut(intent: SentIntent | undefined): Promise<void> {
  if (!intent) throw new Error('nothing was published')
  const publishedAt = BigInt(TestChain.timestampSec(world.chain.head.number + 1n))
  const events: EventCall[] = intent.args[0].map((update: object) => [
    'PricePublished',
    { ...update, roundId: 1n, publishedAt },
  ])
  await world.chain.emit(...events)
  await world.end(intent, { state: 'mined' })
}

const updates = (intent: SentIntent | undefined) => intent?.args[0] as { priceId: Hex; price: bigint }[]

it('names a feed by the hash of its ticker', () => {
  expect(priceIdOf('AAPL')).toBe('0x3a54a9a690616fbc26cfc409bf11f89d51f1d57a4ab2791fb86026cee74ed2f3')
})

it('publishes every listed quote once, with the source’s own time and the session', async () => {
  await quote('AAPL', 200_00000000n)
  await quote('NVDA', 100_00000000n)
  const [intent] = await round()
  expect(intent).toMatchObject({ name: 'publish', to: ORACLE })
  expect(intent?.args[0]).toEqual([
    {
      priceId: keccak256(toBytes('AAPL')),
      price: 200_00000000n,
      bestBid: 199_99999999n,
      bestAsk: 200_00000001n,
      feedUpdateTimestamp: BigInt(START_MS / 1000),
      session: 2,
    },
  ])
  expect(await round()).toEqual([])
  await carryOut(intent)
  expect(await round()).toEqual([])
})

it('publishes again when the price has moved by a thousandth, or its source is five minutes further', async () => {
  await quote('AAPL', 200_00000000n)
  await carryOut((await round())[0])
  await quote('AAPL', 200_19999999n, 1000)
  expect(await round()).toEqual([])
  await quote('AAPL', 199_80000000n, 2000)
  const [moved] = await round()
  expect(updates(moved)[0]?.price).toBe(199_80000000n)
  await carryOut(moved)
  await quote('AAPL', 199_80000000n, 301_000)
  expect(await round()).toEqual([])
  await quote('AAPL', 199_80000000n, 302_000)
  expect(updates((await round())[0])).toHaveLength(1)
})

it('does not publish a price whose source stands still again, however old it is on chain', async () => {
  await quote('AAPL', 200_00000000n)
  await carryOut((await round())[0])
  for (let block = 0; block < 301; block++) await world.chain.block()
  expect(await round()).toEqual([])
}, 120_000)

it('leaves out what is ahead of the chain by more than the oracle takes, and frozen feeds', async () => {
  await quote('AAPL', 200_00000000n, 3_000_000)
  expect(await round()).toEqual([])
  await world.sql`update market_quotes set source_time = ${new Date(START_MS + 240_000)}`
  world.frozenFeeds.add(priceIdOf('AAPL'))
  expect(await round()).toEqual([])
  world.frozenFeeds.clear()
  const [intent] = await round()
  expect(updates(intent).map(({ priceId }) => priceId)).toEqual([priceIdOf('AAPL')])
})

it('never takes a feed’s time back, until the feed is reset', async () => {
  await quote('AAPL', 200_00000000n)
  const [first] = await round()
  const later = { ...first?.args[0][0], feedUpdateTimestamp: BigInt(START_MS / 1000) + 60n, price: 1n }
  await carryOut({ ...(first as SentIntent), args: [[later]] })
  expect(await round()).toEqual([])
  await world.chain.emit(['FeedReset', { priceId: priceIdOf('AAPL') }])
  expect(updates((await round())[0])).toHaveLength(1)
})

it('waits longer after each publication that failed', async () => {
  await quote('AAPL', 200_00000000n)
  for (const waitMs of [5000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
    const [intent] = await round()
    expect(intent?.name).toBe('publish')
    await world.end(intent as SentIntent, { state: 'rejected', revertData: revert('FeedTimestampNotMonotonic') })
    expect(await round()).toEqual([])
    world.nowMs += waitMs - 1
    expect(await round()).toEqual([])
    world.nowMs += 1
  }
})

it('says nothing before the chain is indexed', async () => {
  await quote('AAPL', 200_00000000n)
  await world.chain.undo(1)
  expect(await round()).toEqual([])
})
