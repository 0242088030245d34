/** Funds, debts of orders, calls for users, parameters and waiting money, worked by hand from perp-protocol 1.3 to 1.5, 3.12, 3.14. */
import { describe, expect, test } from 'vitest'
import { STATUS } from './amm.ts'
import { accountOf } from './instrument.ts'
import {
  ADMIN,
  ALICE,
  addMove,
  BOB,
  CAROL,
  createLiquidMarket,
  FREE,
  HANDLER,
  hold,
  LP,
  type Market,
  type Move,
  placeMove,
  tradeMove,
  wad,
} from './testing.ts'
import { WAD } from './wad.ts'

function reserveOf(market: Market, trader: string): bigint {
  return market.context().quote.ledgers.get(trader)?.reserve ?? 0n
}

describe('the two funds', () => {
  test('a donation insures, and what is left goes to the administrator', () => {
    const market = createLiquidMarket(FREE, 6)
    market.act({ type: 'donate', account: BOB, amount: wad(12.5) })
    expect(market.pair().amm.insuranceFund).toBe((25n * WAD) / 2n)
    expect(market.context().quote.ledgers.get(BOB)?.fundFlow.totalIn).toBe(12_500_000n)
    expect(market.fail({ type: 'recycle', account: BOB })).toBe('NotSynFuturesV3Admin')
    market.act({ type: 'recycle', account: ADMIN })
    expect([market.pair().amm.insuranceFund, reserveOf(market, ADMIN)]).toEqual([0n, 12_500_000n])
  })

  test('the protocol fee goes to the administrator', () => {
    const market = createLiquidMarket()
    market.act(tradeMove(ALICE, 2, 1000))
    const { protocolFee, involvedFund } = market.pair().amm
    expect(market.fail({ type: 'claimProtocolFee', account: BOB })).toBe('NotSynFuturesV3Admin')
    market.act({ type: 'claimProtocolFee', account: ADMIN })
    expect(market.pair().amm).toMatchObject({ protocolFee: 0n, involvedFund: involvedFund - protocolFee })
    expect(reserveOf(market, ADMIN)).toBe(protocolFee)
  })

  test('a settled pair keeps its insurance fund until everybody is settled', () => {
    const market = createLiquidMarket(FREE)
    hold(market, ALICE, { balance: 400, size: 2, notional: 6000 })
    market.act({ type: 'donate', account: BOB, amount: wad(5) })
    market.act({ type: 'freeze', account: ADMIN })
    market.act({ type: 'resolve', account: ADMIN, priceWad: wad(2990) })
    market.act({ type: 'settle', account: BOB, target: ALICE })
    expect(market.fail({ type: 'recycle', account: ADMIN })).toBe('PairNotCleared')
    expect(market.fail({ type: 'settle', account: BOB, target: ALICE })).toBe('PositionNotExist')
    market.act({ type: 'settle', account: BOB, target: LP })
    expect(market.pair().amm.status).toBe(STATUS.SETTLED)
    market.act({ type: 'recycle', account: ADMIN })
    expect(market.pair().amm.status).toBe(STATUS.DORMANT)
    expect(reserveOf(market, ADMIN)).toBe(5n * WAD)
  })
})

