import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testVenue } from '../../http/testing.ts'
import { systemClock } from '../../lib/clock.ts'
import { lengthOf } from '../../lib/testing-campaign.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { testContext } from '../testing/context.ts'
import { Recorded } from '../testing/recorded.ts'
import { TradingDesk } from '../testing/trading-desk.ts'
import type { Wallet } from '../testing/wallet.ts'
import { perpRoutes } from './register.ts'

// Queries near to right ones and far from them, of every read: none makes the venue fail, and none changes a row.

const SEED = 20_261_123
const RUNS = Number(process.env.FUZZ_RUNS ?? lengthOf({ short: 200, whole: 600 }))
const PREFIX = '/v4/public/'

let desk: TradingDesk
let recorded: Recorded
let alice: Wallet
let reads: readonly { readonly path: string; readonly fields: readonly string[] }[]
beforeAll(async () => {
  desk = await TradingDesk.open()
  recorded = await Recorded.start(desk.chain)
  alice = await desk.approvedWallet(0)
  const trade = {
    instrument: 'BTC/USDC',
    expiry: PERPETUAL_EXPIRY,
    slippageBps: 300,
    leverage: '5',
    side: 2,
    size: '0.1',
  }
  await desk.done(alice, 'market', trade)
  await recorded.caughtUp()
  const { rpc, deployment } = desk.chain
  const context = testContext(testVenue({ rpc, deployment, sql: recorded.database.sql, clock: systemClock }))
  reads = perpRoutes(context)
    .filter(({ method }) => method === 'GET')
    .map(({ path, schema }) => ({ path: path.slice(PREFIX.length), fields: fieldsOf(schema) }))
})
afterAll(async () => {
  await recorded?.close()
  await desk?.close()
})

const fieldsOf = (schema: object): readonly string[] =>
  Object.keys((schema as { query?: { properties?: object } }).query?.properties ?? {})

/** What each parameter may be, where it may be something. */
const right = (name: string): string | undefined =>
  ({
    symbol: 'BTC/USDC',
    interval: '1h',
    chainId: String(desk.chain.deployment.chainId),
    expiry: String(PERPETUAL_EXPIRY),
    instrument: desk.chain.contract('Gate'),
    userAddress: alice.address,
    address: alice.address,
    orderId: '1',
    page: '1',
    size: '5',
    limit: '5',
    tick: '110000',
    notional: '1000000000000000000000',
    long: 'true',
  })[name]

const anyText = fc.oneof(
  fc.constantFrom(
    ...[
      '',
      ' ',
      '0',
      '-1',
      '1.5',
      '1e3',
      'NaN',
      'true',
      'null',
      '[]',
      '{}',
      '%00',
      '\u0000',
      '🙂',
      '__proto__',
      "'; --",
    ],
    ...['9223372036854775807', '9223372036854775808', '99999999999999999999999999', '4294967295', '4294967296'],
    ...['2147483648', '-2147483649', '8388608', '443637', '-322518', '9'.repeat(80), '0x', `0x${'0'.repeat(40)}`],
    ...['BTC/USDC', 'btc/usdc', 'BTC-USDC', 'DOGE/USDC', '1m', '1M', '1y', 'deposit', '1700000000', '17000000000000'],
  ),
  fc.string({ maxLength: 30 }),
  fc.bigInt({ min: -(1n << 130n), max: 1n << 130n }).map(String),
)

/** A read with some of its parameters right, some spoilt, and at times one that it does not know. */
const anyQuery = fc.nat().chain((at) =>
  fc.record({
    at: fc.constant(at),
    changes: fc.array(fc.tuple(fc.nat(), fc.option(anyText, { nil: undefined })), { maxLength: 3 }),
    unknown: fc.boolean(),
    keep: fc.boolean(),
  }),
)

const rowCounts = async () => {
  const { sql } = recorded.database
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class where relkind in ('r', 'p') and relname ~ '^(perp_|tx_intents|api_keys|outbox)' order by 1`
  return Promise.all(
    tables.map(async ({ name }) => {
      const [row] = await sql.unsafe(`select count(*)::int as count from ${name}`)
      return [name, row?.count]
    }),
  )
}

describe('queries of every read', () => {
  it('never fail for the venue’s own fault, and change nothing', async () => {
    expect(reads.length).toBeGreaterThan(40)
    const before = await rowCounts()
    const seen = new Map<number, number>()
    await fc.assert(
      fc.asyncProperty(anyQuery, async ({ at, changes, unknown, keep }) => {
        const { path, fields } = reads[at % reads.length] as (typeof reads)[number]
        const sound = fields.flatMap((name) =>
          right(name) === undefined || !keep ? [] : [[name, String(right(name))]],
        )
        const spoilt = changes.flatMap(([nth, text]) => {
          const name = unknown ? 'colour' : (fields[nth % Math.max(1, fields.length)] ?? 'colour')
          return text === undefined ? [] : [[name, text]]
        })
        const query = Object.fromEntries([...sound, ...spoilt]) as Record<string, string>
        const { status, code, msg } = await recorded.get(path, query, alice.address)
        expect([200, 400, 403], `${path} ${JSON.stringify(query)}: ${msg}`).toContain(status)
        expect((status === 200) === (code === 0)).toBe(true)
        seen.set(status, (seen.get(status) ?? 0) + 1)
      }),
      { seed: SEED, numRuns: RUNS },
    )
    // Both ways were met.
    expect([(seen.get(200) ?? 0) > RUNS / 20, (seen.get(400) ?? 0) > RUNS / 10]).toEqual([true, true])
    expect(await rowCounts()).toEqual(before)
  })
})
