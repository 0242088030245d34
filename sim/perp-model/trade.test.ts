import { describe, expect, test } from 'vitest'
import { accountOf } from './instrument.ts'
import { maxWithdrawable, type Position } from './position.ts'
import { quote } from './quotation.ts'
import {
  ALICE,
  BOB,
  createLiquidMarket,
  createMarket,
  type Market,
  movePrice,
  placeMove,
  tradeMove,
  wad,
} from './testing.ts'
import { sqrtToPrice } from './tick.ts'
import { abs, ratioToWad, WAD, wmulUp } from './wad.ts'

function positionOf(market: Market, trader: string): Position {
  return accountOf(market.pair(), trader).position
}

function reserveOf(market: Market, trader: string): bigint {
  return market.context().quote.ledgers.get(trader)?.reserve ?? 0n
}

function setPrice(market: Market, price: number): void {
  market.act({ type: 'price', spotWad: wad(price) })
}

describe('opening and closing', () => {
  test('a trade does what its quotation said', () => {
    const market = createLiquidMarket()
    const { quotation } = quote(market.context(), 2n * WAD)
    const position = market.act(tradeMove(ALICE, 2, 1000))
    expect(position).toMatchObject({
      balance: 1000n * WAD - quotation.fee,
      size: 2n * WAD,
      entryNotional: quotation.entryNotional,
    })
    expect(quotation.fee).toBe(wmulUp(quotation.entryNotional, ratioToWad(40)))
    const { amm } = market.pair()
    expect([amm.sqrtPX96, amm.tick]).toEqual([quotation.sqrtPostFairPX96, quotation.postTick])
    expect([amm.totalLong, amm.totalShort]).toEqual([2n * WAD, 0n])
  })

  test('the fee goes to liquidity and protocol', () => {
    const market = createLiquidMarket()
    market.act(tradeMove(ALICE, 2, 1000))
    const { amm } = market.pair()
    const { entryNotional } = positionOf(market, ALICE)
    const providerFee = (entryNotional * ratioToWad(30)) / WAD
    expect(amm.feeIndex).toBe((providerFee * WAD) / amm.totalLiquidity)
    expect(amm.protocolFee).toBe(wmulUp(entryNotional, ratioToWad(40)) - providerFee)
  })

  test('a full close pays everything to the reserve and costs the fees and nothing to gain', () => {
    const market = createLiquidMarket()
    market.act(tradeMove(ALICE, 2, 1000))
    const { balance, entryNotional } = positionOf(market, ALICE)
    const { quotation } = quote(market.context(), -2n * WAD)
    market.act(tradeMove(ALICE, -2, 0))
    expect(positionOf(market, ALICE).size).toBe(0n)
    expect(reserveOf(market, ALICE)).toBe(balance - quotation.fee + quotation.entryNotional - entryNotional)
    expect(quotation.entryNotional <= entryNotional).toBe(true)
    expect([market.pair().amm.totalLong, market.pair().amm.totalShort]).toEqual([0n, 0n])
  })

  test('margin comes from the reserve first, then from the wallet as a deposit', () => {
    const market = createLiquidMarket()
    market.act({ type: 'deposit', account: ALICE, quote: 'USD', amountRaw: wad(300) })
    market.act(tradeMove(ALICE, 2, 1000))
    const ledger = market.context().quote.ledgers.get(ALICE)
    expect(ledger).toMatchObject({ reserve: 0n, fundFlow: { totalIn: 1000n * WAD, totalOut: 0n } })
  })

  test('a token with fewer decimals pays a fraction of its unit as a whole one and receives it as none', () => {
    const market = createLiquidMarket({}, 6)
    market.act({ ...tradeMove(ALICE, 2, 1000), amount: (1000n * WAD + 1n).toString() } as Parameters<Market['act']>[0])
    expect(market.context().quote.ledgers.get(ALICE)?.fundFlow.totalIn).toBe(1_000_000_001n)
    expect(market.pair().amm.involvedFund % 10n ** 12n).toBe(0n)
    const before = positionOf(market, ALICE).balance
    market.act({ type: 'adjust', account: ALICE, net: '-1999999999999', deadline: 0 })
    expect(reserveOf(market, ALICE)).toBe(1n)
    expect(before - positionOf(market, ALICE).balance).toBe(1999999999999n)
  })
})

