import fc from 'fast-check'
import { erc20Abi, maxUint256 } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Hex } from '../../../chain/types.ts'
import { lengthOf } from '../../../lib/testing-campaign.ts'
import { ACTIONS, type ActionName } from '../../actions/actions.ts'
import { PERPETUAL_EXPIRY } from '../../listing/catalogue.ts'
import { type AccessVenue, startAccessVenue } from '../../testing/access-venue.ts'
import { type PerpApi, servePerp } from '../../testing/api.ts'

// Bodies near to right ones and far from them: none makes the venue fail, and what is refused changes nothing.

const SEED = 20_251_122
const RUNS = Number(process.env.FUZZ_RUNS ?? lengthOf({ short: 80, whole: 250 }))

let venue: AccessVenue
let api: PerpApi
let user: Hex
beforeAll(async () => {
  venue = await startAccessVenue()
  const keyed = await venue.user(0)
  await keyed.enable()
  user = keyed.address
  const btc = await venue.chain.instrument('BTC/USDC')
  const { quote } = await venue.chain.readInstrument(btc, 'getSetting', [])
  const account = venue.chain.accounts.users[0]
  if (!account) throw new Error('there is no account')
  await venue.chain.send(account, quote, erc20Abi, 'approve', [venue.chain.contract('Gate'), maxUint256])
  // Without the limit of requests that a key has.
  api = await servePerp(venue.chain, { sql: venue.database.sql })
})
afterAll(async () => {
  await api?.close()
  await venue?.stop()
})

/** A right body of each action. */
const SOUND: Readonly<Record<ActionName, Readonly<Record<string, unknown>>>> = {
  market: { size: '0.01', side: 2, leverage: '5', slippageBps: 50 },
  limit: { size: '0.02', side: 2, leverage: '5', price: '59000', postOnly: true, markPriceBufferInBps: 10 },
  scaled: { size: '0.1', side: 1, leverage: '5', prices: ['61000', '62000'], distribution: 'UPPER' },
  cancel: { oid: '1869451624454' },
  'batch-cancel': { oids: ['1869451624454', 7] },
  fill: { oid: 1_869_451_624_454 },
  close: { slippageBps: 50, size: '0.01' },
  adjust: { leverage: '3' },
  margin: { amount: '10', type: 'add' },
  'add-liquidity': { amount: '2000', alphaLower: '1.2', alphaUpper: '1.3', slippageBps: 100 },
  'remove-liquidity': { tickLower: 109_000, tickUpper: 111_000, slippageBps: 100 },
  deposit: { quote: 'USDC', amount: '10' },
  withdraw: { quote: 'USDC', amount: '10' },
}
const PAIR = { instrument: 'BTC/USDC', expiry: PERPETUAL_EXPIRY }
const isOfGate = (action: ActionName) => action === 'deposit' || action === 'withdraw'
const soundBody = (action: ActionName) => (isOfGate(action) ? SOUND[action] : { ...PAIR, ...SOUND[action] })

const names = Object.keys(ACTIONS) as ActionName[]

/** Values that sit at an edge of something, and some that no field takes. */
const anyValue = fc.oneof(
  fc.constantFrom<unknown>(
    ...[
      '0',
      '-1',
      '1e9',
      '0.000000000000000001',
      '0.0000000000000000001',
      '79228162514264337593543950335',
      '',
      ' ',
      'NaN',
    ],
    ...['9'.repeat(40), '1'.repeat(101), 'BTC/USDC', 'ETH/USDC', 'USDC', '0x', '\u0000', '🙂', '__proto__'],
    ...[
      0, 1, 2, 3, -1, 0.5, 10_000, 10_001, 8_388_607, -8_388_608, 443_636, -322_517, 4_294_967_295, 4_294_967_296, 1e21,
    ],
    ...[null, true, false, [], {}, ['1', '2'], [[]]],
  ),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string({ maxLength: 20 }),
  fc.bigInt({ min: 0n, max: 1n << 130n }).map(String),
)

/** A right body with some of its fields replaced, left out or joined by others. */
const nearlySound = fc.constantFrom(...names).chain((action) => {
  const body = soundBody(action)
  const fields = [
    ...Object.keys(body),
    'deadline',
    'gasLimit',
    'oid',
    'orderId',
    'all',
    'ratios',
    'tickLower',
    'colour',
  ]
  const change = fc.record({ field: fc.constantFrom(...fields), value: fc.option(anyValue, { nil: undefined }) })
  return fc.record({
    action: fc.constant(action),
    params: fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) => {
      const changed: Record<string, unknown> = { ...body }
      for (const { field, value } of changes) changed[field] = value
      return changed
    }),
  })
})

const STATUSES = [200, 400, 403]

async function stored() {
  const { sql } = venue.database
  const [row] = await sql<{ sends: number; intents: number }[]>`
    select (select count(*) from perp_sends)::int as sends, (select count(*) from tx_intents)::int as intents`
  return row
}

describe('bodies of every action', () => {
  it('building and previewing never fail for the venue’s own fault, and store nothing', async () => {
    const before = await stored()
    let [sound, refused] = [0, 0]
    await fc.assert(
      fc.asyncProperty(nearlySound, fc.constantFrom('order/build', 'order/preview'), async (body, path) => {
        const { status, code, msg } = await api.post(path, body, user)
        expect(STATUSES, `${path} ${JSON.stringify(body)}: ${msg}`).toContain(status)
        expect((status === 200) === (code === 0)).toBe(true)
        if (status === 200) sound++
        else refused++
      }),
      { seed: SEED, numRuns: RUNS },
    )
    // Both ways were met.
    expect([sound > 0, refused > sound]).toEqual([true, true])
    expect(await stored()).toEqual(before)
  })

  it('a send that is refused stores nothing', async () => {
    const paths: Partial<Record<ActionName, string>> = {
      market: 'order/market',
      limit: 'order/limit',
      scaled: 'order/scaled',
      cancel: 'order/cancel',
      'batch-cancel': 'order/batch-cancel',
      fill: 'order/fill',
      close: 'position/close',
      adjust: 'position/adjust',
      margin: 'position/margin',
      'add-liquidity': 'liquidity/add',
      'remove-liquidity': 'liquidity/remove',
    }
    let refused = 0
    await fc.assert(
      fc.asyncProperty(nearlySound, async ({ action, params }) => {
        const path = paths[action]
        if (path === undefined) return
        const before = await stored()
        const { status, msg } = await api.post(path, params, user)
        expect(STATUSES, `${path} ${JSON.stringify(params)}: ${msg}`).toContain(status)
        if (status === 200) return
        refused++
        expect(await stored()).toEqual(before)
      }),
      { seed: SEED + 1, numRuns: RUNS },
    )
    expect(refused).toBeGreaterThan(RUNS / 3)
  })

  it('any JSON at all, and any bytes as a signed transaction', async () => {
    const paths = [
      'order/build',
      'order/preview',
      'order/submit',
      'order/market',
      'order/batch-cancel',
      'liquidity/add',
    ]
    const bytes = fc.uint8Array({ maxLength: 200 }).map((list) => `0x${Buffer.from(list).toString('hex')}`)
    const body = fc.oneof(
      fc.json(),
      bytes.map((signedTransaction) => JSON.stringify({ signedTransaction })),
      fc.string(),
    )
    const before = await stored()
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), body, async (path, text) => {
        const { status, msg } = await api.post(path, text, user)
        expect([400, 403], `${path} ${text}: ${msg}`).toContain(status)
      }),
      { seed: SEED + 2, numRuns: RUNS },
    )
    expect(await stored()).toEqual(before)
  })
})
