/** Worked by hand from perp-protocol 3.6 and 3.12: initial margin 10 %, maintenance 5 %, the curve at 3000. */
import { Position as SdkPosition } from '@synfutures/perpv3-ts/types'
import { describe, expect, test } from 'vitest'
import { accountOf } from './instrument.ts'
import { surplusWad } from './invariants.ts'
import { absorbDeficit, coverDeficit, repayShortfall } from './losses.ts'
import { equity, isMmrSafe, type Position, split } from './position.ts'
import { quote } from './quotation.ts'
import { ADMIN, ALICE, BOB, CAROL, createLiquidMarket, FREE, hold, LP, type Market, type Move, wad } from './testing.ts'
import { WAD } from './wad.ts'

function positionOf(market: Market, trader: string): Position {
  return accountOf(market.pair(), trader).position
}

function setPrice(market: Market, price: number): void {
  market.act({ type: 'price', spotWad: wad(price) })
}

function liquidation(account: string, target: string, size: number, amount: number): Move {
  return { type: 'liquidate', account, target, size: wad(size), amount: wad(amount) }
}

function sweeping(account: string, target: string, size: number): Move {
  return { type: 'sweep', account, target, size: wad(size) }
}

/** Alice is long 2 from 6000 with 400, Bob is short 2 from 6000 with 2000. */
function createPairOfTwo(alice = 400): Market {
  const market = createLiquidMarket(FREE)
  hold(market, ALICE, { balance: alice, size: 2, notional: 6000 })
  hold(market, BOB, { balance: 2000, size: -2, notional: 6000 })
  return market
}

describe('the parts of a position', () => {
  test('margin and notional go pro rata, the rest is what remains', () => {
    const position = { balance: 10n, size: 3n, entryNotional: 100n, entrySocialLossIndex: 7n, entryFundingIndex: -9n }
    // 10·1/3 = 3.33 and 100·1/3 = 33.33
    expect(split(position, 1n)).toEqual({
      part: { ...position, balance: 3n, size: 1n, entryNotional: 33n },
      rest: { ...position, balance: 7n, size: 2n, entryNotional: 67n },
    })
    // 10·2/3 = 6.67 and 100·2/3 = 66.67 are nearer to 7 and 67.
    expect(split(position, 2n).part).toMatchObject({ balance: 7n, entryNotional: 67n })
  })

  test('a debt is split to nearest too', () => {
    const position = { balance: -10n, size: -3n, entryNotional: 99n, entrySocialLossIndex: 0n, entryFundingIndex: 0n }
    expect(split(position, -2n)).toMatchObject({ part: { balance: -7n, entryNotional: 66n }, rest: { balance: -3n } })
  })
})

