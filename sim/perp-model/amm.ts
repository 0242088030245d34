/** The automated market maker of one pair: its price, liquidity and running totals. Source: perp-protocol 2.1, 2.4, 3.9. */

export const PERP_EXPIRY = 4_294_967_295

export const STATUS = { DORMANT: 0, TRADING: 1, SETTLING: 2, SETTLED: 3 } as const
export const CONDITION = { NORMAL: 0, FROZEN: 1, RESOLVED: 2 } as const

/** Amounts, sizes and indices are WAD; `timestamp` is seconds; fields as in the Observer's ABI. */
export type Amm = {
  expiry: number
  timestamp: number
  status: number
  tick: number
  sqrtPX96: bigint
  liquidity: bigint
  totalLiquidity: bigint
  totalShort: bigint
  openInterests: bigint
  totalLong: bigint
  involvedFund: bigint
  feeIndex: bigint
  protocolFee: bigint
  longSocialLossIndex: bigint
  shortSocialLossIndex: bigint
  longFundingIndex: bigint
  shortFundingIndex: bigint
  insuranceFund: bigint
  settlementPrice: bigint
}

export function dormantAmm(expiry: number): Amm {
  return {
    expiry,
    timestamp: 0,
    status: STATUS.DORMANT,
    tick: 0,
    sqrtPX96: 0n,
    liquidity: 0n,
    totalLiquidity: 0n,
    totalShort: 0n,
    openInterests: 0n,
    totalLong: 0n,
    involvedFund: 0n,
    feeIndex: 0n,
    protocolFee: 0n,
    longSocialLossIndex: 0n,
    shortSocialLossIndex: 0n,
    longFundingIndex: 0n,
    shortFundingIndex: 0n,
    insuranceFund: 0n,
    settlementPrice: 0n,
  }
}

/** Open interest after a taker traded `size`, of which `taken` (unsigned) came from limit orders. */
export function countTrade(amm: Amm, size: bigint, taken: bigint): void {
  if (size > 0n) {
    amm.totalLong += size
    amm.totalShort += taken
    amm.openInterests += taken
  } else {
    amm.totalLong += taken
    amm.totalShort += -size
    amm.openInterests += -size
  }
}

/** Open interest after a range with `entryBase` of virtual inventory became a position of `size`. */
export function countRemoval(amm: Amm, size: bigint, entryBase: bigint): void {
  amm.openInterests -= entryBase
  if (size > 0n) amm.totalLong += size
  else {
    amm.totalShort += -size
    amm.openInterests += -size
  }
}

/** Open interest after a position of `size` was settled. */
export function countSettlement(amm: Amm, size: bigint): void {
  if (size > 0n) amm.totalLong -= size
  else {
    amm.totalShort -= -size
    amm.openInterests -= -size
  }
}

/** Open interest after a long and a short of one account met and `closedSize` vanished. */
export function countClose(amm: Amm, closedSize: bigint): void {
  amm.totalLong -= closedSize
  amm.totalShort -= closedSize
  amm.openInterests -= closedSize
}
