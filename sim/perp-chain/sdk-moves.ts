/**
 * Seeded actions of a trader who uses the published SDK alone: it reads the pair, simulates, encodes, sends, and looks
 * whether the chain did what was foretold.
 */
import {
  AddInput,
  AdjustInput,
  BatchOrderSizeDistribution,
  CrossLimitOrderInput,
  PlaceInput,
  QuotationWithSize,
  RemoveInput,
  ScaledLimitOrderInput,
  TradeInput,
} from '@synfutures/perpv3-ts/actions'
import { contractCallEncoder as encoder, type TransactionParam } from '@synfutures/perpv3-ts/frontend'
import { type PairSnapshot, Position, type Side } from '@synfutures/perpv3-ts/types'
import { expect } from 'vitest'
import type { Random } from '../perp-model/random.ts'
import { alignDown, alignUp, sqrtToPrice, tickToPrice } from '../perp-model/tick.ts'
import { abs, wdivUp } from '../perp-model/wad.ts'
import { expectOrder, expectPosition } from './sdk-compare.ts'
import { argsOf, ask, ifLiquid, pairOf, read, send, type Turn } from './sdk-turn.ts'
import type { Venue } from './sdk-venue.ts'

const SHORT = 1 as Side
const LONG = 2 as Side
const NEAR_TICKS = 40
const RANGE_SPACING = 50

function sideOf(size: bigint): Side {
  return size > 0n ? LONG : SHORT
}

export async function trade(turn: Turn): Promise<boolean> {
  const { random, trader, user, label } = turn
  const size = drawTradeSize(random, await read(turn))
  const before = await ifLiquid(read(turn, size))
  if (!before?.quotation) return false
  const { quotation } = before
  const margin = random.chance(40) ? [random.scale(quotation.minAmount, 0, 3000)] : []
  const input = new TradeInput(trader, abs(size), sideOf(size), ...margin)
  const answer = ask(() => input.simulate(before, new QuotationWithSize(size, quotation), user))
  if (!answer) return false
  const [{ amount, limitTick }, { postPosition }] = answer
  const order = { side: sideOf(size), baseQuantity: abs(size), margin: amount, limitTick }
  const param = encoder.encodeMarketOrder({ ...pairOf(turn), ...order })
  if (postPosition.size === 0n && postPosition.balance < 0n) return refuseBankrupt(turn, param)
  const events = await send(turn, param)
  expect(argsOf(events, 'Trade'), label).toMatchObject({
    size,
    entryNotional: quotation.entryNotional,
    sqrtPX96: quotation.sqrtPostFairPX96,
    mark: quotation.mark,
  })
  const after = await read(turn)
  expect(after.amm.tick, `${label}: tick`).toBe(quotation.postTick)
  expectPosition(after.portfolio.position, postPosition, `${label}: trade ${size}`)
  return true
}

/** Closes, reduces or turns a position, or opens and increases one, rather towards the mark. */
function drawTradeSize(random: Random, snapshot: PairSnapshot): bigint {
  const { amm, portfolio, instrumentSetting } = snapshot
  const held = portfolio.position.size
  if (held !== 0n && random.chance(45)) {
    if (random.chance(40)) return -held
    return random.chance(70) ? -random.scale(held, 100, 950) : -random.scale(held, 1100, 2500)
  }
  const mark = snapshot.priceData.markPrice
  const isBelow = sqrtToPrice(amm.sqrtPX96) < mark
  const isLong = random.chance(72) ? isBelow : !isBelow
  const value = random.scale(instrumentSetting.minTradeValue, 1020, random.chance(20) ? 300_000 : 30_000)
  const size = wdivUp(value, (mark * 95n) / 100n)
  return isLong ? size : -size
}

export async function adjust(turn: Turn): Promise<boolean> {
  const { venue, random, trader, user, instrument, label } = turn
  await venue.update(instrument)
  const before = withFundingRealised(await read(turn))
  if (before.portfolio.position.size === 0n) return false
  const isLeverage = random.chance(30)
  const transferIn = random.chance(50)
  const amount = random.scale(before.instrumentSetting.minTradeValue, 1, transferIn ? 2000 : 500)
  const input = isLeverage ? new AdjustInput(trader) : new AdjustInput(trader, amount, transferIn)
  const answer = ask(() => input.simulate(before, user))
  if (!answer || answer[0].net === 0n) return false
  const [{ net }, { postPosition }] = answer
  const param = { transferIn: net > 0n, margin: abs(net) }
  await send(turn, encoder.encodeAdjustMargin({ ...pairOf(turn), ...param }))
  const { portfolio } = await read(turn)
  expectPosition(portfolio.position, postPosition, `${label}: adjust ${net}`)
  return true
}

