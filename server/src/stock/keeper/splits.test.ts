import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WAD } from '../../lib/wad.ts'
import { listAppliedSplits } from '../../market/applied-splits.ts'
import { newYorkInstant, newYorkTime } from '../../market/calendar/new-york.ts'
import { listCorporateActions } from '../../market/corporate-action-store.ts'
import { openCatalogue } from '../listing/catalogue.ts'
import { AAPL, CHAIN_ID, LONG_AGO_SEC, MSFT, published, TestChain } from '../testing/chain.ts'
import { KeeperWorld, START_MS } from '../testing/keeper.ts'
import { publishMemory, publishPrices } from './publish-prices.ts'
import { splitCommand } from './split-commands.ts'
import { applySplits } from './splits.ts'

let world: KeeperWorld
beforeEach(async () => {
  // The chain is never behind the sources of the prices.
  TestChain.startSec = Date.UTC(2026, 7, 5) / 1000
  world = await KeeperWorld.open()
})
afterEach(async () => {
  TestChain.startSec = LONG_AGO_SEC
  await world.drop()
})

const run = (...args: string[]) =>
  splitCommand(args, { sql: world.sql, chainId: CHAIN_ID, clock: world.venue.clock, actor: 'cli:test' })
const apply = (symbol: string, from: string, to: string, exDate: string) =>
  run('apply', '--symbol', symbol, '--from', from, '--to', to, '--ex-date', exDate)
const round = async () => {
  await applySplits(world.venue, world.venue.clock)
  return world.newIntents()
}
/** Midnight in New York after START_MS. */
const TOMORROW_MS = Date.UTC(2026, 7, 4, 4)

async function quote(price8: bigint, timeMs: number): Promise<void> {
  await world.sql`
    insert into market_quotes (symbol, price8, bid8, ask8, source_time, session, trade_date, open_price8, high_price8,
      low_price8, previous_close_price8, reference_price8, volume_counter_wad, volume_total_wad, volume_24h_wad,
      trade_date_start)
    values ('AAPL', ${price8.toString()}, ${(price8 - 100n).toString()}, ${(price8 + 100n).toString()},
      ${new Date(timeMs)}, 2, ${new Date(timeMs - 4 * 3_600_000).toISOString().slice(0, 10)}::date, ${price8.toString()},
      ${price8.toString()}, ${price8.toString()}, 20000000000, 20000000000, 0, 0, 0,
      ${new Date(newYorkInstant(newYorkTime(timeMs).date, 0))})
    on conflict (symbol) do update set price8 = excluded.price8, bid8 = excluded.bid8, ask8 = excluded.ask8,
      source_time = excluded.source_time, trade_date = excluded.trade_date,
      trade_date_start = excluded.trade_date_start, open_price8 = excluded.open_price8,
      high_price8 = excluded.high_price8, low_price8 = excluded.low_price8`
}

