import { describe, expect, test } from 'vitest'
import { type Amm, dormantAmm, STATUS } from './amm.ts'
import { deltaBase, deltaQuote } from './curve.ts'
import { NO_PEARL, type Pearl } from './pearl.ts'
import { nextInitialisedTick, swap } from './swap.ts'
import { tickToPrice, tickToSqrt } from './tick.ts'
import { ratioToWad, WAD, wmul, wmulDown } from './wad.ts'

const L = 10n ** 22n
const LOWER = 1000
const UPPER = 2000
const NO_REBATE = 0n

function edge(net: bigint): Pearl {
  return { ...NO_PEARL, liquidityGross: L, liquidityNet: net }
}

/** Liquidity L between two ticks, three times as much to the left of them and twice as much to the right. */
function ammAt(tick: number): Amm {
  return { ...dormantAmm(4_294_967_295), status: STATUS.TRADING, tick, sqrtPX96: tickToSqrt(tick), liquidity: L }
}

const EDGES: readonly (readonly [number, Pearl])[] = [
  [0, edge(3n * L)],
  [LOWER, edge(-2n * L)],
  [UPPER, edge(L)],
  [3000, edge(-2n * L)],
]

describe('crossing', () => {
  const toUpper = deltaBase(tickToSqrt(1500), tickToSqrt(UPPER), L, 'up')
  const toLower = deltaBase(tickToSqrt(1500), tickToSqrt(LOWER), L, 'up')

  test('a long that just reaches an edge crosses it', () => {
    const result = swap(ammAt(1500), new Map(EDGES), toUpper, NO_REBATE)
    expect(result).toMatchObject({ tick: UPPER, sqrtPX96: tickToSqrt(UPPER), liquidity: 2n * L })
    expect(result.entryNotional).toBe(deltaQuote(tickToSqrt(1500), tickToSqrt(UPPER), L, 'up'))
  })

  test('a short that just reaches an edge stays above it; the next one crosses it', () => {
    const landed = swap(ammAt(1500), new Map(EDGES), -toLower, NO_REBATE)
    expect(landed).toMatchObject({ tick: LOWER, sqrtPX96: tickToSqrt(LOWER), liquidity: L })
    const next = swap(ammAt(LOWER), new Map(EDGES), -WAD, NO_REBATE)
    expect(next.liquidity).toBe(3n * L)
    expect(next.tick < LOWER).toBe(true)
  })

  test('base too little to move the price on crosses an edge once, however often', () => {
    const deep = 10n ** 30n
    const deepEdge = (net: bigint): Pearl => ({ ...NO_PEARL, liquidityGross: deep, liquidityNet: net })
    const pearls = new Map([
      [0, deepEdge(deep)] as const,
      [LOWER, deepEdge(deep)] as const,
      [UPPER, deepEdge(-2n * deep)] as const,
    ])
    const amm = { ...ammAt(LOWER), liquidity: 2n * deep }
    const crossed = { tick: LOWER - 1, sqrtPX96: amm.sqrtPX96, liquidity: deep }
    expect(swap(amm, pearls, -1n, NO_REBATE)).toMatchObject(crossed)
    expect(swap({ ...amm, ...crossed }, pearls, -1n, NO_REBATE)).toMatchObject(crossed)
    expect(swap({ ...amm, ...crossed }, pearls, 1000n, NO_REBATE)).toMatchObject({ tick: LOWER, liquidity: 2n * deep })
    expect(swap(amm, pearls, -1000n, NO_REBATE)).toMatchObject({ tick: LOWER - 1, liquidity: deep })
  })

  test('each segment is traded with its own liquidity', () => {
    const result = swap(ammAt(1500), new Map(EDGES), toUpper + WAD, NO_REBATE)
    const onlyRight = swap({ ...ammAt(UPPER), liquidity: 2n * L }, new Map(EDGES), WAD, NO_REBATE)
    expect(result.sqrtPX96).toBe(onlyRight.sqrtPX96)
    expect(result.entryNotional).toBe(
      deltaQuote(tickToSqrt(1500), tickToSqrt(UPPER), L, 'up') + onlyRight.entryNotional,
    )
  })

  test('past the last edge there is no liquidity', () => {
    expect(() => swap(ammAt(1500), new Map(EDGES), 10n ** 24n, NO_REBATE)).toThrow('TradeOutOfLiquidity')
    expect(() => swap(ammAt(1500), new Map(EDGES), -(10n ** 24n), NO_REBATE)).toThrow('TradeOutOfLiquidity')
  })
})

