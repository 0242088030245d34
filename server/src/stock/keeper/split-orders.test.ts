import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RpcCall } from '../../chain/rpc.ts'
import { inTransaction } from '../../db/pool.ts'
import { WAD } from '../../lib/wad.ts'
import { listAppliedSplits } from '../../market/applied-splits.ts'
import { findBrokerOrders } from '../../market/broker-store.ts'
import { usCalendar } from '../../market/calendar/us-calendar.ts'
import { saveMarketHours } from '../../market/hours-store.ts'
import type { BrokerOrderRequest } from '../../market/ports.ts'
import { pollQuotes } from '../../market/tasks.ts'
import { openCatalogue } from '../listing/catalogue.ts'
import { AAPL, CHAIN_ID, cancelRequested, LONG_AGO_SEC, TestChain } from '../testing/chain.ts'
import { KeeperWorld, START_MS, usd } from '../testing/keeper.ts'
import { watchAnnouncedSplits } from './announced-splits.ts'
import { publishMemory, publishPrices } from './publish-prices.ts'
import { splitCommand } from './split-commands.ts'
import { takeOrders } from './take-orders.ts'

// Orders around a split of four: what was meant for old shares must not be filled with new ones.

let world: KeeperWorld
beforeEach(async () => {
  TestChain.startSec = START_MS / 1000 - 3600
  world = await KeeperWorld.open()
})
afterEach(() => {
  TestChain.startSec = LONG_AGO_SEC
  return world.drop()
})

const MIGRATIONS = join(import.meta.dirname, '..', '..', 'db', 'migrations')
const TODAY = '2026-08-03'
const TOMORROW_MS = Date.UTC(2026, 7, 4, 4)

const apply = (exDate: string, from = '1', to = '4', ...flags: string[]) =>
  splitCommand(['apply', '--symbol', 'AAPL', '--from', from, '--to', to, '--ex-date', exDate, ...flags], {
    sql: world.sql,
    chainId: CHAIN_ID,
    clock: world.venue.clock,
    actor: 'cli:test',
  })
const take = () => takeOrders(world.venue, world.market, { chainId: CHAIN_ID, actDepth: 1 })
const recordOf = async (orderId: string) => (await findBrokerOrders(world.sql, CHAIN_ID, [orderId]))[0]

it('an order that is taken while a split is applied waits for the next round, and goes by the new shares', async () => {
  const { rpc } = world.venue
  let isApplied = false
  const batch = async (calls: readonly RpcCall[]) => {
    if (!isApplied) await apply(TODAY)
    isApplied = true
    return rpc.batch(calls)
  }
  await world.quote('AAPL', 200_00000000n)
  const orderId = await world.placeLimit(WAD, 200n * WAD)
  const venue = { ...world.venue, rpc: Object.assign(Object.create(rpc), { batch }) }
  expect(await takeOrders(venue, world.market, { chainId: CHAIN_ID, actDepth: 1 })).toBe(0)
  expect([isApplied, await recordOf(orderId)]).toEqual([true, undefined])
  expect(await take()).toBe(1)
  expect(await recordOf(orderId)).toMatchObject({ terms: { quantityWad: 4n * WAD, limitPrice8: 50_00000000n } })
})

it('an order that was not sent yet when a split took effect at once never is', async () => {
  const orderId = await world.placeLimit(WAD, 200n * WAD)
  await take()
  await apply(TODAY)
  await world.trade()
  expect(world.broker.orderIds).toEqual([])
  expect(await recordOf(orderId)).toMatchObject({ status: 'canceled', submitAttempts: 0 })
})

it('an order that the broker has, or may have, is to end with the old shares', async () => {
  const sent: BrokerOrderRequest[] = []
  const submit = world.broker.submit.bind(world.broker)
  const open = await world.placeLimit(WAD, 200n * WAD)
  await world.trade()
  world.broker.submit = async (order) => {
    sent.push(order)
    throw new Error('the broker is away')
  }
  const unanswered = await world.place(usd(100))
  await world.trade()
  expect(sent).toMatchObject([{ expiresAtMs: null }])
  await apply(TODAY)
  world.broker.submit = async (order) => {
    sent.push(order)
    return submit(order)
  }
  await world.sql`update broker_orders set next_submit_at = now()`
  await world.trade()
  expect(sent[1]).toMatchObject({ clientOrderId: unanswered, expiresAtMs: START_MS })
  expect(world.broker.cancelRequests.toSorted()).toEqual([open, unanswered].toSorted())
})