/** The SDK leaves funding out of what it foretells of an adjustment, the protocol realises it first (perp-protocol 3.7). */
function withFundingRealised(snapshot: PairSnapshot): PairSnapshot {
  const { amm, portfolio } = snapshot
  const { position } = portfolio
  const index = position.size > 0n ? amm.longFundingIndex : amm.shortFundingIndex
  const realised = Position.ensureInstance({
    ...position,
    balance: position.balance + position.fundingFee(amm),
    entryFundingIndex: index,
  })
  return snapshot.with({ portfolio: { ...portfolio, position: realised } })
}

/** A size whose value at the tick the instrument accepts. */
function drawOrderSize(random: Random, snapshot: PairSnapshot, tick: number): bigint {
  const value = random.scale(snapshot.instrumentSetting.minOrderValue, 1005, random.chance(80) ? 6000 : 40_000)
  return wdivUp(value, tickToPrice(tick))
}

export async function place(turn: Turn): Promise<boolean> {
  const { random, trader, user, label } = turn
  const before = await read(turn)
  const side = random.pick([LONG, SHORT])
  const tick = (await sharedTick(turn, before, side)) ?? before.amm.tick + signOf(side) * random.int(1, NEAR_TICKS)
  const input = new PlaceInput(trader, tick, drawOrderSize(random, before, tick), side)
  const answer = ask(() => input.simulate(before, user))
  if (!answer) return false
  const [{ amount, size }, { order }] = answer
  const param = { side, baseQuantity: abs(size), amount, tick }
  await send(turn, encoder.encodeLimitOrder({ ...pairOf(turn), ...param }))
  expectOrder((await read(turn)).portfolio.orders, order, `${label}: place`)
  return true
}

/** Half the time the nearest tick on the order's side where other accounts have orders: it may be partly taken. */
async function sharedTick({ venue, random, instrument }: Turn, snapshot: PairSnapshot, side: Side) {
  if (random.chance(50)) return undefined
  const others = await Promise.all(venue.traders.map((other) => venue.snapshot(instrument, other)))
  const ticks = others.flatMap(({ portfolio }) => portfolio.orders.map((order) => order.tick))
  const distances = ticks.map((tick) => signOf(side) * (tick - snapshot.amm.tick)).filter((distance) => distance > 0)
  return distances.length > 0 ? snapshot.amm.tick + signOf(side) * Math.min(...distances) : undefined
}

/** Where orders of a side rest, seen from the price. */
function signOf(side: Side): number {
  return side === LONG ? -1 : 1
}

/** A market leg that moves the price just past the target, and the rest as an order at the target. */
export async function cross(turn: Turn): Promise<boolean> {
  const { venue, random, trader, user, instrument, label } = turn
  const before = await read(turn)
  const isLong = random.chance(72) ? sqrtToPrice(before.amm.sqrtPX96) < before.priceData.markPrice : random.chance(50)
  const sign = isLong ? 1 : -1
  const side = isLong ? LONG : SHORT
  const targetTick = before.amm.tick + sign * random.int(1, 25)
  const quoted = await quotePast(venue, instrument, targetTick, sign)
  if (!quoted) return false
  const total = abs(quoted.size) + drawOrderSize(random, before, targetTick)
  const input = new CrossLimitOrderInput(trader, side, total, targetTick)
  const answer = ask(() => input.simulate(before, quoted, user))
  if (!answer) return false
  const { tradeParam, tradeSimulation, placeParam, placeSimulation } = answer
  const param = {
    side,
    orderSize: abs(placeParam.size),
    tradeSize: abs(tradeParam.size),
    tradeLimitTick: tradeParam.limitTick,
    orderTick: placeParam.tick,
    tradeMargin: tradeParam.amount,
    orderMargin: placeParam.amount,
  }
  await send(turn, encoder.encodeCrossLimitOrder({ ...pairOf(turn), ...param }))
  const { portfolio } = await read(turn)
  expectPosition(portfolio.position, tradeSimulation.postPosition, `${label}: cross`)
  expectOrder(portfolio.orders, placeSimulation.order, `${label}: cross`)
  return true
}

/** The quotation that takes the price past `tick`: one tick further is asked, then two. */
async function quotePast(venue: Venue, instrument: number, tick: number, sign: number) {
  for (const beyond of [1, 2]) {
    const answer = await ifLiquid(venue.client(instrument).getQuotation(tick + sign * beyond))
    if (!answer) return undefined
    const isPast = sign > 0 ? answer.quotation.postTick > tick : answer.quotation.postTick < tick
    if (isPast) return new QuotationWithSize(answer.size, answer.quotation)
  }
  return undefined
}

