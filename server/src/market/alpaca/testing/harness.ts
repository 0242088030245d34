import type { Sql } from '../../../db/pool.ts'
import { createLogger } from '../../../lib/logger.ts'
import type { Pace } from '../books.ts'
import { type AlpacaSettings, type OpenMarket, openAlpacaMarket } from '../market.ts'
import { Account, type AccountAsset } from './account.ts'
import type { MarketDataAnswers } from './market-data.ts'
import { KEY_ID, SECRET_KEY, WireServer } from './wire-server.ts'

// A market at a server of our own: what the tests of the adapter start with.

export const USD8 = 100_000_000n
/** Monday 3 August 2026, 11:00 in New York: a regular session. */
export const START_MS = Date.UTC(2026, 7, 3, 15, 0, 0)
/** Without a delay between requests. */
export const AT_ONCE: Pace = { hintedMs: 0, pollMs: 0, reconcileMs: 0 }

const stock: AccountAsset = {
  name: 'Apple Inc. Common Stock',
  status: 'active',
  tradable: true,
  fractionable: true,
  attributes: ['fractional_eh_enabled', 'overnight_tradable', 'has_options'],
  bid8: 229n * USD8,
  ask8: 230n * USD8,
}

export const ASSETS: ReadonlyMap<string, AccountAsset> = new Map([
  ['AAPL', stock],
  ['MSFT', { ...stock, name: 'Microsoft Corporation Common Stock', bid8: 429n * USD8, ask8: 430n * USD8 }],
  ['HALT', { ...stock, name: 'Halted', tradable: false }],
  ['BRK.B', { ...stock, name: 'Berkshire Hathaway Inc. Class B', fractionable: false, attributes: [] }],
  ['DAYF', { ...stock, name: 'Fractions by day', attributes: [] }],
])

export interface Clock {
  nowMs(): number
  set(timeMs: number): void
  advance(ms: number): void
}

export function testClock(startMs = START_MS): Clock {
  let nowMs = startMs
  return {
    nowMs: () => nowMs,
    set: (timeMs) => {
      nowMs = timeMs
    },
    advance: (ms) => {
      nowMs += ms
    },
  }
}

export function wireServer(
  clock: Pick<Clock, 'nowMs'>,
  accountId = 'e6fe16f3-64a4-4921-8928-cadf02f92f98',
): Promise<WireServer> {
  const data: MarketDataAnswers = {
    assets: ASSETS,
    snapshots: {},
    bars: {},
    corporateActions: {},
    calendar: [],
    pageSize: 1000,
  }
  return new WireServer(new Account(accountId, ASSETS, () => clock.nowMs()), data).start()
}

export const settingsOf = (server: WireServer, symbols: readonly string[] = [...ASSETS.keys()]): AlpacaSettings => ({
  keyId: KEY_ID,
  secretKey: SECRET_KEY,
  tradingUrl: server.url,
  dataUrl: server.url,
  streamUrl: server.url.replace('http', 'ws'),
  feed: 'iex',
  symbols,
})

export interface MarketChanges {
  readonly pace?: Pace
  readonly settings?: Partial<AlpacaSettings>
  readonly log?: ReturnType<typeof createLogger>
}

export function openTestMarket(
  sql: Sql,
  server: WireServer,
  clock: Clock,
  changes: MarketChanges = {},
): Promise<OpenMarket> {
  return openAlpacaMarket(sql, {
    settings: { ...settingsOf(server), ...changes.settings },
    clock,
    log: changes.log ?? createLogger('silent'),
    pace: changes.pace ?? AT_ONCE,
    firstRetryMs: 1,
    timeoutMs: 5_000,
  })
}

/** Waits for a condition; a test that waits in vain fails by its own time limit. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5))
}
