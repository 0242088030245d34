import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLogger } from '../../lib/logger.ts'
import { usCalendar } from '../calendar/us-calendar.ts'
import { type AlpacaQuotes, alpacaQuotes } from './quotes.ts'
import { alpacaRest } from './rest.ts'
import { settingsOf, testClock, until, wireServer } from './testing/harness.ts'
import type { WireServer } from './testing/wire-server.ts'

const OPEN = '2026-08-03T15:00:0'
const T = (seconds: number) => `${OPEN}${seconds}.123456789Z`
const ms = (seconds: number) => Date.parse(`${OPEN}${seconds}.123Z`)

let server: WireServer
let quotes: AlpacaQuotes
beforeEach(async () => {
  server = await wireServer(testClock())
  server.data.snapshots = { AAPL: snapshot({}), MSFT: null, HALT: snapshot({ latestQuote: null }) }
  quotes = start()
})
afterEach(async () => {
  quotes.close()
  await server.stop()
})

function start(changes: { secretKey?: string } = {}): AlpacaQuotes {
  const settings = { ...settingsOf(server, ['AAPL', 'MSFT', 'HALT']), ...changes }
  const rest = alpacaRest({ ...settings, firstRetryMs: 1 })
  return alpacaQuotes({ ...settings, rest, hours: usCalendar, log: createLogger('silent'), firstRetryMs: 1 })
}

const trade = (seconds: number, p: number, rest: object = {}) => ({
  t: T(seconds),
  x: 'V',
  p,
  s: 100,
  c: ['@'],
  i: 1,
  z: 'C',
  ...rest,
})
const best = (seconds: number, bp: number, ap: number) => ({
  t: T(seconds),
  bx: 'V',
  bp,
  bs: 1,
  ax: 'V',
  ap,
  as: 2,
  c: ['R'],
  z: 'C',
})
const snapshot = (changes: object) => ({
  latestTrade: trade(1, 229.455),
  latestQuote: best(2, 229.45, 229.47),
  dailyBar: { t: '2026-08-03T04:00:00Z', o: 229, h: 230, l: 228.5, c: 229.455, v: 1_234_567, n: 10, vw: 229.1 },
  ...changes,
})
const SNAPSHOT = {
  symbol: 'AAPL',
  price8: 22_945_500_000n,
  bid8: 22_945_000_000n,
  ask8: 22_947_000_000n,
  volumeWad: 1_234_567n * 10n ** 18n,
  timeMs: ms(2),
}
const apple = async () => (await quotes.latestQuotes()).find(({ symbol }) => symbol === 'AAPL')
/** Waits until a marker sent after them has arrived. */
async function heard(items: readonly unknown[]): Promise<void> {
  const marker = (server.account.nowMs() % 1000) + Math.floor(performance.now() * 1000)
  server.tell([...items, { T: 'd', S: 'MSFT', t: '2026-08-03T04:00:00Z', v: marker }])
  server.tell([
    { T: 't', S: 'MSFT', ...trade(9, marker) },
    { T: 'q', S: 'MSFT', ...best(9, 1, 2) },
  ])
  await until(async () => (await quotes.latestQuotes()).some((one) => one.price8 === BigInt(marker) * 10n ** 8n))
}

describe('quotes', () => {
  it('begin with a snapshot, with the times of the source; what has no trade or no quote is absent', async () => {
    expect(await quotes.latestQuotes()).toEqual([SNAPSHOT])
    expect(quotes.symbols()).toEqual(['AAPL', 'MSFT', 'HALT'])
  })

  it('follow the stream, and never go back', async () => {
    await quotes.latestQuotes()
    await heard([
      { T: 'q', S: 'AAPL', ...best(4, 229.5, 229.52) },
      { T: 't', S: 'AAPL', ...trade(3, 229.51) },
      { T: 't', S: 'AAPL', ...trade(1, 100) },
      { T: 'q', S: 'AAPL', ...best(3, 1, 2) },
      { T: 'd', S: 'AAPL', t: '2026-08-03T04:00:00Z', v: 1_300_000 },
      { T: 'd', S: 'AAPL', t: '2026-08-03T04:00:00Z', v: 1_200_000 },
      { T: 't', S: 'NONE', ...trade(9, 1) },
    ])
    expect(await apple()).toEqual({
      symbol: 'AAPL',
      price8: 22_951_000_000n,
      bid8: 22_950_000_000n,
      ask8: 22_952_000_000n,
      volumeWad: 1_300_000n * 10n ** 18n,
      timeMs: ms(4),
    })
  })

  it('take no price from trades that were not made at the market', async () => {
    await quotes.latestQuotes()
    await heard([
      { T: 't', S: 'AAPL', ...trade(5, 100, { c: ['@', 'W'] }) },
      { T: 't', S: 'AAPL', ...trade(4, 229.6, { c: ['@', 'I'], i: 7 }) },
    ])
    expect(await apple()).toMatchObject({ price8: 22_960_000_000n })
    await heard([{ T: 'c', S: 'AAPL', t: T(4), oi: 7, op: 229.6, ci: 8, cp: 229.61, cc: ['@'] }])
    expect(await apple()).toMatchObject({ price8: 22_961_000_000n })
    await heard([{ T: 'x', S: 'AAPL', t: T(4), i: 8, p: 229.61, s: 100, a: 'C' }])
    expect(await apple()).toBeUndefined()
  })

  it.each([
    ['has one side only', best(3, 0, 229.52)],
    ['is crossed', best(3, 229.6, 229.5)],
    ['is of another trade date than the trade', { ...best(3, 229.5, 229.52), t: '2026-08-04T00:00:01Z' }],
    ['cannot be read', { ...best(3, 1, 2), bp: 'many', t: T(3) }],
  ])('leave a symbol out whose quote %s', async (what, quote) => {
    await quotes.latestQuotes()
    await heard([{ T: 'q', S: 'AAPL', ...quote }])
    // What cannot be read leaves what was known.
    expect(await apple()).toEqual(what === 'cannot be read' ? SNAPSHOT : undefined)
  })

  it('are refused while the stream is away, and whole again after it: the snapshot has what was missed', async () => {
    await quotes.latestQuotes()
    server.faults.request = () => '500'
    server.cutStreams()
    await until(() => server.dataSockets.size === 0)
    await until(() =>
      quotes.latestQuotes().then(
        () => false,
        () => true,
      ),
    )
    server.data.snapshots = { AAPL: snapshot({ latestTrade: trade(5, 231), latestQuote: best(6, 230.9, 231.1) }) }
    server.faults.request = () => 'none'
    await until(() =>
      apple().then(
        (quote) => quote?.price8 === 23_100_000_000n,
        () => false,
      ),
    )
    expect(await apple()).toMatchObject({ timeMs: ms(6) })
  })

  it('are refused to a wrong key, and a second connection waits for the first to go', async () => {
    await quotes.latestQuotes()
    const second = start()
    await expect(second.latestQuotes()).rejects.toMatchObject({ reason: { name: 'broker_unavailable' } })
    quotes.close()
    await until(() =>
      second.latestQuotes().then(
        () => true,
        () => false,
      ),
    )
    second.close()
    const wrong = start({ secretKey: 'wrong' })
    await expect(wrong.latestQuotes()).rejects.toMatchObject({ reason: { name: 'broker_unavailable' } })
    wrong.close()
  })
})
