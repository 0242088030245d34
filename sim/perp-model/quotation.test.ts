import { expect, test } from 'vitest'
import { dormantAmm, STATUS } from './amm.ts'
import { type Context, emptyPair, type Setting } from './instrument.ts'
import { NO_PEARL, type Pearl } from './pearl.ts'
import { FEEDER } from './prices.ts'
import { isCrazyDeviation, type Quotation, quote } from './quotation.ts'
import { priceToSqrt, sqrtToTick } from './tick.ts'
import { WAD } from './wad.ts'

const setting: Setting = {
  symbol: 'BTC-USDC-LINK',
  decimals: 6,
  initialMarginRatio: 300,
  maintenanceMarginRatio: 200,
  placePaused: false,
  fundingHour: 24,
  disableOrderRebate: false,
  param: { minMarginAmount: 2n * WAD, tradingFeeRatio: 1, protocolFeeRatio: 1, qtype: 1, tip: 2n * 10n ** 16n },
}

function contextAt(
  sqrtPX96: bigint,
  liquidity: bigint,
  markWad: bigint,
  pearls: readonly (readonly [number, Pearl])[],
): Context {
  const tick = sqrtToTick(sqrtPX96)
  const amm = {
    ...dormantAmm(4_294_967_295),
    status: STATUS.TRADING,
    sqrtPX96,
    tick,
    liquidity,
    totalLiquidity: liquidity,
  }
  const instrument = {
    setting,
    spacing: { pearl: 1, order: 5, range: 50 },
    quote: 'USDC',
    feederType: FEEDER.QUOTE_STABLE,
    condition: 0,
    spotWad: markWad,
    leftWad: 0n,
    pairs: new Map(),
  }
  const pair = { ...emptyPair(4_294_967_295), amm, pearls: new Map(pearls) }
  const ledger = { symbol: 'USDC', decimals: 6, threshold: 0n, ledgers: new Map() }
  const protocol = {
    admin: '0xad',
    handler: '0xac',
    pendingDurationSec: 0,
    blacklist: new Set<string>(),
    openLiquidator: true,
    liquidators: new Set<string>(),
  }
  const prices = { spotWad: markWad, benchmarkWad: markWad, markWad }
  return { instrument, pair, quote: ledger, protocol, nowSec: 0, ...prices, events: [] }
}

test('the recorded quotation of perp-protocol 3.2 to the wei', () => {
  const sqrtFairPX96 = 20692023544244596285449730820455n
  const liquidity = 52849062915994640064041n
  const far: Pearl = { ...NO_PEARL, liquidityGross: liquidity, liquidityNet: -liquidity }
  const context = contextAt(sqrtFairPX96, liquidity, 68286171518923027684430n, [[111_350, far]])
  expect(quote(context, WAD / 10n).quotation).toEqual({
    benchmark: 68286171518923027684430n,
    sqrtFairPX96,
    tick: sqrtToTick(sqrtFairPX96),
    mark: 68286171518923027684430n,
    entryNotional: 6824352217114320379919n,
    fee: 1364870443422864076n,
    minAmount: 206223385000191947130n,
    sqrtPostFairPX96: 20702254205994863152862945876534n,
    postTick: 111_318,
  })
})

test('a long at an unfavourable price needs its loss as margin, a short its own', () => {
  const far: Pearl = { ...NO_PEARL, liquidityGross: 1n, liquidityNet: 0n }
  const pearls = [[70_000, far] as const, [90_000, far] as const]
  const context = contextAt(priceToSqrt(3000n * WAD), 10n ** 24n, 2990n * WAD, pearls)
  const long = quote(context, WAD).quotation
  const short = quote(context, -WAD).quotation
  const margin = (2990n * WAD * 300n) / 10_000n
  expect(long.minAmount).toBe(margin + long.fee + long.entryNotional - 2990n * WAD)
  expect(short.minAmount).toBe(margin + short.fee)
})

test('a quotation never changes the pair', () => {
  const far: Pearl = { ...NO_PEARL, liquidityGross: 1n, liquidityNet: 0n, left: 0n }
  const context = contextAt(priceToSqrt(3000n * WAD), 10n ** 20n, 3000n * WAD, [
    [80_100, { ...far, left: -WAD }],
    [90_000, far],
  ])
  const before = structuredClone(context.pair)
  const { swapped } = quote(context, (3n * WAD) / 2n)
  expect(swapped.takenSize).toBe(WAD)
  expect(context.pair).toEqual(before)
})

test('deviation: away beyond the maintenance ratio or across beyond it is crazy, towards it is not', () => {
  const base = { benchmark: 3000n * WAD } as Quotation
  const move = (before: bigint, after: bigint) =>
    isCrazyDeviation(
      { ...base, sqrtFairPX96: priceToSqrt(before * WAD), sqrtPostFairPX96: priceToSqrt(after * WAD) },
      200,
    )
  expect(move(3010n, 3070n)).toBe(true)
  expect(move(3010n, 3050n)).toBe(false)
  expect(move(3200n, 3100n)).toBe(false)
  expect(move(2800n, 3070n)).toBe(true)
  expect(move(2800n, 3050n)).toBe(false)
  expect(move(2900n, 2890n)).toBe(true)
})