describe('a split that is applied while orders are sent, a few at once', () => {
  /** Seven orders, of which six are on their way to the broker when the split is applied. */
  async function send(exDate: string) {
    const ends = new Map<string, number | null>()
    const submit = world.broker.submit.bind(world.broker)
    const sixth = Promise.withResolvers<void>()
    const applied = sixth.promise.then(() => apply(exDate))
    world.broker.submit = async (order) => {
      ends.set(order.clientOrderId, order.expiresAtMs)
      if (ends.size === 6) sixth.resolve()
      await applied
      return submit(order)
    }
    const orderIds: string[] = []
    for (let i = 0; i < 7; i += 1) orderIds.push(await world.place(usd(1)))
    await world.trade()
    const unsent = orderIds.filter((id) => !ends.has(id))
    return { ends: [...ends.values()], unsent: await Promise.all(unsent.map(recordOf)) }
  }

  it('sends the others with their new end', async () => {
    const { ends, unsent } = await send('2026-08-04')
    expect([ends, unsent]).toEqual([[null, null, null, null, null, null, TOMORROW_MS], []])
  })

  it('sends no other when it takes effect at once', async () => {
    const { ends, unsent } = await send(TODAY)
    expect([ends.length, unsent]).toMatchObject([6, [{ status: 'canceled', submitAttempts: 0 }]])
  })
})

it('a split that is planned ends by its time what the broker has not answered yet', async () => {
  const orderId = await world.place(usd(100))
  await take()
  await apply('2026-08-04')
  expect(await recordOf(orderId)).toMatchObject({
    status: 'requested',
    cancelRequested: false,
    expiresAtMs: TOMORROW_MS,
  })
})