export async function scaled(turn: Turn): Promise<boolean> {
  const { random, trader, user, label } = turn
  const before = await read(turn)
  const side = random.pick([LONG, SHORT])
  const count = random.int(2, 9)
  const [first, step] = [random.int(1, NEAR_TICKS), random.int(1, 12)]
  const ticks = Array.from({ length: count }, (_, i) => before.amm.tick + signOf(side) * (first + i * step))
  const total = drawOrderSize(random, before, Math.min(...ticks)) * BigInt(count * count)
  const { FLAT, UPPER, LOWER } = BatchOrderSizeDistribution
  const input = new ScaledLimitOrderInput(trader, side, total, ticks, random.pick([FLAT, UPPER, LOWER]))
  const answer = ask(() => input.simulate(before, user))
  const details = answer?.orders.flatMap((detail) => detail ?? []) ?? []
  if (details.length !== count) return false
  const param = {
    side,
    baseQuantity: total,
    leverage: user.leverage,
    ticks: details.map((detail) => detail.param.tick),
    ratios: details.map((detail) => detail.ratio),
  }
  await send(turn, encoder.encodeBatchPlaceScaledLimitOrder({ ...pairOf(turn), ...param }))
  const { orders } = (await read(turn)).portfolio
  for (const { simulation } of details) expectOrder(orders, simulation.order, `${label}: scaled`)
  return true
}

export async function add(turn: Turn): Promise<boolean> {
  const { random, trader, user, label } = turn
  const before = await read(turn)
  const { instrumentSetting } = before
  const { tick } = before.getAmmForAddLiquidity()
  const least = instrumentSetting.minTickDelta
  const tickLower = alignDown(tick - random.int(least, least + 1500), RANGE_SPACING)
  const tickUpper = alignUp(tick + random.int(least, least + 1500), RANGE_SPACING)
  // The SDK does not look whether the trader has such a range already.
  const isOccupied = before.portfolio.ranges.some(
    (range) => range.tickLower === tickLower && range.tickUpper === tickUpper,
  )
  if (isOccupied) return false
  const margin = random.scale(instrumentSetting.minRangeValue, 1000, before.amm.status === 0 ? 90_000 : 9000)
  const answer = ask(() => new AddInput(trader, margin, tickLower, tickUpper).simulate(before, user))
  if (!answer) return false
  const [{ tickDeltaLower, tickDeltaUpper, amount, limitTicks }, { range }] = answer
  const param = { tickDeltaLower, tickDeltaUpper, amount, limitTicks }
  await send(turn, encoder.encodeAddLiquidity({ ...pairOf(turn), ...param }))
  const { ranges } = (await read(turn)).portfolio
  const stored = ranges.find((item) => item.tickLower === range.tickLower && item.tickUpper === range.tickUpper)
  expect({ ...stored }, `${label}: add`).toEqual({ ...range })
  return true
}

export async function remove(turn: Turn): Promise<boolean> {
  const { venue, random, trader, user, instrument, label } = turn
  // The SDK brings funding to the block's time in trades only.
  await venue.update(instrument)
  const before = await read(turn)
  const { ranges } = before.portfolio
  if (ranges.length === 0) return false
  const { tickLower, tickUpper } = random.pick(ranges)
  const answer = ask(() => new RemoveInput(trader, tickLower, tickUpper).simulate(before, user))
  if (!answer) return false
  const [{ limitTicks }, { removedPosition, postPosition }] = answer
  const param = encoder.encodeRemoveLiquidity({
    ...pairOf(turn),
    tickLower,
    tickUpper,
    limitTicks,
    traderAddress: trader,
  })
  if (isBankrupt(postPosition, before)) return refuseBankrupt(turn, param)
  const events = await send(turn, param)
  expectPosition(argsOf(events, 'Remove').pic as typeof removedPosition, removedPosition, `${label}: removed`)
  const { portfolio } = await read(turn)
  expect(portfolio.ranges.length, label).toBe(ranges.length - 1)
  expectPosition(portfolio.position, postPosition, `${label}: after removal`)
  return true
}

/** The SDK foretells also what leaves an account with a debt, which the protocol refuses. */
async function refuseBankrupt({ venue, trader, label }: Turn, param: TransactionParam): Promise<false> {
  expect(await venue.send(trader, param), label).toEqual({ ok: false, error: 'PositionBankrupt' })
  return false
}

function isBankrupt(position: Position, { amm, priceData }: PairSnapshot): boolean {
  return (position.size === 0n ? position.balance : position.equity(amm, priceData.markPrice)) < 0n
}
