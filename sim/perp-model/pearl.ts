/**
 * A pearl: what one tick holds, liquidity edges and limit orders. Source: perp-protocol 2.5 and 3.4.
 *
 * Orders of a tick are kept in generations, told apart by the nonce. Those of one generation were all placed before the
 * first of them was taken. An order that arrives at a partly taken tick waits in the next generation, which is taken only
 * after the current one is finished, so no maker ever claims size that was taken before its order was placed.
 */
import type { Amm } from './amm.ts'
import { sideIndices } from './position.ts'
import { abs, wmulDown } from './wad.ts'

export type Pearl = {
  readonly liquidityGross: bigint
  /** Added to the active liquidity when the price crosses the tick upwards. */
  readonly liquidityNet: bigint
  /** The generation being taken. */
  readonly nonce: number
  /** Unfilled size of all orders, positive for buys; `waiting` is part of it. */
  readonly left: bigint
  /** The part of `left` that belongs to the generation `nonce + 1`. */
  readonly waiting: bigint
  /** Size taken from the current generation and not yet claimed, signed like `left`. */
  readonly taken: bigint
  /** Maker fees not yet claimed, WAD. */
  readonly fee: bigint
  readonly entrySocialLossIndex: bigint
  readonly entryFundingIndex: bigint
}

/** No order gets this generation: one number after it would be a used one. */
export const LAST_NONCE = 2 ** 24 - 1

/** What the makers of a finished generation may still claim. */
export type Record = Pick<Pearl, 'taken' | 'fee' | 'entrySocialLossIndex' | 'entryFundingIndex'>

const NOTHING_TAKEN: Record = { taken: 0n, fee: 0n, entrySocialLossIndex: 0n, entryFundingIndex: 0n }

export const NO_PEARL: Pearl = {
  liquidityGross: 0n,
  liquidityNet: 0n,
  nonce: 0,
  left: 0n,
  waiting: 0n,
  ...NOTHING_TAKEN,
}

/** A changed pearl and, if its generation finished with something taken, the record to keep under the old nonce. */
type PearlChange = { readonly pearl: Pearl; readonly record: Record | undefined }

/** Whether the tick's bit is set in the bitmap. */
export function isInitialised(pearl: Pearl): boolean {
  return pearl.liquidityGross !== 0n || pearl.left !== 0n
}

/** Unfilled size of the generation being taken. */
export function currentLeft(pearl: Pearl): bigint {
  return pearl.left - pearl.waiting
}

/** The pearl with an order of `size` added, and the generation the order belongs to. */
export function join(pearl: Pearl, size: bigint): { readonly pearl: Pearl; readonly nonce: number } {
  const left = pearl.left + size
  const mustWait = pearl.taken !== 0n || pearl.waiting !== 0n
  if (!mustWait) return { pearl: { ...pearl, left }, nonce: pearl.nonce }
  return { pearl: { ...pearl, left, waiting: pearl.waiting + size }, nonce: pearl.nonce + 1 }
}

type Take = PearlChange & {
  /** Fee credited to the makers, WAD. */
  readonly makerFee: bigint
}

/** Takes `size` (signed like the orders) for `value` from the current generation; makers earn `rebateWad` of the value. */
export function takeGeneration(pearl: Pearl, amm: Amm, size: bigint, value: bigint, rebateWad: bigint): Take {
  const makerFee = wmulDown(value, rebateWad)
  const taken = pearl.taken + size
  const indices = sideIndices(amm, size)
  const average = (before: bigint, now: bigint) => (before * pearl.taken + now * size) / taken
  const change = finishGeneration({
    ...pearl,
    left: pearl.left - size,
    taken,
    fee: pearl.fee + makerFee,
    entrySocialLossIndex: average(pearl.entrySocialLossIndex, indices.entrySocialLossIndex),
    entryFundingIndex: average(pearl.entryFundingIndex, indices.entryFundingIndex),
  })
  return { ...change, makerFee }
}

/** Removes `size` of unfilled orders from the current generation. */
export function withdrawLeft(pearl: Pearl, size: bigint): PearlChange {
  return finishGeneration({ ...pearl, left: pearl.left - size })
}

/** Removes `size` of unfilled orders from the generation that waits. */
export function withdrawWaiting(pearl: Pearl, size: bigint): Pearl {
  return { ...pearl, left: pearl.left - size, waiting: pearl.waiting - size }
}

/** The maker's share of the fees when `size` of what was taken is claimed, and what remains for the others. */
export function claim<T extends Record>(source: T, size: bigint): { readonly rest: T; readonly makerFee: bigint } {
  const makerFee = source.taken === size ? source.fee : (source.fee * abs(size)) / abs(source.taken)
  return { rest: { ...source, taken: source.taken - size, fee: source.fee - makerFee }, makerFee }
}

/** Starts the next generation once the current one has nothing left and something of it was taken or others wait. */
function finishGeneration(pearl: Pearl): PearlChange {
  const isFinished = currentLeft(pearl) === 0n && (pearl.taken !== 0n || pearl.waiting !== 0n)
  if (!isFinished) return { pearl, record: undefined }
  const { taken, fee, entrySocialLossIndex, entryFundingIndex } = pearl
  const next = { ...pearl, nonce: pearl.nonce + 1, left: pearl.waiting, waiting: 0n, ...NOTHING_TAKEN }
  return { pearl: next, record: taken === 0n ? undefined : { taken, fee, entrySocialLossIndex, entryFundingIndex } }
}
