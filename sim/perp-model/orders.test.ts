import { describe, expect, test } from 'vitest'
import { orderKey, orderKeyParts } from './account.ts'
import { deltaBase } from './curve.ts'
import { accountOf, pearlAt, recordKey } from './instrument.ts'
import { takenOf } from './orders.ts'
import type { Position } from './position.ts'
import {
  ALICE,
  BOB,
  CAROL,
  createLiquidMarket,
  createMarket,
  type Market,
  type Move,
  placeMove,
  tradeMove,
  wad,
} from './testing.ts'
import { tickToPrice, tickToSqrt } from './tick.ts'
import { ratioToWad, WAD, wmul, wmulDown } from './wad.ts'

function place(market: Market, account: string, tick: number, size: number): number {
  return (market.act(placeMove(market, account, tick, size)) as { nonce: number }).nonce
}

function cancel(market: Market, account: string, ...ticks: number[]) {
  return market.act({ type: 'cancel', account, ticks, deadline: 0 }) as { success: boolean; pic: Position }[]
}

function fillMove(account: string, target: string, tick: number, nonce: number): Move {
  return { type: 'fill', account, target, tick, nonce }
}

function reserveOf(market: Market, trader: string): bigint {
  return market.context().quote.ledgers.get(trader)?.reserve ?? 0n
}

/** Buys up to the sell orders at a tick and takes that much of them. */
function take(market: Market, tick: number, amount: number): void {
  const { sqrtPX96, liquidity } = market.pair().amm
  const size = deltaBase(sqrtPX96, tickToSqrt(tick), liquidity, 'up') + BigInt(wad(amount))
  market.act({ ...tradeMove(ALICE, 1, 50_000), size: size.toString() } as Move)
}

/** A market with a sell order of Bob's twenty ticks above the price. */
function withSellOrder(size: number, change = {}): { market: Market; tick: number } {
  const market = createLiquidMarket(change)
  const tick = market.pair().amm.tick + 20
  place(market, BOB, tick, -size)
  return { market, tick }
}

test('keys', () => {
  expect(orderKey(-5, 3)).toBe(281474892824579)
  expect(orderKeyParts(281474892824579)).toEqual({ tick: -5, nonce: 3 })
})

describe('placing', () => {
  test('locks the margin and shows at the tick', () => {
    const { market, tick } = withSellOrder(1)
    const { orders } = accountOf(market.pair(), BOB)
    expect([...orders]).toEqual([[orderKey(tick, 0), { balance: expect.anything(), size: -WAD }]])
    expect(pearlAt(market.pair(), tick)).toMatchObject({ left: -WAD, taken: 0n, nonce: 0 })
    expect(accountOf(market.pair(), BOB).position.size).toBe(0n)
  })

  test.each([
    ['OrderTrivial', { size: '0' }],
    ['OrderTrivial', { size: wad(0.001) }],
    ['TickOutOfBound', { tick: -322_518 }],
    ['OrderWrongSide', { tick: 80_067 }],
    ['OrderWrongSide', { tick: 80_100 }],
    ['OrderTooFar', { tick: 70_000 }],
    ['OrderImrUnsafe', { amount: wad(10) }],
    ['ERC20InsufficientBalance', { amount: wad(100_000_000) }],
    ['Timeout', { deadline: 1 }],
  ])('%s', (error, change) => {
    const market = createLiquidMarket()
    const move = { type: 'place', account: BOB, tick: 80_000, size: wad(1), amount: wad(1000), deadline: 0, ...change }
    expect(market.fail(move as Move)).toBe(error)
  })

  test('one order a tick and trader, aligned, unpaused, near the mark', () => {
    const { market, tick } = withSellOrder(1)
    expect(market.fail(placeMove(market, BOB, tick, -1))).toBe('OrderOccupied')
    const paused = createLiquidMarket({ placePaused: true })
    expect(paused.fail(placeMove(paused, BOB, 80_000, 1))).toBe('PlacePaused')
    market.act({ type: 'price', spotWad: wad(2600) })
    expect(market.fail(placeMove(market, BOB, tick + 1, -1))).toBe('FairDeviation')
    const dormant = createMarket()
    expect(dormant.fail({ type: 'place', account: BOB, tick: 1, size: '1', amount: '1', deadline: 0 })).toBe(
      'NotTradeable',
    )
  })

  test('the least margin is the price or the mark, whichever is higher, by the leverage', () => {
    const market = createLiquidMarket()
    const move = { type: 'place', account: BOB, tick: 80_000, size: wad(1), deadline: 0 } as const
    expect(market.fail({ ...move, amount: (300n * WAD - 1n).toString() })).toBe('OrderImrUnsafe')
    expect(market.act({ ...move, amount: wad(300) })).toEqual({ nonce: 0, order: { balance: 300n * WAD, size: WAD } })
  })

  test('a batch shares size by ratio and margin by leverage, whole or not at all', () => {
    const market = createLiquidMarket()
    const move = { type: 'batchPlace', account: BOB, size: wad(10), leverage: wad(3), deadline: 0 } as const
    const ratios = [1000, 2000, 3000, 4000]
    const placed = market.act({ ...move, ticks: [80_000, 79_990, 79_980, 79_970], ratios })
    expect(placed).toEqual(
      [1n, 2n, 3n, 4n].map((size) => ({ nonce: 0, order: { size: size * WAD, balance: 1000n * size * WAD } })),
    )
    const other = { ...move, account: CAROL }
    expect(market.fail({ ...other, ticks: [80_000, 80_000, 79_980, 79_970], ratios })).toBe('OrderOccupied')
    expect(market.fail({ ...other, ticks: [80_000, 79_990, 79_980, 80_070], ratios })).toBe('OrderWrongSide')
    expect(market.fail({ ...other, leverage: wad(11), ticks: [80_000, 79_990, 79_980, 79_970], ratios })).toBe(
      'OrderImrUnsafe',
    )
    expect(accountOf(market.pair(), CAROL).oids).toEqual([])
  })
})

