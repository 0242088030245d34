import { describe, expect, test } from 'vitest'
import {
  deposit,
  gather,
  ledgerOf,
  maxWithdrawableNow,
  type Quote,
  scatter,
  toRawDown,
  toRawUp,
  withdraw,
} from './gate.ts'
import { payMargin } from './instrument.ts'
import { ALICE, createLiquidMarket } from './testing.ts'
import { WAD } from './wad.ts'

function createQuote(threshold: bigint): Quote {
  const quote: Quote = { symbol: 'USD', decimals: 6, threshold, ledgers: new Map() }
  ledgerOf(quote, 'a').wallet = 1000n
  return quote
}

test('units: what is owed rounds up, what is paid rounds down', () => {
  const quote = createQuote(0n)
  expect([toRawUp(quote, 10n ** 12n + 1n), toRawDown(quote, 2n * 10n ** 12n - 1n)]).toEqual([2n, 1n])
})

describe('reserve', () => {
  test('deposit and withdraw', () => {
    const quote = createQuote(0n)
    deposit(quote, 'a', 600n)
    withdraw(quote, 'a', 200n, 5)
    expect(ledgerOf(quote, 'a')).toMatchObject({
      wallet: 600n,
      reserve: 400n,
      fundFlow: { totalIn: 600n, totalOut: 200n },
    })
    expect(() => withdraw(quote, 'a', 401n, 5)).toThrow('InsufficientReserve(401, 400)')
    expect(() => deposit(quote, 'a', 601n)).toThrow('ERC20InsufficientBalance')
  })

  test('an instrument draws on the reserve, then on the wallet', () => {
    const quote = createQuote(0n)
    deposit(quote, 'a', 100n)
    scatter(quote, 'a', 250n)
    expect(ledgerOf(quote, 'a')).toMatchObject({ wallet: 750n, reserve: 0n, fundFlow: { totalIn: 250n } })
    expect(() => scatter(quote, 'a', 751n)).toThrow('ERC20InsufficientBalance(a, 750, 751)')
    gather(quote, 'a', 30n)
    expect(ledgerOf(quote, 'a').reserve).toBe(30n)
  })
})

test('what exceeds the throttle waits', () => {
  const quote = createQuote(50n)
  deposit(quote, 'a', 100n)
  gather(quote, 'a', 200n)
  expect(maxWithdrawableNow(quote, 'a')).toBe(150n)
  withdraw(quote, 'a', 150n, 5)
  expect(ledgerOf(quote, 'a').pending.amount).toBe(0n)
  withdraw(quote, 'a', 1n, 6)
  withdraw(quote, 'a', 2n, 7)
  expect(ledgerOf(quote, 'a')).toMatchObject({ wallet: 1050n, reserve: 147n, pending: { timestamp: 7, amount: 3n } })
  expect(maxWithdrawableNow(quote, 'a')).toBe(0n)
})

test('with a threshold of 0 deposits come out freely and profit waits; the greatest one is no limit', () => {
  for (const [threshold, waiting] of [
    [0n, 1n],
    [2n ** 256n - 1n, 0n],
  ] as const) {
    const quote = createQuote(threshold)
    deposit(quote, 'a', 100n)
    gather(quote, 'a', 1n)
    withdraw(quote, 'a', 100n, 5)
    withdraw(quote, 'a', 1n, 6)
    expect(ledgerOf(quote, 'a').pending.amount).toBe(waiting)
  }
})

describe('a pair that lacks dust', () => {
  /** A pair at 3000 that holds `fundWad`, and a payment of `owedWad` out of it. */
  function paid(fundWad: bigint, owedWad: bigint) {
    const market = createLiquidMarket()
    const { amm } = market.pair()
    amm.involvedFund = fundWad
    payMargin(market.context(), ALICE, owedWad)
    return { reserve: ledgerOf(market.context().quote, ALICE).reserve, left: amm.involvedFund }
  }

  test('pays what there is, and within the dust only', () => {
    const most = 10n ** 12n + 3000n * 10n ** 9n
    expect(paid(WAD, WAD)).toEqual({ reserve: WAD, left: 0n })
    expect(paid(WAD, WAD + 1n)).toEqual({ reserve: WAD, left: 0n })
    expect(paid(WAD, WAD + most)).toEqual({ reserve: WAD, left: 0n })
    expect(() => paid(WAD, WAD + most + 2n)).toThrow('InvariantBroken')
  })
})