describe('orders on the way', () => {
  const sells: Pearl = { ...NO_PEARL, left: -2n * WAD }
  const buys: Pearl = { ...NO_PEARL, left: 2n * WAD }

  test('are taken at their tick’s price, makers earn the rebate', () => {
    const toTick = deltaBase(tickToSqrt(1500), tickToSqrt(1600), L, 'up')
    const result = swap(ammAt(1500), new Map([...EDGES, [1600, sells]]), toTick + WAD, ratioToWad(30))
    const value = wmul(tickToPrice(1600), WAD)
    expect(result).toMatchObject({
      tick: 1600,
      takenSize: WAD,
      takenValue: value,
      makerFee: wmulDown(value, ratioToWad(30)),
    })
    expect(result.pearls.get(1600)).toMatchObject({ left: -WAD, taken: -WAD, nonce: 0 })
    expect(result.entryNotional - value).toBe(deltaQuote(tickToSqrt(1500), tickToSqrt(1600), L, 'up'))
  })

  test('on the tick of the price itself are taken first', () => {
    const long = swap(ammAt(1500), new Map([...EDGES, [1500, sells]]), WAD, NO_REBATE)
    expect(long).toMatchObject({ sqrtPX96: tickToSqrt(1500), takenSize: WAD })
    const short = swap(ammAt(1500), new Map([...EDGES, [1500, buys]]), -WAD, NO_REBATE)
    expect(short).toMatchObject({ sqrtPX96: tickToSqrt(1500), takenSize: WAD })
  })

  test('of the own side are passed by', () => {
    const long = swap(ammAt(1500), new Map([...EDGES, [1500, buys]]), WAD, NO_REBATE)
    const short = swap(ammAt(1500), new Map([...EDGES, [1500, sells]]), -WAD, NO_REBATE)
    expect([long.takenSize, short.takenSize]).toEqual([0n, 0n])
  })

  test('at an edge are taken before the edge is crossed', () => {
    const both: Pearl = { ...edge(-2n * L), left: 2n * WAD }
    const pearls = new Map([...EDGES, [LOWER, both] as const])
    const toLower = deltaBase(tickToSqrt(1500), tickToSqrt(LOWER), L, 'up')
    const inside = swap(ammAt(1500), pearls, -toLower - WAD, NO_REBATE)
    expect(inside).toMatchObject({ takenSize: WAD, liquidity: L, sqrtPX96: tickToSqrt(LOWER) })
    const beyond = swap(ammAt(1500), pearls, -toLower - 3n * WAD, NO_REBATE)
    expect(beyond).toMatchObject({ takenSize: 2n * WAD, liquidity: 3n * L })
  })

  test('two generations of one tick are taken in their order, the first leaves a record', () => {
    const two: Pearl = { ...NO_PEARL, left: -2n * WAD, waiting: -WAD, taken: -WAD, fee: 5n }
    const toTick = deltaBase(tickToSqrt(1500), tickToSqrt(1600), L, 'up')
    const result = swap(ammAt(1500), new Map([...EDGES, [1600, two]]), toTick + WAD + WAD / 2n, NO_REBATE)
    expect(result.records).toEqual([
      { tick: 1600, nonce: 0, record: { taken: -2n * WAD, fee: 5n, entrySocialLossIndex: 0n, entryFundingIndex: 0n } },
    ])
    expect(result.pearls.get(1600)).toMatchObject({ nonce: 1, left: -WAD / 2n, taken: -WAD / 2n, waiting: 0n })
  })

  test('two generations cost what one of the same size would', () => {
    // Sizes of which each value alone rounds up, and that of both down.
    const priceWad = tickToPrice(1600)
    const [live, waiting] = [WAD + 3n, WAD + 3n]
    expect(wmul(priceWad, live) + wmul(priceWad, waiting)).not.toBe(wmul(priceWad, live + waiting))
    const one: Pearl = { ...NO_PEARL, left: -live - waiting }
    const two: Pearl = { ...one, waiting: -waiting, taken: -WAD }
    const size = deltaBase(tickToSqrt(1500), tickToSqrt(1600), L, 'up') + live + waiting
    const [plain, split] = [one, two].map((pearl) =>
      swap(ammAt(1500), new Map([...EDGES, [1600, pearl]]), size, NO_REBATE),
    )
    expect(split?.records.length).toBe(2)
    expect([split?.entryNotional, split?.takenValue]).toEqual([plain?.entryNotional, plain?.takenValue])
    expect(split?.takenValue).toBe(wmul(priceWad, live + waiting))
  })
})

test('the search skips ticks without liquidity or orders', () => {
  const pearls = new Map([...EDGES, [1600, { ...NO_PEARL, taken: WAD }] as const])
  expect(nextInitialisedTick(pearls, 1500, true)).toBe(UPPER)
  expect(nextInitialisedTick(pearls, 1501, false)).toBe(LOWER)
  expect(nextInitialisedTick(pearls, UPPER, true)).toBe(3000)
  expect(nextInitialisedTick(pearls, 0, false)).toBeUndefined()
})
