import { describe, expect, test } from 'vitest'
import { accountOf, pearlAt } from './instrument.ts'
import { type Range, type RangeTicks, rangeKey } from './range.ts'
import {
  ALICE,
  ANY_LIMITS,
  addMove,
  BOB,
  createLiquidMarket,
  createMarket,
  LP,
  type Market,
  type Move,
  movePrice,
  tradeMove,
  wad,
} from './testing.ts'
import { WAD } from './wad.ts'

type Added = RangeTicks & { range: Range }

function reserveOf(market: Market, trader: string): bigint {
  return market.context().quote.ledgers.get(trader)?.reserve ?? 0n
}

function removeMove(account: string, target: string, { tickLower, tickUpper }: RangeTicks): Move {
  return { type: 'remove', account, target, tickLower, tickUpper, ...ANY_LIMITS }
}

describe('the first range', () => {
  test('opens the pair at the mark price', () => {
    const market = createMarket()
    const added = market.act(addMove(LP, wad(1000), 2000)) as Added
    expect(added).toMatchObject({ tickLower: 78_050, tickUpper: 82_100, range: { liquidity: 784318785823604467008n } })
    const { amm } = market.pair()
    expect(amm).toMatchObject({
      status: 1,
      tick: 80_067,
      sqrtPX96: 4339505179874779489431521786241n,
      liquidity: added.range.liquidity,
      totalLiquidity: added.range.liquidity,
      openInterests: 1383550139899430214n,
      involvedFund: 1000n * WAD,
    })
    expect(pearlAt(market.pair(), 78_050)).toMatchObject({ liquidityGross: amm.liquidity, liquidityNet: amm.liquidity })
    expect(pearlAt(market.pair(), 82_100)).toMatchObject({
      liquidityGross: amm.liquidity,
      liquidityNet: -amm.liquidity,
    })
  })

  test('needs the least margin', () => {
    expect(createMarket().fail(addMove(LP, wad(99), 2000))).toBe('InitTrivial')
  })
})

describe('adding', () => {
  test.each([
    ['AddTrivial', { amount: wad(1) }],
    ['AddInvalidTickDelta', { tickDeltaUpper: 952 }],
    ['AddInvalidTickDelta', { tickDeltaLower: 16_097 }],
    ['AddSlippage', { limitTickLower: 80_068 }],
    ['AddSlippage', { limitTickUpper: 80_066 }],
    ['Timeout', { deadline: 1 }],
    ['AddOverflow', { amount: (2n ** 96n).toString() }],
    ['ERC20InsufficientBalance', { amount: wad(100_000_000) }],
  ])('%s', (error, change) => {
    const market = createLiquidMarket()
    expect(market.fail({ ...addMove(ALICE, wad(1000), 2000), ...change } as Move)).toBe(error)
  })

  test('a lower delta of 0 means the upper one', () => {
    const market = createLiquidMarket()
    const added = market.act({ ...addMove(ALICE, wad(1000), 2000), tickDeltaLower: 0 } as Move)
    expect(added).toMatchObject({ tickLower: 78_050, tickUpper: 82_100 })
  })

  test('one range for the same edges', () => {
    const market = createLiquidMarket()
    market.act(addMove(ALICE, wad(1000), 2000))
    expect(market.fail(addMove(ALICE, wad(1000), 2000))).toBe('RangeOccupied')
    expect(market.act(addMove(BOB, wad(1000), 2000))).toMatchObject({ tickLower: 78_050 })
  })
})

describe('removing', () => {
  test('in the block of adding it loses one wei and never gains', () => {
    const market = createLiquidMarket()
    const added = market.act(addMove(ALICE, wad(1000), 2000)) as Added
    market.act(removeMove(ALICE, ALICE, added))
    expect(reserveOf(market, ALICE)).toBe(1000n * WAD - 1n)
    expect(accountOf(market.pair(), ALICE).ranges.size).toBe(0)
  })

  test('pays the fees earned', () => {
    const market = createLiquidMarket()
    const added = market.act(addMove(ALICE, wad(1000), 2000)) as Added
    market.act(tradeMove(BOB, 3, 10_000))
    market.act(tradeMove(BOB, -3, 0))
    const { fee } = market.act(removeMove(ALICE, ALICE, added)) as { fee: bigint }
    expect(fee > 0n).toBe(true)
    expect(reserveOf(market, ALICE) > 1000n * WAD).toBe(true)
  })

  test('a moved price leaves the owner a position against the move', () => {
    const market = createLiquidMarket()
    const added = market.act(addMove(ALICE, wad(1000), 2000)) as Added
    market.act(tradeMove(BOB, 3, 10_000))
    const { pic } = market.act(removeMove(ALICE, ALICE, added)) as { pic: { size: bigint } }
    expect(pic.size < 0n).toBe(true)
    const { amm } = market.pair()
    expect(amm.totalShort).toBe(-pic.size)
    expect(amm.totalLong).toBe(3n * WAD)
  })

  test('others may remove only what the price has left, for a tip', () => {
    const market = createLiquidMarket()
    const added = market.act(addMove(ALICE, wad(10_000), 954)) as Added
    expect(market.fail(removeMove(BOB, ALICE, added))).toBe('RemoveActiveRange')
    movePrice(market, 3320)
    expect(market.pair().amm.tick >= added.tickUpper).toBe(true)
    const removed = market.act(removeMove('0xkeeper', ALICE, added))
    expect(removed).toMatchObject({ tip: WAD / 100n })
    expect(reserveOf(market, '0xkeeper')).toBe(WAD / 100n)
  })

  test('RangeNotExist, RemoveSlippage', () => {
    const market = createLiquidMarket()
    const added = market.act(addMove(ALICE, wad(1000), 2000)) as Added
    expect(market.fail(removeMove(BOB, BOB, added))).toBe('RangeNotExist')
    expect(market.fail({ ...removeMove(ALICE, ALICE, added), limitTickUpper: 80_066 } as Move)).toBe('RemoveSlippage')
    expect(rangeKey(added)).toBe(rangeKey({ tickLower: 78_050, tickUpper: 82_100 }))
  })
})
