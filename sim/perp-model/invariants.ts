/**
 * What must hold in every reachable state. Each function returns numbers or throws; the tests judge them.
 * Source: perp-protocol 3.9 and 7.3.
 */
import { type Account, orderKeyParts } from './account.ts'
import { type Amm, STATUS } from './amm.ts'
import { deltaBase } from './curve.ts'
import type { Ledger } from './gate.ts'
import { type Instrument, type Pair, recordKey } from './instrument.ts'
import { currentLeft, type Record } from './pearl.ts'
import { equity, type Position } from './position.ts'
import { entryBase, type Range, type RangeTicks, rangeTicks, toPosition } from './range.ts'
import { sqrtToPrice, tickToPrice, tickToSqrt } from './tick.ts'
import { abs, max, wmul } from './wad.ts'
import type { World } from './world.ts'

type OwnedRange = { readonly range: Range; readonly ticks: RangeTicks }

function sum<T>(items: Iterable<T>, value: (item: T) => bigint): bigint {
  let total = 0n
  for (const item of items) total += value(item)
  return total
}

function rangesOf(pair: Pair): OwnedRange[] {
  return [...pair.accounts.values()].flatMap(({ ranges }) =>
    [...ranges].map(([rid, range]) => ({ range, ticks: rangeTicks(rid) })),
  )
}

/** Taken and unclaimed orders: what is in the pearls and in the records. */
function claimsOf(pair: Pair): { readonly tick: number; readonly record: Record }[] {
  const current = [...pair.pearls].map(([tick, record]) => ({ tick, record }))
  const finished = [...pair.records].map(([key, record]) => ({ tick: Number(key.split(':')[0]), record }))
  return [...current, ...finished].filter(({ record }) => record.taken !== 0n)
}

/**
 * Funds of the pair less all claims on them, WAD: at the fair price, or once it is settled at that price. What nobody could
 * bear is no claim. Never below zero but for roundings.
 */
export function surplusWad(pair: Pair): bigint {
  const { amm } = pair
  const price = amm.status === STATUS.SETTLED ? amm.settlementPrice : sqrtToPrice(amm.sqrtPX96)
  const accounts = [...pair.accounts.values()]
  const positions = sum(accounts, ({ position }) => equity(amm, position, price))
  const ranges = sum(rangesOf(pair), ({ range, ticks }) => equity(amm, toPosition(range, ticks, amm), price))
  const orders = sum(accounts, (account) => sum(account.orders.values(), (order) => order.balance))
  const claims = sum(claimsOf(pair), ({ tick, record }) => equity(amm, claimPosition(tick, record), price))
  const funds = amm.protocolFee + amm.insuranceFund
  return amm.involvedFund + pair.shortfall - positions - ranges - orders - claims - funds
}

/** The position all makers of a generation together would get, with their fees. */
function claimPosition(tick: number, record: Record): Position {
  const { taken: size, fee: balance, entrySocialLossIndex, entryFundingIndex } = record
  return { balance, size, entryNotional: wmul(tickToPrice(tick), abs(size)), entrySocialLossIndex, entryFundingIndex }
}

/** Differences that open interest's two identities and the side totals leave; the first may hold some wei. */
export function openInterestGaps(pair: Pair): { virtualBase: bigint; entryBase: bigint; long: bigint; short: bigint } {
  const { amm } = pair
  const ranges = rangesOf(pair)
  const sizes = [
    ...[...pair.accounts.values()].map(({ position }) => position.size),
    ...claimsOf(pair).map(({ record }) => record.taken),
  ]
  return {
    virtualBase: amm.openInterests - amm.totalLong - sum(ranges, (owned) => baseHeld(owned, amm)),
    entryBase: amm.openInterests - amm.totalShort - sum(ranges, ({ range, ticks }) => entryBase(range, ticks)),
    long: amm.totalLong - sum(sizes, (size) => max(0n, size)),
    short: amm.totalShort - sum(sizes, (size) => max(0n, -size)),
  }
}

function baseHeld({ range, ticks }: OwnedRange, amm: Amm): bigint {
  if (amm.tick >= ticks.tickUpper) return 0n
  return deltaBase(max(amm.sqrtPX96, tickToSqrt(ticks.tickLower)), tickToSqrt(ticks.tickUpper), range.liquidity, 'up')
}

/** Differences of the liquidity totals; all zero. */
export function liquidityGaps(pair: Pair): { active: bigint; total: bigint; net: bigint; gross: bigint } {
  const { amm } = pair
  const ranges = rangesOf(pair)
  const isActive = ({ ticks }: OwnedRange) => ticks.tickLower <= amm.tick && amm.tick < ticks.tickUpper
  const all = sum(ranges, ({ range }) => range.liquidity)
  return {
    active: amm.liquidity - sum(ranges.filter(isActive), ({ range }) => range.liquidity),
    total: amm.totalLiquidity - all,
    net: sum(pair.pearls.values(), (pearl) => pearl.liquidityNet),
    gross: sum(pair.pearls.values(), (pearl) => pearl.liquidityGross) - 2n * all,
  }
}

/** Ticks whose orders stand on the wrong side of the price. */
export function misplacedTicks(pair: Pair): number[] {
  const { amm } = pair
  return [...pair.pearls]
    .filter(([tick, { left }]) => (tick < amm.tick && left < 0n) || (tick > amm.tick && left > 0n))
    .map(([tick]) => tick)
}

/** Open orders of each generation less what its pearl or record still has to give; all zero. */
export function generationGaps(pair: Pair): Map<string, bigint> {
  const gaps = new Map<string, bigint>()
  const change = (tick: number, nonce: number, size: bigint) => {
    const key = recordKey(tick, nonce)
    gaps.set(key, (gaps.get(key) ?? 0n) + size)
  }
  for (const account of pair.accounts.values()) countOrders(account, change)
  for (const [tick, pearl] of pair.pearls) {
    change(tick, pearl.nonce, -currentLeft(pearl) - pearl.taken)
    change(tick, pearl.nonce + 1, -pearl.waiting)
  }
  for (const [key, record] of pair.records) gaps.set(key, (gaps.get(key) ?? 0n) - record.taken)
  return new Map([...gaps].filter(([, gap]) => gap !== 0n))
}

function countOrders(account: Account, change: (tick: number, nonce: number, size: bigint) => void): void {
  for (const [oid, order] of account.orders) {
    const { tick, nonce } = orderKeyParts(oid)
    change(tick, nonce, order.size)
  }
}

/** All tokens of a quote: wallets, reserves, pending withdrawals, and instruments' funds. Raw units. */
export function tokenSupply(world: World, symbol: string): bigint {
  const quote = world.quotes.get(symbol)
  if (!quote) throw new RangeError(`no quote ${symbol}`)
  const held = ({ wallet, reserve, pending }: Ledger) => wallet + reserve + pending.amount
  const unitWad = 10n ** BigInt(18 - quote.decimals)
  const instruments = world.instruments.filter((item) => item.quote === symbol)
  const fundsOf = ({ pairs }: Instrument) => sum(pairs.values(), (pair) => pair.amm.involvedFund)
  const involved = sum(instruments, (instrument) => fundsOf(instrument) + instrument.leftWad)
  if (involved % unitWad !== 0n) throw new RangeError(`${symbol}: funds of a pair are not whole raw units`)
  return sum(quote.ledgers.values(), held) + involved / unitWad
}