describe('debts that orders and ranges bring to light', () => {
  /** Alice is long 1 from 3000 with 100 and has sold 1 at a tick below, where the loss is more than all she has. */
  function createDebtor() {
    const market = createLiquidMarket(FREE)
    const tick = market.pair().amm.tick + 10
    market.act({ ...placeMove(market, ALICE, tick, -1), amount: wad(301) } as Move)
    hold(market, BOB, { balance: 5000, size: -1, notional: 4000 })
    market.act({ type: 'trade', account: CAROL, size: wad(60), amount: wad(90_000), limitTick: 8_388_607, deadline: 0 })
    const { position: _, ...rest } = accountOf(market.pair(), ALICE)
    hold(market, ALICE, { balance: 100, size: 1, notional: 4000 })
    Object.assign(accountOf(market.pair(), ALICE), rest)
    return { market, tick }
  }

  test.each(['fill', 'cancel'] as const)('%s of a bankrupt account is paid by insurance and the other side', (type) => {
    const { market, tick } = createDebtor()
    const { amm } = market.pair()
    amm.insuranceFund = 100n * WAD
    amm.involvedFund += 100n * WAD
    const shorts = amm.totalShort
    const move =
      type === 'fill'
        ? { type, account: LP, target: ALICE, tick, nonce: 0 }
        : { type, account: ALICE, ticks: [tick], deadline: 0 }
    market.act(move as Move)
    const after = market.pair().amm
    expect(accountOf(market.pair(), ALICE).position.size).toBe(0n)
    expect(after.insuranceFund).toBe(0n)
    // Sold at about 3003 what had been bought at 4000, against 401 of margin; the closed sale counts among the shorts no more.
    const paid = (after.shortSocialLossIndex * (shorts - WAD)) / WAD
    expect(paid > 490n * WAD && paid < 510n * WAD).toBe(true)
    expect(reserveOf(market, ALICE)).toBe(0n)
  })
})

describe('acting for users', () => {
  test('is the handler’s alone, and moves the user’s money', () => {
    const market = createLiquidMarket(FREE)
    const trade = { ...tradeMove(ALICE, 1, 1000), operator: HANDLER } as Move
    expect(market.fail({ ...trade, operator: BOB } as Move)).toBe('NotHandler')
    market.act(trade)
    expect(accountOf(market.pair(), ALICE).position.size).toBe(WAD)
    expect(market.context().quote.ledgers.get(ALICE)?.fundFlow.totalIn).toBe(1000n * WAD)
    market.act({ type: 'deposit', account: ALICE, quote: 'USD', amountRaw: wad(7), operator: HANDLER })
    expect(market.fail({ type: 'withdraw', account: ALICE, quote: 'USD', amountRaw: '1', operator: ALICE })).toBe(
      'NotHandler',
    )
    market.act({ type: 'withdraw', account: ALICE, quote: 'USD', amountRaw: wad(7), operator: HANDLER })
  })

  test('a range is removed in its owner’s name, without a tip', () => {
    const market = createLiquidMarket()
    const added = market.act(addMove(ALICE, wad(9000), 3000)) as { tickLower: number; tickUpper: number }
    const { tickLower, tickUpper } = added
    const removal = {
      type: 'remove',
      account: ALICE,
      target: ALICE,
      tickLower,
      tickUpper,
      limitTickLower: -8_388_608,
      limitTickUpper: 8_388_607,
      deadline: 0,
      operator: HANDLER,
    }
    expect(market.act(removal as Move)).toMatchObject({ tip: 0n })
  })
})