describe('taking and filling', () => {
  test('a finished tick moves to a record and anyone may fill for a tip', () => {
    const { market, tick } = withSellOrder(1)
    const margin = accountOf(market.pair(), BOB).orders.get(orderKey(tick, 0))?.balance ?? 0n
    take(market, tick, 1.5)
    const value = wmul(tickToPrice(tick), WAD)
    const rebate = wmulDown(value, ratioToWad(30))
    expect(market.pair().records.get(recordKey(tick, 0))).toMatchObject({ taken: -WAD, fee: rebate })
    expect(pearlAt(market.pair(), tick)).toMatchObject({ left: 0n, taken: 0n, nonce: 1 })

    const tip = WAD / 100n
    expect(market.act(fillMove(CAROL, BOB, tick, 0))).toMatchObject({ tip, pic: { balance: margin + rebate - tip } })
    expect(reserveOf(market, CAROL)).toBe(tip)
    expect(market.pair().records.get(recordKey(tick, 0))).toMatchObject({ taken: 0n, fee: 0n })
    expect(accountOf(market.pair(), BOB).position).toMatchObject({ size: -WAD, entryNotional: value })
    expect(market.fail(fillMove(CAROL, BOB, tick, 0))).toBe('OrderNotExist')
  })

  test('an order that is not fully taken is not filled; an early one of the same tick is', () => {
    const { market, tick } = withSellOrder(1)
    place(market, CAROL, tick, -2)
    take(market, tick, 1)
    expect(market.fail(fillMove(CAROL, CAROL, tick, 0))).toBe('OrderNotFullyTaken')
    expect(market.act(fillMove(BOB, BOB, tick, 0))).toMatchObject({ tip: 0n, pic: { size: -WAD } })
    expect(pearlAt(market.pair(), tick)).toMatchObject({ left: -2n * WAD, taken: 0n, fee: 0n })
  })

  test('without rebate the maker gets none and the protocol keeps it', () => {
    const { market, tick } = withSellOrder(1, { disableOrderRebate: true })
    take(market, tick, 1)
    expect(market.pair().records.get(recordKey(tick, 0))?.fee).toBe(0n)
    const paying = withSellOrder(1)
    take(paying.market, paying.tick, 1)
    const rebate = paying.market.pair().records.get(recordKey(tick, 0))?.fee ?? 0n
    expect(market.pair().amm.protocolFee - paying.market.pair().amm.protocolFee).toBe(rebate)
  })

  test('makers of one tick share the fee, the last takes what remains', () => {
    const { market, tick } = withSellOrder(1)
    place(market, CAROL, tick, -2)
    take(market, tick, 3)
    const fee = market.pair().records.get(recordKey(tick, 0))?.fee ?? 0n
    const balanceOf = (pic: unknown) => (pic as { pic: Position }).pic.balance
    const bobMargin = accountOf(market.pair(), BOB).orders.get(orderKey(tick, 0))?.balance ?? 0n
    const carolMargin = accountOf(market.pair(), CAROL).orders.get(orderKey(tick, 0))?.balance ?? 0n
    expect(balanceOf(market.act(fillMove(BOB, BOB, tick, 0))) - bobMargin).toBe(fee / 3n)
    expect(balanceOf(market.act(fillMove(CAROL, CAROL, tick, 0))) - carolMargin).toBe(fee - fee / 3n)
  })

  test('funding runs from the moment of taking', () => {
    const { market, tick } = withSellOrder(1)
    take(market, tick, 1)
    market.act({ type: 'update', account: CAROL, timeSec: market.world.nowSec + 7200 })
    const income = market.pair().amm.shortFundingIndex
    expect(income > 0n).toBe(true)
    const before = accountOf(market.pair(), BOB).orders.get(orderKey(tick, 0))?.balance ?? 0n
    const { pic } = market.act(fillMove(BOB, BOB, tick, 0)) as { pic: Position }
    expect(pic.entryFundingIndex).toBe(0n)
    expect(accountOf(market.pair(), BOB).position.balance).toBe(pic.balance + income)
    expect(pic.balance > before).toBe(true)
  })

  test('a long that starts on a tick it did not exhaust goes on there; a short that lands on a tick stays above it', () => {
    const { market, tick } = withSellOrder(2)
    take(market, tick, 1)
    expect(market.pair().amm.tick).toBe(tick)
    const { sqrtPX96 } = market.pair().amm
    market.act(tradeMove(ALICE, 0.5, 5000))
    expect(market.pair().amm.sqrtPX96).toBe(sqrtPX96)
    expect(pearlAt(market.pair(), tick)).toMatchObject({ left: -WAD / 2n, taken: (-15n * WAD) / 10n })
  })
})

