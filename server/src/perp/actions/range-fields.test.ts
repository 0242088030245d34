import { describe, expect, it } from 'vitest'
import { alignDown, alignUp } from '../maths/tick.ts'
import { deltasOf } from './range-fields.ts'

const TICK = 110_021
const EDGES = { tickLower: 108_000, tickUpper: 112_050 }
const MOVES = Array.from({ length: 49 }, (_, nth) => nth - 24)

/** As the contract does from where the price stands then (RangeMath.edges). */
const edgesAt = (tick: number, { deltaLower, deltaUpper }: ReturnType<typeof deltasOf>) => ({
  tickLower: alignDown(tick - deltaLower, 50),
  tickUpper: alignUp(tick + deltaUpper, 50),
})

describe('the distances of a range from the price', () => {
  it.each(MOVES)('come to the same edges when the price has moved by %i ticks', (move) => {
    expect(edgesAt(TICK + move, deltasOf(EDGES, TICK, 953))).toEqual(EDGES)
  })

  it('are not below the least that the contract takes, where the edges are not', () => {
    const near = { tickLower: 109_050, tickUpper: 111_000 }
    const deltas = deltasOf(near, TICK, 953)
    expect(deltas).toEqual({ deltaLower: 953, deltaUpper: 954 })
    expect(edgesAt(TICK, deltas)).toEqual(near)
  })

  it('are the edges’ own where these are too near, for the contract to refuse', () => {
    expect(deltasOf({ tickLower: 110_000, tickUpper: 110_050 }, TICK, 953)).toEqual({ deltaLower: 21, deltaUpper: 29 })
  })
})
