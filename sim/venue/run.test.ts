import { expect, test } from 'vitest'
import { runVenue } from './run.ts'
import { seeds } from './seeds.ts'

test.each(seeds())(
  'seed %i: chain, database, broker and what the customers were told agree after every fault',
  async (seed) => {
    const { faults, placed, told, chain, stored } = await runVenue(seed)
    console.log(`seed ${seed}: ${placed} orders, ${faults.join(', ')}`)
    expect(new Set(chain).size).toBe(chain.length)
    expect(chain).toEqual(told)
    expect(stored).toEqual(chain)
  },
)