describe('cancelling', () => {
  test('an untouched order gives its margin back', () => {
    const { market, tick } = withSellOrder(1)
    const margin = accountOf(market.pair(), BOB).orders.get(orderKey(tick, 0))?.balance ?? 0n
    expect(cancel(market, BOB, tick, tick + 1).map(({ success }) => success)).toEqual([true, false])
    expect(reserveOf(market, BOB)).toBe(margin)
    expect(pearlAt(market.pair(), tick)).toMatchObject({ left: 0n, nonce: 0 })
  })

  test('while enough is left the canceller leaves untouched; the late one owns what was taken', () => {
    const { market, tick } = withSellOrder(1)
    place(market, CAROL, tick, -1)
    take(market, tick, 0.75)
    expect(cancel(market, BOB, tick)[0]?.pic.size).toBe(0n)
    const orders = accountOf(market.pair(), CAROL).orders
    expect(
      takenOf({ pair: market.pair() }, orderKey(tick, 0), orders.get(orderKey(tick, 0)) ?? { balance: 0n, size: 0n }),
    ).toBe((-3n * WAD) / 4n)
    const { balance: margin } = orders.get(orderKey(tick, 0)) ?? { balance: 0n }
    const { fee } = pearlAt(market.pair(), tick)
    expect(cancel(market, CAROL, tick)[0]?.pic).toMatchObject({ size: (-3n * WAD) / 4n, balance: margin + fee })
    expect(reserveOf(market, CAROL)).toBe(0n)
    expect(pearlAt(market.pair(), tick)).toMatchObject({ left: 0n, taken: 0n, fee: 0n })
  })

  test('the one who takes the rest leaves a record for the others', () => {
    const { market, tick } = withSellOrder(1)
    place(market, CAROL, tick, -2)
    take(market, tick, 2)
    expect(cancel(market, CAROL, tick)[0]?.pic.size).toBe(-WAD)
    expect(market.pair().records.get(recordKey(tick, 0))?.taken).toBe(-WAD)
    expect(market.act(fillMove(BOB, BOB, tick, 0))).toMatchObject({ pic: { size: -WAD } })
  })

  test('an order of an earlier generation is filled', () => {
    const { market, tick } = withSellOrder(1)
    take(market, tick, 1)
    expect(cancel(market, BOB, tick)[0]).toMatchObject({ success: true, pic: { size: -WAD } })
    expect(market.pair().records.get(recordKey(tick, 0))).toMatchObject({ taken: 0n, fee: 0n })
  })
})

describe('an order that comes late to a partly taken tick', () => {
  function withLateOrder(): { market: Market; tick: number } {
    const { market, tick } = withSellOrder(2)
    take(market, tick, 1.5)
    // The price falls back, so that the tick is above it again and open to new orders.
    market.act(tradeMove(ALICE, -1, 50_000))
    expect(place(market, CAROL, tick, -1)).toBe(1)
    return { market, tick }
  }

  test('waits in the next generation and claims nothing of what was taken before', () => {
    const { market, tick } = withLateOrder()
    expect(pearlAt(market.pair(), tick)).toMatchObject({ nonce: 0, left: (-3n * WAD) / 2n, waiting: -WAD })
    expect(market.fail(fillMove(CAROL, CAROL, tick, 0))).toBe('OrderNotExist')
    expect(market.fail(fillMove(CAROL, CAROL, tick, 1))).toBe('OrderNotFullyTaken')
    expect(cancel(market, CAROL, tick)[0]?.pic.size).toBe(0n)
  })

  test('leaves the early maker exactly what was taken from him', () => {
    const { market, tick } = withLateOrder()
    expect(cancel(market, BOB, tick)[0]?.pic.size).toBe((-3n * WAD) / 2n)
    expect(pearlAt(market.pair(), tick)).toMatchObject({ nonce: 1, left: -WAD, waiting: 0n, taken: 0n })
  })

  test('is taken only after the early one', () => {
    const { market, tick } = withLateOrder()
    take(market, tick, 0.75)
    expect(market.pair().records.get(recordKey(tick, 0))?.taken).toBe(-2n * WAD)
    expect(pearlAt(market.pair(), tick)).toMatchObject({ nonce: 1, left: (-3n * WAD) / 4n, taken: -WAD / 4n })
  })
})
