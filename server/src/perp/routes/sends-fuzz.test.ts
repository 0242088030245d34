import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SoundRequest } from '../../http/testing-statuses.ts'
import { sleep } from '../../lib/clock.ts'
import { lengthOf } from '../../lib/testing-campaign.ts'
import { ACTIONS, type ActionName } from '../actions/actions.ts'
import { anyInsteadOf, anyValue, changed } from '../testing/fuzz-values.ts'
import { SOUND_SENDS } from '../testing/sound-sends.ts'
import {
  ask,
  keyFor,
  openStatusDesk,
  operationOf,
  PAIR,
  perpOperations,
  type StatusDesk,
} from '../testing/status-desk.ts'
import { rowsOf, type StoredRows } from '../testing/stored-rows.ts'

// Bodies near to right ones and far from them, of every operation that does something: none makes the venue fail, and what is
// refused changes nothing.

const SEED = 20_251_122
/** Of each operation. */
const RUNS = Number(process.env.FUZZ_RUNS ?? lengthOf({ short: 4, whole: 40 }))
/** Of each operation where the tables are read after every request. */
const COMPARED_RUNS = Number(process.env.FUZZ_RUNS ?? lengthOf({ short: 2, whole: 20 }))
/** Of all actions together. */
const ACTION_RUNS = 20 * RUNS
const TRADER = 'POST /v4/public/trader/'

const sends = Object.entries(SOUND_SENDS).filter(([name]) => name.startsWith('POST '))
const names = sends.map(([name]) => name)

let desk: StatusDesk
/** The right request of each operation, which it has answered. */
const sound = new Map<string, SoundRequest>()
/** What the tables hold. */
let stored: () => Promise<StoredRows>
let nth = 0
let refused = 0
/** Operations that have refused a request for more than its form. */
const judged = new Set<string>()
beforeAll(async () => {
  desk = await openStatusDesk()
  await desk.indexed()
  for (const [name, arrange] of sends) {
    const request = await arrange(desk)
    expect(await post(name, request.body), name).toMatchObject({ status: 200, code: 0 })
    sound.set(name, request)
  }
  // The last of them has taken One Click away.
  while ((await desk.user.get('1ct/status')).data.status === 'enable') await sleep(100)
  await desk.user.enable()
  await desk.stopIndexing()
  stored = await rowsOf(desk.venue.database.sql)
}, 240_000)
afterAll(() => desk?.close())

function post(name: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const route = operationOf(name)
  const request = body === undefined ? {} : { body }
  return ask(desk.api, route, request, keyFor(route, desk.user.key), { headers })
}

const bodyOf = (name: string) => (operationOf(name).schema as { body?: { properties?: object } }).body

/** Fields of an operation, and one that none has. */
const fieldsOf = (name: string) => [...Object.keys(bodyOf(name)?.properties ?? {}), 'colour']

const takesBody = (name: string) => bodyOf(name) !== undefined

/** Statuses of a request that is answered, or refused for what it is. */
const statusesOf = (name: string): readonly number[] =>
  // Where the body is signed instead of the request, a changed one is not who it says.
  operationOf(name).access === 'WALLET' ? [200, 400, 401, 403] : [200, 400, 403]

it('every operation of the product that does something is among them', () => {
  const done = perpOperations.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`)
  expect(names.toSorted()).toEqual(done.toSorted())
})

/** A right body of each action. */
const ACTION_BODIES: Readonly<Record<ActionName, Readonly<Record<string, unknown>>>> = {
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

/** Fields that some operations have, and one that none has. */
const OTHERS = [
  ...['deadline', 'gasLimit', 'oid', 'orderId', 'all', 'ratios', 'tickLower', 'build', 'quote', 'label'],
  'colour',
]

const nearlySoundAction = fc.constantFrom(...(Object.keys(ACTIONS) as ActionName[])).chain((action) => {
  const isOfGate = action === 'deposit' || action === 'withdraw'
  const body = isOfGate ? ACTION_BODIES[action] : { ...PAIR, ...ACTION_BODIES[action] }
  const params = changed(body, [...Object.keys(body), ...OTHERS], () => anyValue)
  return fc.record({ action: fc.constant(action), params })
})

describe('bodies', () => {
  it('of every action: building and previewing never fail for the venue’s own fault, and store nothing', async () => {
    const before = await stored()
    let [answered, refusedActions] = [0, 0]
    await fc.assert(
      fc.asyncProperty(nearlySoundAction, fc.constantFrom('order/build', 'order/preview'), async (body, path) => {
        const { status, code, text } = await post(`${TRADER}${path}`, body)
        expect(statusesOf(`${TRADER}${path}`), `${path} ${JSON.stringify(body)}: ${text}`).toContain(status)
        expect((status === 200) === (code === 0)).toBe(true)
        if (status === 200) answered++
        else refusedActions++
      }),
      { seed: SEED, numRuns: ACTION_RUNS },
    )
    // Both ways were met.
    expect([answered > 0, refusedActions > answered]).toEqual([true, true])
    expect(await stored()).toEqual(before)
  })

  it('of every operation: any JSON at all, and any bytes as a signature', async () => {
    const bytes = fc.uint8Array({ maxLength: 200 }).map((list) => `0x${Buffer.from(list).toString('hex')}`)
    const signed = bytes.map((hex) => JSON.stringify({ signedTransaction: hex, signature: hex, deadline: 4e9 }))
    const anything = fc.oneof(fc.json(), signed, fc.string({ minLength: 1 }))
    const before = await stored()
    for (const name of names.filter(takesBody)) {
      await fc.assert(
        fc.asyncProperty(anything, async (body) => {
          const { status, text } = await post(name, body)
          expect([400, 403], `${name} ${body}: ${text}`).toContain(status)
        }),
        { seed: SEED + 1, numRuns: RUNS },
      )
    }
    expect(await stored()).toEqual(before)
  })

  it.each(names)('of %s: what is refused stores nothing', async (name) => {
    const body = (sound.get(name)?.body ?? {}) as Readonly<Record<string, unknown>>
    const nearly = changed(body, fieldsOf(name), (field) => anyInsteadOf(body[field]))
    let before = await stored()
    await fc.assert(
      fc.asyncProperty(nearly, fc.boolean(), async (fields, isOnce) => {
        const once: Record<string, string> = isOnce ? { 'idempotency-key': `fuzz-${nth++}` } : {}
        const { status, reason, text } = await post(name, fields, once)
        expect(statusesOf(name), `${name} ${JSON.stringify(fields)}: ${text}`).toContain(status)
        const after = await stored()
        if (status !== 200) {
          refused++
          if (reason !== 'request_invalid') judged.add(name)
          expect(after, `${name} ${JSON.stringify(fields)}: ${text}`).toEqual(before)
        }
        before = after
      }),
      { seed: SEED + 2, numRuns: COMPARED_RUNS },
    )
  })

  it('were refused, and by many operations for more than their form', () => {
    expect(refused).toBeGreaterThan((names.length * COMPARED_RUNS) / 3)
    expect(judged.size, [...judged].join()).toBeGreaterThan(names.length / 4)
  })
})
