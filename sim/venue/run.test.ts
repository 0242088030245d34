import { afterAll, beforeAll, type ExpectStatic, test } from 'vitest'
import type { Books } from './books.ts'
import { type Opened, openVenue, runLife } from './run.ts'
import { seeds } from './seeds.ts'

let opened: Opened

beforeAll(async () => {
  opened = await openVenue()
})

afterAll(() => opened?.resting.forget())

// Two at once (vitest.config.ts): a life waits about as long as it works.
test.concurrent.for(seeds())(
  'seed %i: chain, database, broker and what the customers were told agree after every fault',
  async (seed, { expect }) => {
    const { faults, orders, trades, failures } = await runLife(seed, opened)
    const placed = `${orders.told.length} orders, ${trades.told.length} trades, failed: ${failures.join('; ') || 'none'}`
    console.log(`seed ${seed}: ${placed}. ${faults.join(', ')}`)
    expectEqual(expect, orders)
    expectEqual(expect, trades)
  },
)

/** Each was made once, with its amount, and is known to all sides. */
function expectEqual(expect: ExpectStatic, { told, chain, stored }: Books): void {
  expect(new Set(chain).size).toBe(chain.length)
  expect(chain).toEqual(told)
  expect(stored).toEqual(chain)
}