describe('taking over', () => {
  test('half of a position brings half of its margin, at its entry price', () => {
    const market = createPairOfTwo()
    // At 2940 the position is worth 5880: 400 − 120 = 280 is less than 5 % of it, 294.
    setPrice(market, 2940)
    market.act(liquidation(CAROL, ALICE, 1, 160))
    expect(positionOf(market, ALICE)).toMatchObject({ balance: 200n * WAD, size: WAD, entryNotional: 3000n * WAD })
    // 200 and 160 of one's own; less the loss of 60 it covers 10 % of 2940.
    expect(positionOf(market, CAROL)).toMatchObject({ balance: 360n * WAD, size: WAD, entryNotional: 3000n * WAD })
    expect(market.pair().amm).toMatchObject({ totalLong: 2n * WAD, totalShort: 2n * WAD, insuranceFund: 0n })
  })

  test('who takes over meets the initial margin to the wei', () => {
    const market = createPairOfTwo()
    setPrice(market, 2940)
    // The half has 200 − 60 = 140 of equity and needs 294: 154 are missing.
    const { amount: exact, ...rest } = liquidation(CAROL, ALICE, 1, 154) as Extract<Move, { type: 'liquidate' }>
    expect(market.fail({ ...rest, amount: (BigInt(exact) - 1n).toString() })).toBe('LiquidatePostImrUnsafe')
    market.act({ ...rest, amount: exact })
    expect(market.context().quote.ledgers.get(CAROL)?.fundFlow.totalIn).toBe(154n * WAD)
  })

  test('a position of the other side is closed against it and pays out when nothing is left', () => {
    const market = createPairOfTwo()
    hold(market, CAROL, { balance: 500, size: -2, notional: 6200 })
    setPrice(market, 2940)
    market.act(liquidation(CAROL, ALICE, 2, 0))
    // 500 + 400 and the difference of the notionals, 200.
    expect(market.context().quote.ledgers.get(CAROL)?.reserve).toBe(1100n * WAD)
    expect(positionOf(market, CAROL).size).toBe(0n)
    expect(market.pair().amm).toMatchObject({ totalLong: 0n, totalShort: 2n * WAD })
  })

  test('a debt is paid by the insurance fund, then by the other side, and nobody’s sum changes', () => {
    const market = createPairOfTwo()
    market.act({ type: 'donate', account: LP, amount: wad(30) })
    // At 2750 Alice has 400 − 500 = −100: 30 are insured, 70 fall on Bob's 2, 35 each.
    setPrice(market, 2750)
    const fair = () => market.context().markWad
    const total = () => {
      const { amm } = market.pair()
      return [ALICE, BOB, CAROL].reduce(
        (sum, who) => sum + equity(amm, positionOf(market, who), fair()),
        amm.insuranceFund,
      )
    }
    const before = total()
    market.act(liquidation(CAROL, ALICE, 2, 600))
    const { amm } = market.pair()
    expect(amm).toMatchObject({ insuranceFund: 0n, shortSocialLossIndex: 35n * WAD, longSocialLossIndex: 0n })
    // The part enters with an equity of nothing: 400 + 100, and 600 of one's own.
    expect(positionOf(market, CAROL)).toMatchObject({ balance: 1100n * WAD, size: 2n * WAD })
    expect(equity(amm, positionOf(market, CAROL), fair())).toBe(600n * WAD)
    // Bob: 2000 + 500 − 70.
    expect(equity(amm, positionOf(market, BOB), fair())).toBe(2430n * WAD)
    expect(total() - before).toBe(600n * WAD)
  })

  test('only the debt of the part that is taken is paid', () => {
    const market = createPairOfTwo()
    setPrice(market, 2750)
    market.act(liquidation(CAROL, ALICE, 0.5, 1000))
    expect(market.pair().amm.shortSocialLossIndex).toBe((25n * WAD) / 2n)
    expect(positionOf(market, ALICE)).toMatchObject({ balance: 300n * WAD, size: (3n * WAD) / 2n })
  })

  test('who holds the other side bears its share before it is closed', () => {
    const market = createPairOfTwo()
    hold(market, CAROL, { balance: 500, size: -2, notional: 6000 })
    // 100 on four shorts are 25 each: Carol loses 50, gains 500 on her short and takes over a part worth nothing.
    setPrice(market, 2750)
    market.act(liquidation(CAROL, ALICE, 2, 0))
    expect(market.context().quote.ledgers.get(CAROL)?.reserve).toBe((500n + 500n - 50n) * WAD)
  })

  test('a short is taken over the same way, and its debt falls on the longs', () => {
    const market = createLiquidMarket(FREE)
    hold(market, ALICE, { balance: 200, size: -1, notional: 3000 })
    hold(market, BOB, { balance: 900, size: 4, notional: 12_000 })
    setPrice(market, 3300)
    market.act(liquidation(CAROL, ALICE, -1, 330))
    expect(market.pair().amm).toMatchObject({ longSocialLossIndex: 25n * WAD, shortSocialLossIndex: 0n })
    expect(positionOf(market, CAROL)).toMatchObject({ balance: 630n * WAD, size: -WAD, entryNotional: 3000n * WAD })
  })
})

