import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Books } from './books.ts'
import { type Opened, openVenue, runLife } from './run.ts'
import { seeds } from './seeds.ts'

let opened: Opened

beforeAll(async () => {
  opened = await openVenue()
})

afterAll(() => opened?.resting.forget())

test.each(seeds())(
  'seed %i: chain, database, broker and what the customers were told agree after every fault',
  async (seed) => {
    const { faults, orders, trades, failures } = await runLife(seed, opened)
    const placed = `${orders.told.length} orders, ${trades.told.length} trades, failed: ${failures.join('; ') || 'none'}`
    console.log(`seed ${seed}: ${placed}. ${faults.join(', ')}`)
    expectEqual(orders)
    expectEqual(trades)
  },
)

/** Each was made once, with its amount, and is known to all sides. */
function expectEqual({ told, chain, stored }: Books): void {
  expect(new Set(chain).size).toBe(chain.length)
  expect(chain).toEqual(told)
  expect(stored).toEqual(chain)
}
