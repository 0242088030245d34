/** Gate, instruments and oracle prices together, and the one function that changes them. */
import type { Action, AdminAction, GateAction, RiskAction, UserAction } from './actions.ts'
import { changeGate, changeInstrument, checkAdmin } from './admin.ts'
import { PERP_EXPIRY } from './amm.ts'
import type { Event } from './events.ts'
import { deposit, type Quote, release, withdraw } from './gate.ts'
import { type Context, emptyPair, type Instrument, type Protocol, quoteOf } from './instrument.ts'
import { update } from './lifecycle.ts'
import { liquidate, sweep } from './liquidation.ts'
import { add, remove } from './liquidity.ts'
import { batchPlace, cancel, fill, place } from './orders.ts'
import { benchmarkOf, markOf } from './prices.ts'
import { type Quotation, quote } from './quotation.ts'
import { Revert, require } from './revert.ts'
import { settle } from './settlement.ts'
import { trade } from './trade.ts'
import { claimProtocolFee, donate, recycle } from './treasury.ts'

export type { Action, Decimal } from './actions.ts'

export type World = {
  nowSec: number
  readonly protocol: Protocol
  readonly quotes: Map<string, Quote>
  readonly instruments: Instrument[]
}

type Outcome =
  | { readonly ok: true; readonly world: World; readonly result: unknown; readonly events: readonly Event[] }
  | { readonly ok: false; readonly world: World; readonly error: string; readonly args: Revert['args'] }

/** The world after an action, or the revert and a world in which only time has moved. The given world stays as it was. */
export function apply(world: World, action: Action): Outcome {
  const draft = structuredClone(world)
  draft.nowSec = action.timeSec
  try {
    const events: Event[] = []
    const result = perform(draft, action, events)
    return { ok: true, world: draft, result, events }
  } catch (error) {
    if (!(error instanceof Revert)) throw error
    return { ok: false, world: { ...world, nowSec: action.timeSec }, error: error.error, args: error.args }
  }
}

function perform(world: World, action: Action, events: Event[]): unknown {
  switch (action.type) {
    case 'price':
      instrumentAt(world, action.instrument).spotWad = BigInt(action.spotWad)
      return undefined
    case 'deposit':
    case 'withdraw':
    case 'release':
      return moveMoney(world, action)
    case 'threshold':
    case 'blacklist':
    case 'liquidators':
    case 'openLiquidation':
      return changeGate(world.protocol, world.quotes, action)
    case 'freeze':
    case 'normalize':
    case 'resolve':
    case 'leverage':
    case 'fundingHour':
    case 'placePaused':
    case 'orderRebateDisabled':
    case 'quoteParam':
      return performOnInstrument(world, action)
    case 'liquidate':
    case 'sweep':
    case 'settle':
    case 'donate':
    case 'claimProtocolFee':
    case 'recycle':
      return performOnRisk(world, action, events)
    default:
      return performOnPair(world, action, events)
  }
}

function moveMoney(world: World, action: Extract<GateAction, { type: 'deposit' | 'withdraw' | 'release' }>): unknown {
  const { protocol, nowSec } = world
  const { account } = action
  const quote = quoteNamed(world, action.quote)
  if (action.type === 'release') return release(quote, action.target, protocol.pendingDurationSec, nowSec)
  checkOperator(protocol, action)
  if (action.type === 'withdraw') return withdraw(quote, account, BigInt(action.amountRaw), nowSec)
  require(!protocol.blacklist.has(account), 'BlacklistedTrader')
  return deposit(quote, account, BigInt(action.amountRaw))
}

/** Only the handler acts for others. */
function checkOperator(protocol: Protocol, { operator }: { readonly operator?: string }): void {
  require(operator === undefined || operator === protocol.handler, 'NotHandler')
}

function performOnInstrument(world: World, action: AdminAction): unknown {
  const instrument = instrumentAt(world, action.instrument)
  const contexts = [...instrument.pairs.keys()].map((expiry) => contextOf(world, action.instrument, expiry))
  return changeInstrument(world.protocol, instrument, contexts, world.nowSec, action)
}

function performOnPair(world: World, action: UserAction, events: Event[]): unknown {
  const { account } = action
  if ('operator' in action) checkOperator(world.protocol, action)
  const context = { ...contextOf(world, action.instrument, action.expiry), events }
  switch (action.type) {
    case 'update':
      return update(context)
    case 'trade':
      return trade(context, account, { ...action, size: BigInt(action.size), amount: BigInt(action.amount) })
    case 'adjust': {
      const { deadline } = action
      return trade(context, account, { size: 0n, amount: BigInt(action.net), limitTick: 0, deadline })
    }
    case 'add':
      return add(context, account, { ...action, amount: BigInt(action.amount) })
    case 'remove':
      // The handler removes in the name of the range's owner.
      return remove(context, action.operator === undefined ? account : action.target, action)
    case 'place':
      return place(context, account, { ...action, size: BigInt(action.size), amount: BigInt(action.amount) })
    case 'batchPlace':
      return batchPlace(context, account, { ...action, size: BigInt(action.size), leverage: BigInt(action.leverage) })
    case 'cancel':
      return cancel(context, account, action.ticks, action.deadline)
    case 'fill':
      return fill(context, account, action.target, action.tick, action.nonce)
  }
}

function performOnRisk(world: World, action: RiskAction, events: Event[]): unknown {
  const { account } = action
  if (action.type === 'claimProtocolFee' || action.type === 'recycle') checkAdmin(world.protocol, account)
  const context = { ...contextOf(world, action.instrument, action.expiry), events }
  switch (action.type) {
    case 'liquidate': {
      const { target, size, amount } = action
      return liquidate(context, account, { target, size: BigInt(size), amount: BigInt(amount) })
    }
    case 'sweep':
      return sweep(context, account, { target: action.target, size: BigInt(action.size) })
    case 'settle':
      return settle(context, account, action.target)
    case 'donate':
      return donate(context, account, BigInt(action.amount))
    case 'claimProtocolFee':
      return claimProtocolFee(context)
    case 'recycle':
      return recycle(context)
  }
}

/** What a trade of `size` (signed base, WAD, not zero) would do now. Reverts `TradeOutOfLiquidity`, `CrazySpot`. */
export function inquire(world: World, index: number, size: bigint): Quotation {
  return quote(contextOf(structuredClone(world), index), size).quotation
}

/** A pair of an instrument at the world's time, the perpetual by default. Reverts `CrazySpot` where there is no price. */
export function contextOf(world: World, index: number, expiry = PERP_EXPIRY): Context {
  const { nowSec, protocol } = world
  const instrument = instrumentAt(world, index)
  const { spotWad } = instrument
  require(spotWad > 0n, 'CrazySpot')
  const pair = instrument.pairs.get(expiry) ?? emptyPair(expiry)
  instrument.pairs.set(expiry, pair)
  const quote = quoteOf(world.quotes, instrument)
  const benchmarkWad = benchmarkOf(spotWad, instrument.feederType, expiry, nowSec)
  const markWad = markOf(pair.amm, pair.accumulator, benchmarkWad, nowSec)
  return { instrument, pair, quote, protocol, nowSec, spotWad, benchmarkWad, markWad, events: [] }
}

function instrumentAt(world: World, index: number): Instrument {
  const instrument = world.instruments[index]
  if (!instrument) throw new RangeError(`no instrument ${index}`)
  return instrument
}

function quoteNamed(world: World, symbol: string): Quote {
  const quote = world.quotes.get(symbol)
  if (!quote) throw new RangeError(`no quote ${symbol}`)
  return quote
}
