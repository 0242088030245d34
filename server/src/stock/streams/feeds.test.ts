import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Caller } from '../../http/caller.ts'
import type { StreamDelta, StreamSource } from '../../http/stream-source.ts'
import { pollQuotes } from '../../market/tasks.ts'
import { splitCommand } from '../keeper/split-commands.ts'
import { applySplits } from '../keeper/splits.ts'
import { CHAIN_ID } from '../testing/chain.ts'
import { testContext } from '../testing/context.ts'
import { KeeperWorld, START_MS } from '../testing/keeper.ts'
import { stockStreamSource } from './source.ts'

// Quotes and bars of a real market, followed while its token is split and nothing is traded.

const HOUR_MS = 3_600_000
/** Midnight in New York after START_MS. */
const TOMORROW_MS = Date.UTC(2026, 7, 4, 4)

let world: KeeperWorld
let source: StreamSource<Caller | null>
beforeEach(async () => {
  world = await KeeperWorld.open()
  await world.sql`insert into market_origin (origin) values ('alpaca test')`
  source = stockStreamSource(testContext(world.venue))
})
afterEach(() => world.drop())

async function quoteAt(timeMs: number, dollars: number): Promise<void> {
  world.nowMs = timeMs
  const price8 = BigInt(dollars) * 10n ** 8n
  const quote = { symbol: 'AAPL', price8, bid8: price8, ask8: price8, volumeWad: 0n, timeMs }
  const quotes = { name: 'test', symbols: () => ['AAPL'], latestQuotes: async () => [quote] }
  await pollQuotes(world.venue, { source: quotes, clock: world.venue.clock, hours: world.hours })
}

const split = (exDate: string) =>
  splitCommand(['apply', '--symbol', 'AAPL', '--from', '1', '--to', '4', '--ex-date', exDate], {
    sql: world.sql,
    chainId: CHAIN_ID,
    clock: world.venue.clock,
    actor: 'cli:test',
  })
const keep = () => applySplits(world.venue, world.venue.clock)

const closesOf = (dataJson = '[]') => (JSON.parse(dataJson) as { close: number }[]).map(({ close }) => close)
const quoteOf = (dataJson = '{"basicInfo":{},"onChain":{}}') => {
  const { basicInfo, onChain } = JSON.parse(dataJson)
  return [basicInfo.price, onChain.sharesPerToken]
}

/** What a follower at a sequence is told once the heads have moved: null where it needs a new snapshot. */
async function told(channel: string, sequence: bigint): Promise<readonly StreamDelta[] | null> {
  const head = (await source.heads([channel])).get(channel) ?? 0n
  return head === sequence ? [] : source.deltas(channel, sequence, head)
}

describe('a split that nothing is traded after', () => {
  it.each([
    ['by the keeper’s clock', 0],
    ['by one behind it', 300],
  ])('that was applied late is told at once, %s: quote, bar of the day, and all earlier bars', async (_, behindMs) => {
    await quoteAt(START_MS - 24 * HOUR_MS, 200)
    await quoteAt(START_MS - HOUR_MS, 50)
    await quoteAt(START_MS, 50)
    const [quotes, days, minutes] = ['quotes:AAPL', 'candles:AAPL:1d', 'candles:AAPL:1m'] as const
    const [quote, day, minute] = [
      await source.snapshot(quotes),
      await source.snapshot(days),
      await source.snapshot(minutes),
    ]
    expect([quoteOf(quote.dataJson), closesOf(day.dataJson)]).toEqual([
      [50, 1],
      [200, 50],
    ])
    await split('2026-08-03')
    world.nowMs = START_MS - behindMs
    await applySplits(world.venue, { nowMs: () => START_MS })
    const [newQuote, ...otherQuotes] = (await told(quotes, quote.sequence)) ?? []
    expect([quoteOf(newQuote?.dataJson), otherQuotes]).toEqual([[200, 4], []])
    const [newDay] = (await told(days, day.sequence)) ?? []
    expect(closesOf(newDay?.dataJson)).toEqual([200])
    expect(await told(minutes, minute.sequence)).toBeNull()
    expect(closesOf((await source.snapshot(minutes)).dataJson)).toEqual([200, 200, 200])
  })

  it('that was planned is told when it takes effect, once', async () => {
    await quoteAt(START_MS, 200)
    await split('2026-08-04')
    const { sequence, dataJson } = await source.snapshot('quotes:AAPL')
    await keep()
    expect([quoteOf(dataJson), await told('quotes:AAPL', sequence)]).toEqual([[200, 1], []])
    world.nowMs = TOMORROW_MS
    await keep()
    const [newQuote] = (await told('quotes:AAPL', sequence)) ?? []
    expect(quoteOf(newQuote?.dataJson)).toEqual([200, 4])
    await keep()
    expect(await told('quotes:AAPL', newQuote?.sequence ?? 0n)).toEqual([])
  })
})
