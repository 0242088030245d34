/** What the SDK foretold and what the chain shows, side by side. */
import type { Order, Position } from '@synfutures/perpv3-ts/types'
import { expect } from 'vitest'

/** The protocol's promise to its clients: positions agree within two wei (perp-protocol 7.3, no. 11). */
const TOLERANCE_WEI = 2n

function expectNear(actual: bigint, foretold: bigint, label: string): void {
  const gap = actual > foretold ? actual - foretold : foretold - actual
  if (gap > TOLERANCE_WEI) expect(actual, label).toBe(foretold)
}

/** A flat position has no fields that mean anything. */
export function expectPosition(actual: Position, foretold: Position, label: string): void {
  expectNear(actual.size, foretold.size, `${label}: size`)
  if (actual.size === 0n) return
  expectNear(actual.balance, foretold.balance, `${label}: balance`)
  expectNear(actual.entryNotional, foretold.entryNotional, `${label}: entryNotional`)
  expectNear(actual.entrySocialLossIndex, foretold.entrySocialLossIndex, `${label}: entrySocialLossIndex`)
  expectNear(actual.entryFundingIndex, foretold.entryFundingIndex, `${label}: entryFundingIndex`)
}

/** The order at the foretold tick. */
export function expectOrder(orders: readonly Order[], foretold: Order, label: string): void {
  const order = orders.find(({ tick }) => tick === foretold.tick)
  if (!order) throw new Error(`${label}: no order at tick ${foretold.tick}`)
  expectNear(order.size, foretold.size, `${label}: size of the order`)
  expectNear(order.balance, foretold.balance, `${label}: balance of the order`)
}
