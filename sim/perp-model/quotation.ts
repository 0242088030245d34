/** What a trade would do at this moment. Source: perp-protocol 2.7, 3.5. */
import { type Context, rebateWad } from './instrument.ts'
import { type SwapResult, swap } from './swap.ts'
import { sqrtToPrice } from './tick.ts'
import { abs, deviation, max, ratioToWad, sign, wmul, wmulUp } from './wad.ts'

/** As in the ABI; `fee` is the whole taker fee, `minAmount` the margin to open the size from flat. WAD. */
export type Quotation = {
  readonly benchmark: bigint
  readonly sqrtFairPX96: bigint
  readonly tick: number
  readonly mark: bigint
  readonly entryNotional: bigint
  readonly fee: bigint
  readonly minAmount: bigint
  readonly sqrtPostFairPX96: bigint
  readonly postTick: number
}

/** Reverts `TradeOutOfLiquidity`. `size` is signed base, not zero. */
export function quote(context: Context, size: bigint): { readonly quotation: Quotation; readonly swapped: SwapResult } {
  const { pair, instrument, benchmarkWad, markWad } = context
  const { setting } = instrument
  const swapped = swap(pair.amm, pair.pearls, size, rebateWad(setting))
  const { entryNotional } = swapped
  const fee = wmulUp(entryNotional, ratioToWad(setting.param.tradingFeeRatio + setting.param.protocolFeeRatio))
  const value = wmul(markWad, abs(size))
  const loss = max(0n, sign(size) * (entryNotional - value))
  const quotation: Quotation = {
    benchmark: benchmarkWad,
    sqrtFairPX96: pair.amm.sqrtPX96,
    tick: pair.amm.tick,
    mark: markWad,
    entryNotional,
    fee,
    minAmount: wmulUp(value, ratioToWad(setting.initialMarginRatio)) + fee + loss,
    sqrtPostFairPX96: swapped.sqrtPX96,
    postTick: swapped.tick,
  }
  return { quotation, swapped }
}

/** Whether the fair price moved so far from the benchmark that the trade is refused. Source: perp-protocol 4.1. */
export function isCrazyDeviation(quotation: Quotation, maintenanceMarginRatio: number): boolean {
  const { benchmark } = quotation
  const before = sqrtToPrice(quotation.sqrtFairPX96)
  const after = sqrtToPrice(quotation.sqrtPostFairPX96)
  const hasFlipped = before >= benchmark !== after >= benchmark
  const isFurther = deviation(after, benchmark) > deviation(before, benchmark)
  return (hasFlipped || isFurther) && deviation(after, benchmark) > ratioToWad(maintenanceMarginRatio)
}
