import { describe, expect, it } from 'vitest'
import type { Hex } from '../../chain/types.ts'
import { lengthOf } from '../../lib/testing-campaign.ts'
import { createRandom } from '../../lib/testing-random.ts'
import { divideUp, WAD } from '../../lib/wad.ts'
import { tokenPriceWad } from '../listing/shares.ts'
import type { OpenExecution, SettleableOrder } from './keeper-store.ts'
import { type Fill, fillsOf } from './settlement-batch.ts'

const orderId: Hex = `0x${'ab'.repeat(32)}`

/** A fill of the broker: shares with 18 decimals at a price of 8. */
interface Part {
  readonly sharesWad: bigint
  readonly price8: bigint
}

const cashOf = ({ sharesWad, price8 }: Part): bigint => (sharesWad * price8) / 10n ** 8n
const spent = (parts: readonly Part[]): bigint => parts.reduce((sum, part) => sum + cashOf(part), 0n)

/** What the database has of the broker's fills of an order, in tokens. */
function executionsOf(parts: readonly Part[], sharesPerTokenWad: bigint): OpenExecution[] {
  const tokens = (sharesWad: bigint) => (sharesWad * WAD) / sharesPerTokenWad
  let sharesWad = 0n
  return parts.map((part, nth) => {
    const filledBeforeWad = tokens(sharesWad)
    sharesWad += part.sharesWad
    return {
      executionId: `e${nth}`,
      orderId,
      quantityWad: tokens(sharesWad) - filledBeforeWad,
      priceWad: tokenPriceWad(part.price8, sharesPerTokenWad),
      filledBeforeWad,
      tradedWad: spent(parts.slice(0, nth + 1)),
    }
  })
}

function orderOf(amountWad: bigint, executions: readonly OpenExecution[], changes: Partial<SettleableOrder> = {}) {
  const order: SettleableOrder = {
    orderId,
    token: `0x${'6'.repeat(40)}`,
    type: 'Market',
    side: 'Buy',
    amountWad,
    brokerStatus: 'filled',
    filledQuantityWad: 0n,
    filledNotionalWad: 0n,
    brokerQuantityWad: executions.reduce((sum, { quantityWad }) => sum + quantityWad, 0n),
    cancelRequested: false,
    sameTerms: true,
  }
  return { ...order, ...changes }
}

/** What the contract takes for a fill of a buy (`StockFills._notional`). */
const notionalUp = ({ quantity, price }: Fill): bigint => divideUp(quantity * price, WAD)

describe('a market buy that spends its notional exactly, of a token that stands for three shares', () => {
  const parts: Part[] = [
    { sharesWad: WAD, price8: 250_01000000n },
    { sharesWad: 2n * WAD, price8: 250_01000000n },
  ]
  const executions = executionsOf(parts, 3n * WAD)
  const notionalWad = 750_030_000_000_000_000_000n
  const pricesOf = (order: SettleableOrder, open = executions) =>
    fillsOf([{ order, executions: open }], 50).items.map(({ price }) => price)

  it('has its last fill fit, where parts rounded up would be a wei more than the notional', () => {
    const { items } = fillsOf([{ order: orderOf(notionalWad, executions), executions }], 50)
    expect(items.map(({ quantity }) => quantity)).toEqual([333333333333333333n, 666666666666666667n])
    expect(items.map(({ price }) => price)).toEqual([notionalWad, notionalWad - 1n])
    expect(items.map(notionalUp)).toEqual([250_009_999_999_999_999_750n, 500_020_000_000_000_000_250n])
  })

  it('has it fit what the chain has left, when the other fill is settled', () => {
    const [first, second] = executions as [OpenExecution, OpenExecution]
    const filled = { filledQuantityWad: first.quantityWad, filledNotionalWad: 250_009_999_999_999_999_750n }
    expect(pricesOf(orderOf(notionalWad, executions, filled), [second])).toEqual([notionalWad - 1n])
  })

  it('keeps its prices where it has enough left, and where the broker has spent more than it has', () => {
    const prices = [notionalWad, notionalWad]
    expect(pricesOf(orderOf(notionalWad + 1n, executions))).toEqual(prices)
    expect(pricesOf(orderOf(notionalWad - 1n, executions))).toEqual(prices)
  })

  it('is alone in that: of a limit buy the contract takes no more than is left, a sell is rounded down', () => {
    const prices = [notionalWad, notionalWad]
    expect(pricesOf(orderOf(WAD, executions, { type: 'Limit' }))).toEqual(prices)
    expect(pricesOf(orderOf(WAD, executions, { side: 'Sell' }))).toEqual(prices)
  })
})

/** The least that brokers trade, shares. */
const STEP_WAD = 10n ** 9n
const RATIOS = [3n * WAD, 7n * WAD, WAD / 3n, (3n * WAD) / 7n, 21n * WAD, WAD]
const random = createRandom(1)

function randomParts(): Part[] {
  const price8 = BigInt(1 + random.below(10 ** random.pick([4, 8, 11])))
  return Array.from({ length: 1 + random.below(12) }, () => ({
    sharesWad: BigInt(1 + random.below(10 ** random.pick([1, 4, 9]))) * STEP_WAD,
    price8: price8 + BigInt(random.below(3)),
  }))
}

it('whatever the ratio and the parts, every fill of a notional that is spent exactly fits, and is lowered by rounding alone', () => {
  let lowered = 0
  for (let run = 0; run < lengthOf({ short: 3000, whole: 100_000 }); run++) {
    const parts = randomParts()
    const amountWad = spent(parts)
    const executions = executionsOf(parts, random.pick(RATIOS)).filter(({ quantityWad }) => quantityWad > 0n)
    let [filledQuantityWad, filledNotionalWad, settled] = [0n, 0n, 0]
    while (settled < executions.length) {
      const order = orderOf(amountWad, executions, { filledQuantityWad, filledNotionalWad })
      const { items } = fillsOf([{ order, executions: executions.slice(settled) }], 1 + random.below(5))
      for (const fill of items) {
        const [{ priceWad }, leftWad] = [executions[settled] as OpenExecution, amountWad - filledNotionalWad]
        const most = executions.slice(0, settled + 1).reduce((sum, one) => sum + divideUp(one.priceWad, WAD) + 2n, 0n)
        const lessWad = divideUp(fill.quantity * priceWad, WAD) - notionalUp(fill)
        if (lessWad > 0n) lowered++
        expect(fill.price > 0n && notionalUp(fill) <= leftWad && lessWad <= most, `run ${run}`).toBe(true)
        filledQuantityWad += fill.quantity
        filledNotionalWad += notionalUp(fill)
        settled++
      }
    }
  }
  expect(lowered).toBeGreaterThan(0)
})
