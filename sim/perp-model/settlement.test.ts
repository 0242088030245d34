/** The end of a dated pair and halts, worked by hand from perp-protocol 3.11 to 3.13. */
import { describe, expect, test } from 'vitest'
import { CONDITION, STATUS } from './amm.ts'
import { accumulate, benchmarkOf, FEEDER } from './prices.ts'
import {
  ADMIN,
  ALICE,
  addMove,
  BOB,
  CAROL,
  createLiquidMarket,
  createMarket,
  FREE,
  hold,
  LP,
  type Market,
  type Move,
  tradeMove,
  wad,
} from './testing.ts'
import { WAD } from './wad.ts'
import { contextOf } from './world.ts'

/** The Friday a week after the market of the tests opens, which is on a Friday. */
const EXPIRY = 1_800_000_000 + 604_800
const MINUTE = 60

/** A pair that expires in a week, with a range around its price. */
function createDatedMarket(): Market {
  const market = createMarket(FREE)
  market.act({ ...addMove(LP, wad(1_000_000), 5000), expiry: EXPIRY } as Move)
  return market
}

function contextAt(market: Market, timeSec: number) {
  return contextOf({ ...market.world, nowSec: timeSec }, 0, EXPIRY)
}

function update(market: Market, timeSec: number): void {
  market.act({ type: 'update', account: BOB, expiry: EXPIRY, timeSec } as Move)
}

function priceAt(market: Market, timeSec: number, price: number): void {
  market.act({ type: 'price', spotWad: wad(price), timeSec } as Move)
}

function reserveOf(market: Market, trader: string): bigint {
  return market.context().quote.ledgers.get(trader)?.reserve ?? 0n
}

describe('prices', () => {
  test('the benchmark carries 3 bps a day, the day that has begun among them', () => {
    const benchmark = (feeder: number, beforeSec: number) =>
      benchmarkOf(3000n * WAD, feeder, EXPIRY, EXPIRY - beforeSec)
    // 3000 · 0.0003 = 0.9 a day; a week before there are 8 days, a second less and there are 7.
    expect(benchmark(FEEDER.QUOTE_STABLE, 604_800)).toBe(3000n * WAD + (72n * WAD) / 10n)
    expect(benchmark(FEEDER.QUOTE_STABLE, 604_799)).toBe(3000n * WAD + (63n * WAD) / 10n)
    expect(benchmark(FEEDER.BASE_STABLE, 1)).toBe(3000n * WAD - (9n * WAD) / 10n)
    expect(benchmark(FEEDER.QUOTE_STABLE, 0)).toBe(3000n * WAD)
    expect(benchmark(FEEDER.BOTH_STABLE, 604_800)).toBe(3000n * WAD)
    expect(benchmarkOf(3000n * WAD, FEEDER.QUOTE_STABLE, 4_294_967_295, 0)).toBe(3000n * WAD)
  })

  test('in the last half hour the mark moves from the benchmark to the average of the spot', () => {
    const market = createDatedMarket()
    update(market, EXPIRY - 30 * MINUTE)
    expect(market.world.instruments[0]?.pairs.get(EXPIRY)?.amm).toMatchObject({
      status: STATUS.SETTLING,
      timestamp: EXPIRY - 1800,
    })
    // The window opens at 3000.9. After ten minutes at 3000: (3000.9·1200 + 3000·600)/1800 = 3000.6.
    expect(contextAt(market, EXPIRY - 20 * MINUTE).markWad).toBe((30_006n * WAD) / 10n)
    // What is seen only later counts from when it is seen.
    priceAt(market, EXPIRY - 20 * MINUTE, 2997)
    update(market, EXPIRY - 20 * MINUTE)
    // (3000·600 + 2997·1200)/1800 = 2998.
    expect(contextAt(market, EXPIRY).markWad).toBe(2998n * WAD)
    expect(contextAt(market, EXPIRY + 3600).markWad).toBe(2998n * WAD)
    update(market, EXPIRY + 3600)
    expect(market.world.instruments[0]?.pairs.get(EXPIRY)?.amm).toMatchObject({
      status: STATUS.SETTLED,
      settlementPrice: 2998n * WAD,
    })
  })

  test('a window entered late gives the benchmark the less weight', () => {
    const late = accumulate(undefined, 2997n * WAD, 3000n * WAD, EXPIRY, EXPIRY - 600)
    const closed = accumulate(late, 1n, 1n, EXPIRY, EXPIRY + 50)
    // (3000·1200 + 2997·600)/1800 at the expiry: time before the entry counts as the mark of the entry.
    expect(late).toMatchObject({ initTime: EXPIRY - 600, accumulation: 0n })
    expect(closed.accumulation).toBe(2997n * WAD * 600n)
  })

  test('a pair that nobody touched until it expired settles at the spot', () => {
    const market = createDatedMarket()
    priceAt(market, EXPIRY + 10, 3100)
    update(market, EXPIRY + 10)
    expect(market.world.instruments[0]?.pairs.get(EXPIRY)?.amm.settlementPrice).toBe(3100n * WAD)
  })
})