describe('refusals of a trade', () => {
  test.each([
    ['Timeout', { deadline: 1 }],
    ['TradeSlippage', { limitTick: 0 }],
    ['TradeTrivial', { size: wad(0.01) }],
    ['TradeImrUnsafe', { amount: wad(100) }],
    ['CrazyDeviation', { size: wad(200), amount: wad(200_000) }],
    ['TradeOutOfLiquidity', { size: wad(50_000), amount: wad(100_000) }],
    ['ERC20InsufficientBalance', { amount: wad(100_000_000) }],
  ])('%s', (error, change) => {
    const market = createLiquidMarket()
    const move = { ...tradeMove(ALICE, 2, 1000), ...change } as Parameters<Market['fail']>[0]
    expect(market.fail(move)).toBe(error)
  })

  test('NotTradeable before the first range', () => {
    expect(createMarket().fail(tradeMove(ALICE, 2, 1000))).toBe('NotTradeable')
  })

  test('the margin a quotation asks is enough, one wei less is not', () => {
    const market = createLiquidMarket()
    const { minAmount } = quote(market.context(), 2n * WAD).quotation
    const move = (amount: bigint) =>
      ({ ...tradeMove(ALICE, 2, 0), amount: amount.toString() }) as Parameters<Market['act']>[0]
    expect(market.fail(move(minAmount - 1n))).toBe('TradeImrUnsafe')
    expect(market.act(move(minAmount))).toMatchObject({ size: 2n * WAD })
  })

  test('a reduction needs the maintenance margin only', () => {
    const market = createLiquidMarket()
    market.act(tradeMove(ALICE, 2, 700))
    movePrice(market, 2850)
    expect(market.fail(tradeMove(ALICE, 0.1, 0))).toBe('TradeImrUnsafe')
    expect(market.act(tradeMove(ALICE, -0.5, 0))).toMatchObject({ size: (15n * WAD) / 10n })
    movePrice(market, 2720)
    expect(market.fail(tradeMove(ALICE, -0.1, 0))).toBe('TradeMmrUnsafe')
  })

  test('a flip beyond the old size needs the initial margin, one to a smaller size the maintenance margin', () => {
    const market = createLiquidMarket()
    market.act(tradeMove(ALICE, 2, 640))
    movePrice(market, 2850)
    expect(market.fail(tradeMove(ALICE, -4.1, 0))).toBe('TradeImrUnsafe')
    expect(market.fail(tradeMove(ALICE, -4, 0))).toBe('TradeMmrUnsafe')
    expect(market.act(tradeMove(ALICE, -3.4, 0))).toMatchObject({ size: (-14n * WAD) / 10n })
  })

  test('a close that leaves a debt is bankrupt', () => {
    const market = createLiquidMarket()
    market.act(tradeMove(ALICE, 2, 700))
    movePrice(market, 2600)
    expect(market.fail(tradeMove(ALICE, -2, 0))).toBe('PositionBankrupt')
    expect(market.act(tradeMove(ALICE, -2, 200))).toMatchObject({ size: 0n })
  })
})

describe('margin', () => {
  test('adding and taking margin', () => {
    const market = createLiquidMarket()
    market.act(tradeMove(ALICE, 2, 1000))
    const { balance } = positionOf(market, ALICE)
    market.act({ type: 'adjust', account: ALICE, net: wad(50), deadline: 0 })
    expect(positionOf(market, ALICE).balance).toBe(balance + 50n * WAD)
    const { context, pair } = market
    const most = maxWithdrawable(pair().amm, positionOf(market, ALICE), 1000, context().markWad)
    expect(market.fail({ type: 'adjust', account: ALICE, net: (-most - 1n).toString(), deadline: 0 })).toBe(
      'TradeImrUnsafe',
    )
    market.act({ type: 'adjust', account: ALICE, net: (-most).toString(), deadline: 0 })
    expect(reserveOf(market, ALICE)).toBe(most)
  })

  test('margin may be taken out with a trade, not with a full close', () => {
    const market = createLiquidMarket()
    market.act(tradeMove(ALICE, 2, 2000))
    expect(market.fail(tradeMove(ALICE, -2, -1))).toBe('TradeImrUnsafe')
    market.act(tradeMove(ALICE, -1, -500))
    expect(reserveOf(market, ALICE)).toBe(500n * WAD)
  })

  test('no margin leaves while the fair price is far from the mark', () => {
    const market = createLiquidMarket()
    market.act(tradeMove(ALICE, 2, 3000))
    setPrice(market, 3400)
    expect(market.fail({ type: 'adjust', account: ALICE, net: wad(-1), deadline: 0 })).toBe('ForbidNegativeAdjust')
    expect(market.act({ type: 'adjust', account: ALICE, net: wad(1), deadline: 0 })).toMatchObject({ size: 2n * WAD })
  })

  test('without a position there is nothing to adjust', () => {
    const market = createLiquidMarket()
    expect(market.fail({ type: 'adjust', account: ALICE, net: wad(1), deadline: 0 })).toBe('PositionNotExist')
  })
})

test('a trade and its reverse in one block never gain', () => {
  for (const size of [0.2, 1, 3, 10, 40]) {
    for (const side of [1, -1]) {
      const market = createLiquidMarket({
        param: { minMarginAmount: wad(10), tradingFeeRatio: 0, protocolFeeRatio: 0, qtype: 1, tip: '0' },
      })
      market.act(placeMove(market, BOB, market.pair().amm.tick + side * 20, -side * 0.5))
      market.act(tradeMove(ALICE, side * size, 20_000))
      market.act(tradeMove(ALICE, -side * size, 0))
      expect(reserveOf(market, ALICE) <= 20_000n * WAD).toBe(true)
    }
  }
})

test('funding accrues between trades and is realised with them', () => {
  const market = createLiquidMarket()
  market.act(tradeMove(ALICE, 10, 10_000))
  market.act(tradeMove(BOB, -2, 2000))
  const { amm } = market.pair()
  const fair = sqrtToPrice(amm.sqrtPX96)
  expect(fair > 3000n * WAD).toBe(true)
  const before = positionOf(market, ALICE)
  market.act({ type: 'update', account: BOB, timeSec: market.world.nowSec + 3600 })
  const paid = abs(market.pair().amm.longFundingIndex)
  expect(paid).toBe(((fair - 3000n * WAD) * 3600n + 14_400n) / 28_800n)
  market.act({ type: 'adjust', account: ALICE, net: '0', deadline: 0 })
  expect(positionOf(market, ALICE).balance).toBe(before.balance - paid * 10n)
})
