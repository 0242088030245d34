/** A small market for tests: one instrument at 3000, one wide range, a few funded accounts. */
import { emptyAccount } from './account.ts'
import { deltaBase } from './curve.ts'
import type { Context, Pair } from './instrument.ts'
import { orderMargin } from './orders.ts'
import { openPosition } from './position.ts'
import { createWorld, type InstrumentSetup } from './replay.ts'
import { priceToSqrt } from './tick.ts'
import { WAD } from './wad.ts'
import { type Action, apply, contextOf, type World } from './world.ts'

export const ALICE = '0xa1'
export const BOB = '0xb2'
export const CAROL = '0xc3'
export const LP = '0xee'
export const ADMIN = '0xad'
export const HANDLER = '0xac'

export const ANY_LIMITS = { limitTickLower: -8_388_608, limitTickUpper: 8_388_607, deadline: 0 }
const ANY_UPPER = 8_388_607
const ANY_LOWER = -8_388_608

type WithoutFrame<A> = A extends Action ? Omit<A, 'timeSec' | 'instrument'> & { readonly timeSec?: number } : never
export type Move = WithoutFrame<Action>

export type Market = {
  world: World
  /** Performs an action that must succeed and returns what the contract would. */
  act(move: Move): unknown
  /** Performs an action that must fail and returns the error's name. */
  fail(move: Move): string
  pair(): Pair
  context(): Context
}

const START_SEC = 1_800_000_000

export function createMarket(change: Partial<InstrumentSetup['setting']> = {}, quoteDecimals = 18): Market {
  const world = createWorld({
    startSec: START_SEC,
    admin: ADMIN,
    handler: HANDLER,
    pendingDurationSec: 86_400,
    quotes: [{ symbol: 'USD', decimals: quoteDecimals, threshold: '0' }],
    instruments: [
      { quote: 'USD', spotWad: wad(3000), spacing: { pearl: 1, order: 1, range: 50 }, setting: settingWith(change) },
    ],
    wallets: Object.fromEntries(
      [ALICE, BOB, CAROL, LP].map((account) => [account, { USD: `1${'0'.repeat(7 + quoteDecimals)}` }]),
    ),
  })
  return marketOf(world)
}

function settingWith(change: Partial<InstrumentSetup['setting']>): InstrumentSetup['setting'] {
  return {
    symbol: 'ETH-USD-LINK',
    decimals: 18,
    initialMarginRatio: 1000,
    maintenanceMarginRatio: 500,
    placePaused: false,
    fundingHour: 8,
    disableOrderRebate: false,
    param: { minMarginAmount: wad(10), tradingFeeRatio: 30, protocolFeeRatio: 10, qtype: 1, tip: wad(0.01) },
    ...change,
  }
}

function marketOf(world: World): Market {
  const market: Market = {
    world,
    act(move) {
      const outcome = apply(market.world, framed(market.world, move))
      if (!outcome.ok) throw new Error(`${move.type} reverted: ${outcome.error}(${outcome.args.join(', ')})`)
      market.world = outcome.world
      return outcome.result
    },
    fail(move) {
      const outcome = apply(market.world, framed(market.world, move))
      if (outcome.ok) throw new Error(`${move.type} did not revert`)
      return outcome.error
    },
    pair: () => contextOf(market.world, 0).pair,
    context: () => contextOf(market.world, 0),
  }
  return market
}

function framed(world: World, move: Move): Action {
  return { timeSec: world.nowSec, instrument: 0, ...move } as Action
}

/** A whole number, or one with up to three decimals, as WAD digits. */
export function wad(amount: number): string {
  return ((BigInt(Math.round(amount * 1000)) * WAD) / 1000n).toString()
}

/** A market with a range from the liquidity provider around the price. */
export function createLiquidMarket(change: Partial<InstrumentSetup['setting']> = {}, quoteDecimals = 18): Market {
  const market = createMarket(change, quoteDecimals)
  market.act(addMove(LP, wad(1_000_000), 5000))
  return market
}

export function addMove(account: string, amount: string, tickDelta: number): Move {
  return { type: 'add', account, amount, tickDeltaLower: tickDelta, tickDeltaUpper: tickDelta, ...ANY_LIMITS }
}

export function tradeMove(account: string, size: number, amount: number): Move {
  const limitTick = size > 0 ? ANY_UPPER : ANY_LOWER
  return { type: 'trade', account, size: wad(size), amount: wad(amount), limitTick, deadline: 0 }
}

/** Moves the oracle to a price and trades the fair price after it. */
export function movePrice(market: Market, price: number): void {
  market.act({ type: 'price', spotWad: wad(price) })
  const { sqrtPX96, liquidity } = market.pair().amm
  const target = priceToSqrt(BigInt(wad(price)))
  const base = deltaBase(sqrtPX96, target, liquidity, 'down')
  const size = target > sqrtPX96 ? base : -base
  const limitTick = size > 0n ? ANY_UPPER : ANY_LOWER
  market.act({ type: 'trade', account: CAROL, size: size.toString(), amount: wad(500_000), limitTick, deadline: 0 })
}

/** An order with twice the margin it needs. */
export function placeMove(market: Market, account: string, tick: number, size: number): Move {
  const least = orderMargin(market.context(), tick, BigInt(wad(size)), 5n * WAD)
  return { type: 'place', account, tick, size: wad(size), amount: least.toString(), deadline: 0 }
}

/** Gives a trader a position as if long held, with its margin in the pair. Whole units; open interest follows the shorts. */
export function hold(
  market: Market,
  trader: string,
  position: { balance: number; size: number; notional: number },
): void {
  const { amm, accounts } = market.pair()
  const [balance, size, entryNotional] = [position.balance, position.size, position.notional].map((x) =>
    BigInt(wad(x)),
  ) as [bigint, bigint, bigint]
  const account = emptyAccount()
  account.position = openPosition(amm, balance, size, entryNotional)
  accounts.set(trader, account)
  if (size > 0n) amm.totalLong += size
  else amm.totalShort -= size
  if (size < 0n) amm.openInterests -= size
  amm.involvedFund += balance
}

/** No fees and no tip, so that numbers can be worked by hand. */
export const FREE = {
  param: { minMarginAmount: wad(10), tradingFeeRatio: 0, protocolFeeRatio: 0, qtype: 1, tip: '0' },
}