describe('parameters', () => {
  test('new funding hours count from when they are set', () => {
    const market = createLiquidMarket(FREE)
    market.act(tradeMove(ALICE, 30, 40_000))
    market.act(tradeMove(BOB, -1, 4000))
    const { nowSec } = market.world
    market.act({ type: 'fundingHour', account: ADMIN, hours: 1, timeSec: nowSec + 3600 })
    const first = market.pair().amm.longFundingIndex
    market.act({ type: 'update', account: BOB, timeSec: nowSec + 7200 })
    const second = market.pair().amm.longFundingIndex - first
    // An hour of eight, then an hour of one.
    expect(second - first * 8n <= 4n && first * 8n - second <= 4n).toBe(true)
  })

  test.each([
    ['BadInitialMarginRatio', { type: 'leverage', account: ADMIN, initialRatio: 10_000, maintenanceRatio: 500 }],
    ['BadMaintenanceMarginRatio', { type: 'leverage', account: ADMIN, initialRatio: 500, maintenanceRatio: 500 }],
    ['BadMaintenanceMarginRatio', { type: 'leverage', account: ADMIN, initialRatio: 500, maintenanceRatio: 0 }],
    ['NotSynFuturesV3Admin', { type: 'placePaused', account: ALICE, flag: true }],
    [
      'BadMinMarginAmount',
      {
        type: 'quoteParam',
        account: ADMIN,
        minMarginAmount: '0',
        tradingFeeRatio: 1,
        protocolFeeRatio: 1,
        qtype: 1,
        tip: '0',
      },
    ],
    [
      'BadTradingFeeRatio',
      {
        type: 'quoteParam',
        account: ADMIN,
        minMarginAmount: '9',
        tradingFeeRatio: 1001,
        protocolFeeRatio: 1,
        qtype: 1,
        tip: '0',
      },
    ],
    [
      'BadProtocolFeeRatio',
      {
        type: 'quoteParam',
        account: ADMIN,
        minMarginAmount: '9',
        tradingFeeRatio: 1,
        protocolFeeRatio: 1001,
        qtype: 1,
        tip: '0',
      },
    ],
    [
      'BadTip',
      {
        type: 'quoteParam',
        account: ADMIN,
        minMarginAmount: '9',
        tradingFeeRatio: 1,
        protocolFeeRatio: 1,
        qtype: 1,
        tip: '10',
      },
    ],
  ] as const)('%s', (error, move) => {
    expect(createLiquidMarket().fail(move as Move)).toBe(error)
  })

  test('a higher initial margin binds who wants more, the maintenance margin everybody at once', () => {
    const market = createLiquidMarket(FREE)
    hold(market, ALICE, { balance: 700, size: 2, notional: 6000 })
    market.act({ type: 'leverage', account: ADMIN, initialRatio: 2000, maintenanceRatio: 1200 })
    expect(market.fail(tradeMove(ALICE, 0.2, 0))).toBe('TradeImrUnsafe')
    market.act({ type: 'liquidate', account: CAROL, target: ALICE, size: wad(2), amount: wad(500) })
  })
})

describe('money that waits', () => {
  test('is released after its time, once, and does not count against its owner again', () => {
    const market = createLiquidMarket(FREE)
    market.act({ type: 'deposit', account: ALICE, quote: 'USD', amountRaw: '100' })
    const ledger = () => market.context().quote.ledgers.get(ALICE)
    Object.assign(ledger() ?? {}, { reserve: 150n })
    const withdrawal = (amountRaw: string): Move => ({ type: 'withdraw', account: ALICE, quote: 'USD', amountRaw })
    const release = (timeSec: number) =>
      ({ type: 'release', account: BOB, quote: 'USD', target: ALICE, timeSec }) as Move
    const start = market.world.nowSec
    // 120 are 20 more than were brought in: all of it waits.
    market.act(withdrawal('120'))
    expect(ledger()?.pending).toMatchObject({ amount: 120n, timestamp: start })
    expect(market.fail(release(start + 86_399))).toBe('PendingWithdrawNotMature')
    market.act(release(start + 86_400))
    expect(ledger()).toMatchObject({
      fundFlow: { totalIn: 100n, totalOut: 120n },
      pending: { amount: 0n, exemption: 120n },
    })
    expect(market.fail(release(start + 86_400))).toBe('PendingWithdrawNotMature')
    // 120 + 30 went out, 100 came in and 120 were released: 30 are free.
    market.act(withdrawal('30'))
    expect(ledger()?.pending.amount).toBe(0n)
  })

  test('a blacklisted trader brings nothing in and takes everything out', () => {
    const market = createLiquidMarket(FREE)
    market.act(tradeMove(ALICE, 1, 1000))
    market.act({ type: 'blacklist', account: ADMIN, target: ALICE, banned: true })
    expect(market.fail({ type: 'deposit', account: ALICE, quote: 'USD', amountRaw: '1' })).toBe('BlacklistedTrader')
    expect(market.fail(tradeMove(ALICE, 1, 1000))).toBe('BlacklistedTrader')
    market.act(tradeMove(ALICE, -1, 0))
    market.act({ type: 'withdraw', account: ALICE, quote: 'USD', amountRaw: '1000' })
    market.act({ type: 'blacklist', account: ADMIN, target: ALICE, banned: false })
    market.act(tradeMove(ALICE, 1, 1000))
  })
})