describe('the time of a dated pair', () => {
  test.each([
    ['ExpiryNotAligned', EXPIRY + 1],
    ['ExpiryNotAligned', EXPIRY + 86_400],
    ['ExpiryExceedMaxExpiryPeriod', EXPIRY + 13 * 604_800],
    ['ExpiryBelowSettlingDuration', EXPIRY - 604_800],
  ])('%s', (error, expiry) => {
    expect(createMarket(FREE).fail({ ...addMove(LP, wad(1_000_000), 5000), expiry } as Move)).toBe(error)
  })

  test('thirteen weeks ahead and half an hour and a second before are in time', () => {
    const open = (timeSec: number, expiry: number) =>
      createMarket(FREE).act({ ...addMove(LP, wad(1_000_000), 5000), expiry, timeSec } as Move)
    expect(() => open(1_800_000_000, 1_800_000_000 + 13 * 604_800)).not.toThrow()
    expect(() => open(EXPIRY - 1801, EXPIRY)).not.toThrow()
    expect(() => open(EXPIRY - 1800, EXPIRY)).toThrow('ExpiryBelowSettlingDuration')
  })

  test('updates have their time, and after the expiry nothing trades', () => {
    const market = createDatedMarket()
    const updating = (timeSec: number) => ({ type: 'update', account: BOB, expiry: EXPIRY, timeSec }) as Move
    expect(market.fail(updating(EXPIRY - 1801))).toBe('BadAmmTiming')
    market.act(updating(EXPIRY - 1800))
    market.act({ ...tradeMove(ALICE, 1, 1000), expiry: EXPIRY, timeSec: EXPIRY - 1 } as Move)
    expect(market.fail({ ...tradeMove(ALICE, -1, 0), expiry: EXPIRY, timeSec: EXPIRY } as Move)).toBe('NotTradeable')
    expect(market.fail({ ...addMove(BOB, wad(9000), 2000), expiry: EXPIRY, timeSec: EXPIRY } as Move)).toBe(
      'BadAmmStatus',
    )
    market.act(updating(EXPIRY))
    expect(market.fail(updating(EXPIRY))).toBe('BadAmmStatus')
  })

  test('no funding is charged', () => {
    const market = createDatedMarket()
    market.act({ ...tradeMove(ALICE, 40, 40_000), expiry: EXPIRY } as Move)
    update(market, EXPIRY - 1000)
    expect(market.world.instruments[0]?.pairs.get(EXPIRY)?.amm).toMatchObject({
      longFundingIndex: 0n,
      shortFundingIndex: 0n,
    })
  })
})

describe('settling accounts', () => {
  const settling = (target: string): Move => ({ type: 'settle', account: CAROL, target, expiry: EXPIRY }) as Move

  test('before the end there is nothing to settle', () => {
    const market = createDatedMarket()
    expect(market.fail({ ...settling(LP), timeSec: EXPIRY - 1 } as Move)).toBe('BadAmmStatus')
  })

  test('everybody is paid what the settlement price leaves them, whatever they hold, and the pair is forgotten', () => {
    const market = createDatedMarket()
    const on = (move: Move) => market.act({ ...move, expiry: EXPIRY } as Move)
    on(tradeMove(ALICE, 2, 2000))
    on(tradeMove(BOB, -3, 2000))
    const { pair } = contextAt(market, market.world.nowSec)
    const tick = pair.amm.tick
    on({ type: 'place', account: CAROL, tick: tick - 3, size: wad(1), amount: wad(1000), deadline: 0 })
    on({ type: 'place', account: CAROL, tick: tick - 200, size: wad(1), amount: wad(1000), deadline: 0 })
    // Takes half of the nearer order.
    on({ type: 'trade', account: BOB, size: wad(-50), amount: wad(90_000), limitTick: -8_388_608, deadline: 0 })
    priceAt(market, EXPIRY + 1, 2995)
    const held = [ALICE, BOB, CAROL, LP]
    const brought = new Map(held.map((who) => [who, market.context().quote.ledgers.get(who)?.fundFlow.totalIn ?? 0n]))
    for (const who of held) market.act(settling(who))
    const gains = held.map((who) => reserveOf(market, who) - (brought.get(who) ?? 0n))
    // Nothing is lost but rounding, nobody pays fees, and the order nobody took is paid back whole.
    expect(gains.reduce((sum, gain) => sum + gain, 0n) <= 0n).toBe(true)
    expect(gains.reduce((sum, gain) => sum + gain, 0n) > -100_000n).toBe(true)
    expect(gains.every((gain) => gain !== 0n)).toBe(true)
    const after = contextAt(market, market.world.nowSec).pair
    expect(after.amm.status).toBe(STATUS.DORMANT)
    expect([...after.accounts.values()].length).toBe(0)
  })

  test('a position is paid its equity at the settlement price', () => {
    const market = createDatedMarket()
    const { pair } = contextAt(market, market.world.nowSec)
    const held = { ...market, pair: () => market.world.instruments[0]?.pairs.get(EXPIRY) as typeof pair }
    hold(held, ALICE, { balance: 400, size: 2, notional: 6000 })
    hold(held, BOB, { balance: 900, size: -2, notional: 6000 })
    priceAt(market, EXPIRY + 1, 2900)
    market.act(settling(ALICE))
    market.act(settling(BOB))
    // 400 − 200 and 900 + 200.
    expect([reserveOf(market, ALICE), reserveOf(market, BOB)]).toEqual([200n * WAD, 1100n * WAD])
    expect(held.pair().amm).toMatchObject({ totalLong: 0n, totalShort: 0n })
  })

  test('a debt falls on the other side as it does before the end', () => {
    const market = createDatedMarket()
    const { pair } = contextAt(market, market.world.nowSec)
    const held = { ...market, pair: () => market.world.instruments[0]?.pairs.get(EXPIRY) as typeof pair }
    hold(held, ALICE, { balance: 400, size: 2, notional: 6000 })
    hold(held, BOB, { balance: 900, size: -2, notional: 6000 })
    held.pair().amm.insuranceFund = 20n * WAD
    held.pair().amm.involvedFund += 20n * WAD
    priceAt(market, EXPIRY + 1, 2750)
    market.act(settling(ALICE))
    // 400 − 500 = −100: 20 are insured, Bob pays 80 of his 1400.
    expect(held.pair().amm).toMatchObject({ insuranceFund: 0n, shortSocialLossIndex: 40n * WAD })
    market.act(settling(BOB))
    expect([reserveOf(market, ALICE), reserveOf(market, BOB)]).toEqual([0n, 1320n * WAD])
  })
})

