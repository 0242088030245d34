import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SoundRequest } from '../../http/testing-statuses.ts'
import { lengthOf } from '../../lib/testing-campaign.ts'
import { arrangedReads, READ_NAMES } from '../testing/arranged-reads.ts'
import { anyParameter, changed } from '../testing/fuzz-values.ts'
import { ask, keyFor, openStatusDesk, operationOf, perpOperations, type StatusDesk } from '../testing/status-desk.ts'
import { rowsOf, type StoredRows } from '../testing/stored-rows.ts'

// Queries near to right ones and far from them, of every read: none makes the venue fail, and none changes a row.

const SEED = 20_261_123
/** Of each read. */
const RUNS = Number(process.env.FUZZ_RUNS ?? lengthOf({ short: 4, whole: 40 }))
/** Parameters of most reads. */
const COMMON = ['chainId', 'address', 'expiry', 'symbol', 'page', 'size', 'startTime', 'endTime', 'colour']

let desk: StatusDesk
let stored: () => Promise<StoredRows>
let before: StoredRows
let sound: ReadonlyMap<string, SoundRequest>
beforeAll(async () => {
  desk = await openStatusDesk()
  sound = await arrangedReads(desk)
  stored = await rowsOf(desk.venue.database.sql)
  before = await stored()
}, 120_000)
afterAll(() => desk?.close())

it('every read of the product is among them', () => {
  const named = perpOperations.filter(({ method }) => method === 'GET').map(({ path }) => `GET ${path}`)
  expect([...READ_NAMES].sort()).toEqual(named.sort())
})

describe('queries of every read', () => {
  it.each(READ_NAMES)('%s never fails for the venue’s own fault', async (name) => {
    const route = operationOf(name)
    const { query: right = {} } = sound.get(name) ?? {}
    const get = (query: object) => ask(desk.api, route, { query: { ...query } }, keyFor(route, desk.user.key))
    expect(await get(right)).toMatchObject({ status: 200, code: 0 })

    const { properties = {} } = (route.schema as { query?: { properties?: object } }).query ?? {}
    const names = Object.keys(properties).length > 0 ? [...Object.keys(properties), 'colour'] : COMMON
    await fc.assert(
      fc.asyncProperty(changed(right, names, anyParameter), async (all) => {
        const query = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
        const { status, code, text } = await get(query)
        expect([200, 400, 403], `${name} ${JSON.stringify(query)}: ${text}`).toContain(status)
        expect((status === 200) === (code === 0)).toBe(true)
      }),
      { seed: SEED, numRuns: RUNS },
    )
  })

  it('have changed nothing', async () => {
    expect(await stored()).toEqual(before)
  })
})