describe('refusals', () => {
  test('an account at its maintenance margin is safe, one below it is not, and the SDK says where that is', () => {
    const market = createPairOfTwo()
    const { balance, size, entryNotional } = positionOf(market, ALICE)
    const sdk = new SdkPosition(balance, size, entryNotional, 0n, 0n)
    // (6000 − 400) / (2 · 0.95) = 2947.368…
    const price = sdk.liquidationPrice(market.pair().amm as never, 500)
    expect(price).toBe((5600n * WAD * WAD) / ((19n * WAD) / 10n))
    const { amm } = market.pair()
    expect(isMmrSafe(amm, positionOf(market, ALICE), 500, price + 2n)).toBe(true)
    expect(isMmrSafe(amm, positionOf(market, ALICE), 500, price - 2n)).toBe(false)
    setPrice(market, 2947.369)
    expect(market.fail(liquidation(CAROL, ALICE, 1, 500))).toBe('TargetSafe')
    expect(market.fail(sweeping(CAROL, ALICE, -1))).toBe('TargetSafe')
    setPrice(market, 2947.368)
    market.act(liquidation(CAROL, ALICE, 1, 500))
  })

  test.each([
    ['PositionNotExist', liquidation(CAROL, LP, 1, 0)],
    ['PositionNotExist', sweeping(CAROL, LP, -1)],
    ['SelfLiquidation', liquidation(ALICE, ALICE, 1, 0)],
    ['BadTargetSize', liquidation(CAROL, ALICE, -1, 0)],
    ['BadTargetSize', liquidation(CAROL, ALICE, 0, 0)],
    ['BadTargetSize', liquidation(CAROL, ALICE, 2.001, 5000)],
    ['BadTargetSize', sweeping(CAROL, ALICE, 1)],
    ['BadTargetSize', sweeping(CAROL, ALICE, 0)],
    ['BadTargetSize', sweeping(CAROL, ALICE, -2.001)],
    ['LiquidatePostImrUnsafe', liquidation(CAROL, ALICE, 1, 0)],
  ])('%s', (error, move) => {
    const market = createPairOfTwo()
    setPrice(market, 2940)
    expect(market.fail(move)).toBe(error)
  })

  test('with nobody on the other side a debt has no counterparty', () => {
    const market = createLiquidMarket(FREE)
    hold(market, ALICE, { balance: 400, size: 2, notional: 6000 })
    setPrice(market, 2750)
    expect(market.fail(liquidation(CAROL, ALICE, 2, 600))).toBe('NoCounterparty')
    market.act({ type: 'donate', account: LP, amount: wad(100) })
    market.act(liquidation(CAROL, ALICE, 2, 600))
    expect(market.pair().amm.insuranceFund).toBe(0n)
  })

  test('while liquidators are listed nobody else takes over, but everybody may sweep', () => {
    const market = createPairOfTwo()
    market.world.protocol.openLiquidator = false
    setPrice(market, 2940)
    expect(market.fail(liquidation(CAROL, ALICE, 1, 200))).toBe('LiquidatorIneligible')
    market.act({ type: 'liquidators', account: ADMIN, target: CAROL, allowed: true })
    market.act(liquidation(CAROL, ALICE, 1, 200))
    market.act(sweeping(BOB, ALICE, -1))
    market.act({ type: 'openLiquidation', account: ADMIN })
    expect(market.fail({ type: 'openLiquidation', account: ADMIN })).toBe('LiquidatorWhitelistAlreadyDisabled')
  })
})