describe('splits apply', () => {
  it('records the action and tells the chain when the trade date begins, once', async () => {
    const said = await apply('AAPL', '1', '4', '2026-08-04')
    expect(said).toBe('From 2026-08-04T04:00:00.000Z on one AAPL token stands for 4 shares.\n')
    expect(await listCorporateActions(world.sql, { symbol: 'AAPL', fromSec: null, toSec: null })).toMatchObject([
      { type: 'split', exDate: '2026-08-04', ratioFrom8: 10n ** 8n, ratioTo8: 4n * 10n ** 8n },
    ])
    world.nowMs = TOMORROW_MS - 1
    expect(await round()).toEqual([])
    expect(await run('list')).toContain('shares per token 4  planned')
    world.nowMs = TOMORROW_MS
    const [intent, ...others] = await round()
    expect(others).toEqual([])
    expect([intent?.to, intent?.name, intent?.args]).toEqual([AAPL, 'setSharesPerToken', [4n * WAD]])
    expect(await round()).toEqual([])
    expect(await run('list')).toContain('  sent\n')
    if (intent) await world.end(intent, { state: 'final' })
    expect(await round()).toEqual([])
    expect(await run('list')).toContain('  applied\n')
  })

  it('given again is the one that stands', async () => {
    const first = await apply('AAPL', '1', '4', '2026-08-04')
    world.nowMs += 60_000
    expect(await apply('AAPL', '2', '8', '2026-08-04')).toBe(first)
    await expect(apply('AAPL', '1', '5', '2026-08-04')).rejects.toThrow(
      'AAPL has another split on 2026-08-04: 1 to 4; an applied split cannot be changed',
    )
    expect(await listAppliedSplits(world.sql)).toHaveLength(1)
  })

  it('multiplies with those before it, and takes effect at once when its day has begun', async () => {
    await apply('AAPL', '1', '4', '2026-08-03')
    expect((await round()).map(({ args }) => args)).toEqual([[4n * WAD]])
    expect(await apply('AAPL', '20', '21', '2026-08-04')).toContain('stands for 4.2 shares')
    await expect(apply('AAPL', '1', '2', '2026-08-01')).rejects.toThrow('must take effect after that one')
    expect(await listAppliedSplits(world.sql)).toHaveLength(2)
    expect(await apply('MSFT', '10', '1', '2026-08-01')).toContain('stands for 0.1 shares')
    expect((await round()).map(({ to, args }) => [to, args])).toEqual([[MSFT, [WAD / 10n]]])
  })

  it('is tried again a minute after it failed', async () => {
    await apply('AAPL', '1', '4', '2026-08-03')
    const [intent] = await round()
    if (intent) await world.end(intent, { state: 'rejected' })
    expect(await run('list')).toContain('  failed\n')
    expect(await round()).toEqual([])
    await world.sql`update tx_intents set state_at = now() - interval '61 seconds'`
    expect((await round()).map(({ args }) => args)).toEqual([[4n * WAD]])
  })

  it.each([
    [['apply'], '--symbol, --from, --to and --ex-date are all required'],
    [['apply', '--symbol', 'AAPL', '--from', '1', '--to', '4', '--ex-date', '4.8.2026'], '--ex-date must be a date'],
    [['apply', '--symbol', 'AAPL', '--from', '1', '--to', '1', '--ex-date', '2026-08-04'], 'that is no split'],
    [
      ['apply', '--symbol', 'AAPL', '--from', '0', '--to', '1', '--ex-date', '2026-08-04'],
      '--from must be greater than zero',
    ],
    [
      ['apply', '--symbol', 'AAPL', '--from', '1', '--to', '1e1', '--ex-date', '2026-08-04'],
      '--to must not use an exponent',
    ],
    [
      ['apply', '--symbol', 'aapl', '--from', '1', '--to', '4', '--ex-date', '2026-08-04'],
      'has no token of "aapl"; it has AAPL, MSFT',
    ],
    [['apply', '--sybmol', 'AAPL'], "Unknown option '--sybmol'"],
    [['undo'], 'unknown command undo'],
    [[], 'a command is missing'],
  ])('%s is refused with what would be right, and records nothing', async (args, problem) => {
    await expect(run(...args)).rejects.toThrow(problem)
    expect(await listAppliedSplits(world.sql)).toEqual([])
    expect(await run('list')).toBe('No token was split.\n')
  })
})

describe('prices', () => {
  it('of a token go on where they were: on the oracle, and in what the API lists', async () => {
    await quote(200_00000000n, TOMORROW_MS - 1000)
    const publish = async () => {
      await publishPrices(world.venue, publishMemory())
      const intents = await world.newIntents()
      for (const intent of intents) await world.end(intent, { state: 'final' })
      return intents.flatMap(({ args }) => args[0]).map(({ price, bestBid, session }) => [price, bestBid, session])
    }
    expect(await publish()).toEqual([[200_00000000n, 199_99999900n, 2]])
    await apply('AAPL', '1', '4', '2026-08-04')
    await quote(50_00000000n, TOMORROW_MS)
    expect(await publish()).toEqual([[200_00000000n, 199_99999600n, 2]])

    const clock = { nowMs: () => START_MS }
    const catalogue = await openCatalogue({ sql: world.sql, chainId: CHAIN_ID, productType: 'Bourse', clock })()
    const token = catalogue.stocks.get(AAPL)?.market.quote
    expect([token?.price8, token?.previousClose8, token?.change24h8]).toEqual([200_00000000n, 200_00000000n, 0n])
    const share = catalogue.symbols.get('AAPL')?.quote
    expect([share?.price8, share?.previousClose8, share?.change24hPpm]).toEqual([50_00000000n, 50_00000000n, 0n])
  })

  it('are published when the session changes, however little they moved', async () => {
    const publish = async () => {
      await publishPrices(world.venue, publishMemory())
      const intents = await world.newIntents()
      for (const intent of intents) await world.end(intent, { state: 'final' })
      return intents.flatMap(({ args }) => args[0]).map(({ session }) => session)
    }
    await quote(200_00000000n, START_MS)
    const [name, price] = published('AAPL', 200_00000000n)
    await world.chain.emit([name, { ...price, feedUpdateTimestamp: BigInt(START_MS / 1000) }])
    expect(await publish()).toEqual([])
    for (const session of [3, 4, 0, 1]) {
      await world.sql`update market_quotes set session = ${session}`
      expect(await publish()).toEqual([session])
    }
  })
})