describe('a halt', () => {
  const asAdmin = (type: 'freeze' | 'normalize'): Move => ({ type, account: ADMIN }) as Move

  test('freezes everything, and what passed meanwhile costs no funding', () => {
    const market = createLiquidMarket(FREE)
    market.act(tradeMove(ALICE, 30, 40_000))
    market.act(tradeMove(BOB, -1, 4000))
    const indexAfter = (halted: boolean) => {
      const copy: Market = { ...market }
      const { world } = market
      if (halted) market.act(asAdmin('freeze'))
      if (halted) market.act({ ...asAdmin('normalize'), timeSec: world.nowSec + 7200 } as Move)
      market.act({ type: 'update', account: BOB, timeSec: world.nowSec + 7200 + 3600 })
      const { longFundingIndex } = market.pair().amm
      market.world = copy.world
      return longFundingIndex
    }
    // An hour counts after a halt of two, three hours without one.
    const [short, long] = [indexAfter(true), indexAfter(false)]
    expect(short < 0n && long < 0n).toBe(true)
    expect(long - short * 3n <= 1n && short * 3n - long <= 1n).toBe(true)
  })

  test.each([
    tradeMove(ALICE, 1, 1000),
    addMove(ALICE, wad(9000), 3000),
    { type: 'update', account: ALICE } as Move,
    { type: 'liquidate', account: ALICE, target: BOB, size: wad(1), amount: wad(1) } as Move,
    { type: 'sweep', account: ALICE, target: BOB, size: wad(1) } as Move,
    { type: 'settle', account: ALICE, target: BOB } as Move,
    { type: 'cancel', account: ALICE, ticks: [1], deadline: 0 } as Move,
    asAdmin('freeze'),
  ])('while it lasts, $type is refused', (move) => {
    const market = createLiquidMarket(FREE)
    market.act(asAdmin('freeze'))
    expect(market.fail(move)).toBe('BadInstrumentCondition')
  })

  test('is the administrator’s, and has its order', () => {
    const market = createLiquidMarket(FREE)
    expect(market.fail({ ...asAdmin('freeze'), account: ALICE } as Move)).toBe('NotSynFuturesV3Admin')
    expect(market.fail(asAdmin('normalize'))).toBe('BadInstrumentCondition')
    expect(market.fail({ type: 'resolve', account: ADMIN, priceWad: '0' })).toBe('BadInstrumentCondition')
    market.act(asAdmin('freeze'))
    market.act({ type: 'resolve', account: ADMIN, priceWad: '0' })
    expect(market.context().instrument.condition).toBe(CONDITION.RESOLVED)
    expect(market.fail(asAdmin('normalize'))).toBe('BadInstrumentCondition')
  })

  test('resolved at a price, every pair pays at it; at 0, at its mark', () => {
    for (const [priceWad, alice, bob] of [
      [wad(2950), 300n, 1000n],
      ['0', 600n, 700n],
    ] as const) {
      const market = createLiquidMarket(FREE)
      hold(market, ALICE, { balance: 400, size: 2, notional: 6000 })
      hold(market, BOB, { balance: 900, size: -2, notional: 6000 })
      market.act({ type: 'price', spotWad: wad(3100) })
      market.act(asAdmin('freeze'))
      market.act({ type: 'resolve', account: ADMIN, priceWad })
      market.act({ type: 'settle', account: CAROL, target: ALICE })
      market.act({ type: 'settle', account: CAROL, target: BOB })
      expect([reserveOf(market, ALICE), reserveOf(market, BOB)]).toEqual([alice * WAD, bob * WAD])
    }
  })
})