describe('a sweep', () => {
  test('closes at the market and leaves the rest of the margin to the insurance fund', () => {
    const market = createPairOfTwo()
    setPrice(market, 2940)
    const { entryNotional } = quote(market.context(), -WAD).quotation
    market.act(sweeping(CAROL, ALICE, -1))
    // Half of the margin and the loss against half of the entry.
    expect(market.pair().amm.insuranceFund).toBe(200n * WAD + entryNotional - 3000n * WAD)
    expect(market.pair().amm).toMatchObject({ totalLong: WAD, totalShort: 2n * WAD, shortSocialLossIndex: 0n })
    expect(positionOf(market, ALICE)).toMatchObject({ balance: 200n * WAD, size: WAD, entryNotional: 3000n * WAD })
  })

  test('pays the usual fees first', () => {
    const fees = { param: { ...FREE.param, tradingFeeRatio: 30, protocolFeeRatio: 10 } }
    const market = createLiquidMarket(fees)
    hold(market, ALICE, { balance: 400, size: 2, notional: 6000 })
    setPrice(market, 2940)
    const { entryNotional, fee } = quote(market.context(), -2n * WAD).quotation
    market.act(sweeping(CAROL, ALICE, -2))
    expect(market.pair().amm.insuranceFund).toBe(400n * WAD + entryNotional - 6000n * WAD - fee)
    expect(market.pair().amm.protocolFee > 0n).toBe(true)
  })

  test('what is missing is paid like any debt, by those who are short when it is over', () => {
    const market = createPairOfTwo(100)
    // The curve is at 2999.8…, so the sale brings a little less than 6000; the price of the mark is 2700.
    setPrice(market, 2700)
    market.act({ type: 'trade', account: CAROL, size: wad(-30), amount: wad(50_000), limitTick: -400_000, deadline: 0 })
    const { entryNotional } = quote(market.context(), -2n * WAD).quotation
    const debt = 6000n * WAD - 100n * WAD - entryNotional
    expect(debt > 0n).toBe(true)
    const before = surplusWad(market.pair())
    market.act(sweeping(CAROL, ALICE, -2))
    const { amm } = market.pair()
    expect(amm.totalShort).toBe(32n * WAD)
    // Rounded up: 32 shorts pay the debt and less than 32 wei more.
    expect(amm.shortSocialLossIndex).toBe((debt + 31n) / 32n)
    const after = surplusWad(market.pair())
    expect(after - before >= 0n && after - before < 1000n).toBe(true)
  })

  test('does not carry the price further from the benchmark than a trade may', () => {
    const market = createLiquidMarket(FREE)
    hold(market, ALICE, { balance: 20_000, size: 200, notional: 600_000 })
    hold(market, BOB, { balance: 90_000, size: -200, notional: 600_000 })
    setPrice(market, 2940)
    expect(market.fail(sweeping(CAROL, ALICE, -200))).toBe('CrazyDeviation')
    market.act(sweeping(CAROL, ALICE, -10))
  })
})

describe('who pays', () => {
  test('the insurance fund first, and the other side by size, rounded up', () => {
    const pair = createPairOfTwo().pair()
    const { amm } = pair
    amm.insuranceFund = 10n * WAD
    coverDeficit(pair, 4n * WAD, true, WAD)
    expect(amm).toMatchObject({ insuranceFund: 6n * WAD, shortSocialLossIndex: 0n })
    coverDeficit(pair, 6n * WAD, true, WAD)
    expect(amm).toMatchObject({ insuranceFund: 0n, shortSocialLossIndex: 0n })
    amm.totalLong = 3n * WAD
    coverDeficit(pair, 10n, false, WAD)
    // 10 wei on three longs: 3.33 wei each.
    expect(amm.longSocialLossIndex).toBe(4n)
    coverDeficit(pair, 0n, false, WAD)
    expect(amm.longSocialLossIndex).toBe(4n)
  })

  test('a side worth less than the loss bears nothing: the own side does, or nobody', () => {
    const pair = createPairOfTwo().pair()
    const { amm } = pair
    Object.assign(amm, { totalLong: 5n * WAD, totalShort: 1n })
    // A wei of base at 3000 is worth 3000 wei.
    expect(() => coverDeficit(pair, 3001n, true, 3000n * WAD)).toThrow('NoCounterparty')
    coverDeficit(pair, 3000n, true, 3000n * WAD)
    expect(amm.shortSocialLossIndex).toBe(3000n * WAD)
    absorbDeficit(pair, 3001n, true, 3000n * WAD)
    // 3001 wei on five longs: 600.2 wei each.
    expect(amm).toMatchObject({ longSocialLossIndex: 601n, shortSocialLossIndex: 3000n * WAD })
    amm.totalLong = 1n
    absorbDeficit(pair, 5000n, true, 3000n * WAD)
    expect(pair.shortfall).toBe(5000n)
    amm.insuranceFund = 4000n
    repayShortfall(pair)
    expect([pair.shortfall, amm.insuranceFund]).toEqual([1000n, 0n])
  })
})