describe('a split that a real market announces', () => {
  const HOUR_MS = 3_600_000
  const watch = () => watchAnnouncedSplits(world.venue, world.market)
  const announce = (exDate: string, from8 = 100000000, to8 = 400000000) => world.sql`
    insert into market_corporate_actions (symbol, type, ex_date, ratio_from8, ratio_to8)
    values ('AAPL', 'split', ${exDate}::date, ${from8}, ${to8})`
  const catalogue = async () => {
    const source = { sql: world.sql, chainId: CHAIN_ID, productType: 'stock', clock: world.venue.clock }
    return openCatalogue(source)()
  }
  const published = async () => {
    await publishPrices(world.venue, publishMemory())
    const intents = await world.newIntents()
    for (const intent of intents) await world.end(intent, { state: 'final' })
    return intents.flatMap(({ args }) => args[0]).map(({ price }) => price)
  }
  /** The market has the hours of the calendar. */
  const byCalendar = async () => {
    await inTransaction(world.sql, (tx) => saveMarketHours(tx, 'calendar'))
    world.hours = usCalendar
  }
  /** The market trades at an instant; the oracle's block is not behind it. */
  const quoteAt = async (timeMs: number, price8: bigint) => {
    world.nowMs = timeMs
    TestChain.startSec = timeMs / 1000 - Number(world.chain.head.number) - 1
    await world.chain.block()
    const quote = { symbol: 'AAPL', price8, bid8: price8, ask8: price8, volumeWad: 0n, timeMs }
    const source = { name: 'test', symbols: () => ['AAPL'], latestQuotes: async () => [quote] }
    await pollQuotes(world.venue, { source, clock: world.venue.clock, hours: world.hours })
  }

  beforeEach(async () => {
    await world.sql`insert into market_origin (origin) values ('alpaca test')`
    world.nowMs = START_MS
    await watch()
  })

  it('is an alarm from a week before its ex-date until it is applied', async () => {
    await announce('2026-08-13')
    await announce('2026-07-01')
    await watch()
    world.nowMs += 3 * 24 * HOUR_MS
    await expect(watch()).rejects.toThrow(
      'the split of AAPL on 2026-08-13 is not applied: splits apply --symbol AAPL --from 1 --to 4 --ex-date 2026-08-13',
    )
    await apply('2026-08-13')
    expect(await watch()).toBeUndefined()
  })

  it('holds orders and prices from its ex-date on until it is applied', async () => {
    await announce('2026-08-04')
    await quoteAt(TOMORROW_MS - HOUR_MS, 200_00000000n)
    expect(await published()).toEqual([200_00000000n])
    const early = await world.placeLimit(WAD, 200n * WAD)
    await take()
    expect(await recordOf(early)).toMatchObject({ expiresAtMs: TOMORROW_MS })
    await quoteAt(TOMORROW_MS + HOUR_MS, 50_00000000n)
    const late = await world.placeLimit(WAD, 200n * WAD)
    await expect(watch()).rejects.toThrow('is not applied, and its new orders and its prices are held until it is')
    expect([await published(), await take(), await recordOf(late)]).toEqual([[], 0, undefined])

    world.nowMs += HOUR_MS
    await apply('2026-08-04')
    // The last quote is of new shares, though from before the split was applied.
    expect((await catalogue()).stocks.get(AAPL)).toMatchObject({
      market: { quote: { price8: 200_00000000n } },
      underlying: { quote: { price8: 50_00000000n } },
    })
    expect(await published()).toEqual([200_00000000n])
    expect(await take()).toBe(1)
    expect(await recordOf(late)).toMatchObject({ terms: { quantityWad: 4n * WAD, limitPrice8: 50_00000000n } })
    await quoteAt(TOMORROW_MS + 3 * HOUR_MS, 50_00000000n)
    expect(await published()).toEqual([200_00000000n])
    expect(await watch()).toBeUndefined()
  })

  it('holds nothing where it leaves the shares as they are: a split and its reverse on one day', async () => {
    await announce('2026-08-04', 10_000_000_000, 10_000_000_000)
    await quoteAt(TOMORROW_MS + HOUR_MS, 200_00000000n)
    const orderId = await world.placeLimit(WAD, 200n * WAD)
    expect([await watch(), await published(), await take()]).toEqual([undefined, [200_00000000n], 1])
    expect(await recordOf(orderId)).toMatchObject({ terms: { quantityWad: WAD } })
  })

  it('that was applied late counts buys by what the new shares cost, before the first quote after it', async () => {
    world.mintCaps.set(AAPL, { capacityWad: 100n * WAD, mintableWad: 100n * WAD })
    await quoteAt(TOMORROW_MS + HOUR_MS, 2_000_00000000n)
    world.nowMs += HOUR_MS
    await apply('2026-08-04', '10', '1')
    // A token of a tenth of a share costs 200 USD, and counts for 190 USD of an order at the market.
    const [fits, tooLarge] = [await world.place(usd(190 * 100)), await world.place(usd(190 * 100 + 1))]
    await take()
    expect([await recordOf(fits), await recordOf(tooLarge)]).toMatchObject([
      { status: 'requested' },
      { status: 'rejected', rejectReason: expect.stringContaining('more than 100 tokens') },
    ])
  })

  it('ends what the broker has, or may have, of a weekend whose end is an applied split that was not announced', async () => {
    await byCalendar()
    await quoteAt(Date.parse('2026-08-08T12:00:00-04:00'), 200_00000000n)
    const accepted = await world.placeLimit(WAD, 200n * WAD)
    await world.trade()
    world.broker.submit = () => Promise.reject(new Error('the answer was lost'))
    const unanswered = await world.placeLimit(WAD, 200n * WAD)
    await world.trade()
    const unsent = await world.placeLimit(WAD, 200n * WAD)
    await take()
    expect(await recordOf(accepted)).toMatchObject({ expiresAtMs: Date.parse('2026-08-10T20:00:00-04:00') })
    await apply('2026-08-10')
    const expiresAtMs = Date.parse('2026-08-09T20:00:00-04:00')
    expect(await recordOf(accepted)).toMatchObject({ status: 'accepted', cancelRequested: true })
    expect(await recordOf(unanswered)).toMatchObject({ status: 'requested', cancelRequested: true, expiresAtMs })
    expect(await recordOf(unsent)).toMatchObject({ status: 'requested', cancelRequested: false, expiresAtMs })
  })

  it('that is given again ends what an older version has left at the broker, and nothing once it has taken effect', async () => {
    await byCalendar()
    await quoteAt(Date.parse('2026-08-08T12:00:00-04:00'), 200_00000000n)
    const beyond = await world.placeLimit(WAD, 200n * WAD)
    await world.trade()
    await apply('2026-08-10')
    // Sent by an older version, with the split for its end, before which nothing opens.
    const kept = await world.placeLimit(WAD, 200n * WAD)
    await world.trade()
    await world.sql`update broker_orders set cancel_requested_at = null`
    const first = await apply('2026-08-10')
    for (const id of [beyond, kept])
      expect(await recordOf(id)).toMatchObject({ status: 'accepted', cancelRequested: true })
    world.nowMs = Date.parse('2026-08-09T20:00:00-04:00')
    const fresh = await world.placeLimit(WAD, 200n * WAD)
    await world.trade()
    expect(await apply('2026-08-10')).toBe(first)
    expect(await recordOf(fresh)).toMatchObject({ status: 'accepted', cancelRequested: false })
  })

  it('that is given again leaves what ends with the day before it', async () => {
    await byCalendar()
    await apply('2026-08-04')
    const orderId = await world.placeLimit(WAD, 200n * WAD)
    await world.trade()
    await apply('2026-08-04')
    expect(await recordOf(orderId)).toMatchObject({ status: 'accepted', cancelRequested: false })
  })

  it('takes an order that is to be cancelled while it is held', async () => {
    await announce('2026-08-04')
    await quoteAt(TOMORROW_MS + HOUR_MS, 50_00000000n)
    const orderId = await world.placeLimit(WAD, 200n * WAD)
    await world.chain.emit(cancelRequested(orderId))
    await world.trade()
    expect(await recordOf(orderId)).toMatchObject({ status: 'canceled', submitAttempts: 0 })
    expect(world.broker.orderIds).toEqual([])
  })

  describe('in a database that was upgraded on or after its ex-date', () => {
    const upgrade = () => world.sql.file(join(MIGRATIONS, '271.do.tokens-known-earlier.sql'))
    const traded = (exDate: string) => world.sql`
      insert into taken_orders (chain_id, order_id, token, order_type, side, amount_wad, shares_per_token_wad, taken_at)
      values (${CHAIN_ID}, ${exDate}, ${AAPL}, 'Limit', 'Buy', 1, 1, ${`${exDate}T12:00:00Z`})`

    it('is known by the trades of before, from the first on', async () => {
      await announce('2026-05-10')
      await announce('2026-05-01')
      expect(await watch()).toBeUndefined()
      for (const date of ['2026-06-02', '2026-05-02', '2026-07-02']) await traded(date)
      await upgrade()
      await expect(watch()).rejects.toThrow(/^the split of AAPL on 2026-05-10 is not applied, and its new orders[^;]*$/)
      await apply('2026-05-10')
      expect(await watch()).toBeUndefined()
    })

    it('is not wanted a second time where it was applied under another date', async () => {
      await traded('2020-05-02')
      await world.sql`
        insert into token_splits (chain_id, token, ex_date, ticker, effective_at, shares_per_token_wad, actor)
        values (${CHAIN_ID}, ${AAPL}, '2020-06-09', 'AAPL', '2020-06-09T04:00:00Z', ${String(4n * WAD)}, 'cli:test'),
          (${CHAIN_ID}, ${AAPL}, '2999-01-01', 'AAPL', '2999-01-01T04:00:00Z', ${String(8n * WAD)}, 'cli:test')`
      await announce('2020-06-10')
      await upgrade()
      expect(await watch()).toBeUndefined()
      await announce('2026-08-01')
      await expect(watch()).rejects.toThrow(/^the split of AAPL on 2026-08-01 is not applied[^;]*$/)
    })
  })

  it('is not applied with another ratio unless that is said', async () => {
    await announce('2026-08-04')
    await expect(apply('2026-08-04', '4', '1')).rejects.toThrow(
      "the market's source says of AAPL on 2026-08-04 1 to 4, not 4 to 1: nothing was applied; --other-ratio applies",
    )
    expect(await listAppliedSplits(world.sql)).toEqual([])
    expect(await apply('2026-08-04', '2', '6', '--other-ratio')).toContain('stands for 3 shares')
  })
})
