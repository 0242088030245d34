/** Gate, instruments and oracle prices together, and the one function that changes them. */
import { PERP_EXPIRY } from './amm.ts'
import { deposit, type Quote, withdraw } from './gate.ts'
import { type Context, emptyPair, type Instrument, quoteOf, update } from './instrument.ts'
import { add, remove } from './liquidity.ts'
import { batchPlace, cancel, fill, place } from './orders.ts'
import { type Quotation, quote } from './quotation.ts'
import { Revert, require } from './revert.ts'
import { trade } from './trade.ts'

export type World = {
  nowSec: number
  readonly quotes: Map<string, Quote>
  readonly instruments: Instrument[]
}

/** An integer in decimal digits: WAD, or raw token units for `amountRaw`. */
export type Decimal = string

/** The block's time comes with each action; `instrument` is an index into the world's list. */
type Timed = { readonly timeSec: number }
type OnPair = Timed & { readonly instrument: number; readonly account: string }
type WithLimits = { readonly limitTickLower: number; readonly limitTickUpper: number; readonly deadline: number }

export type Action =
  | (Timed & { readonly type: 'price'; readonly instrument: number; readonly spotWad: Decimal })
  | (Timed & {
      readonly type: 'deposit' | 'withdraw'
      readonly account: string
      readonly quote: string
      readonly amountRaw: Decimal
    })
  | (OnPair & { readonly type: 'update' })
  | (OnPair & {
      readonly type: 'trade'
      readonly size: Decimal
      readonly amount: Decimal
      readonly limitTick: number
      readonly deadline: number
    })
  | (OnPair & { readonly type: 'adjust'; readonly net: Decimal; readonly deadline: number })
  | (OnPair &
      WithLimits & {
        readonly type: 'add'
        readonly amount: Decimal
        readonly tickDeltaLower: number
        readonly tickDeltaUpper: number
      })
  | (OnPair &
      WithLimits & {
        readonly type: 'remove'
        readonly target: string
        readonly tickLower: number
        readonly tickUpper: number
      })
  | (OnPair & {
      readonly type: 'place'
      readonly tick: number
      readonly size: Decimal
      readonly amount: Decimal
      readonly deadline: number
    })
  | (OnPair & {
      readonly type: 'batchPlace'
      readonly size: Decimal
      readonly leverage: Decimal
      readonly ticks: readonly number[]
      readonly ratios: readonly number[]
      readonly deadline: number
    })
  | (OnPair & { readonly type: 'cancel'; readonly ticks: readonly number[]; readonly deadline: number })
  | (OnPair & { readonly type: 'fill'; readonly target: string; readonly tick: number; readonly nonce: number })

type Outcome =
  | { readonly ok: true; readonly world: World; readonly result: unknown }
  | { readonly ok: false; readonly world: World; readonly error: string; readonly args: Revert['args'] }

/** The world after an action, or the revert and a world in which only time has moved. The given world stays as it was. */
export function apply(world: World, action: Action): Outcome {
  const draft = structuredClone(world)
  draft.nowSec = action.timeSec
  try {
    return { ok: true, world: draft, result: perform(draft, action) }
  } catch (error) {
    if (!(error instanceof Revert)) throw error
    return { ok: false, world: { ...world, nowSec: action.timeSec }, error: error.error, args: error.args }
  }
}

function perform(world: World, action: Action): unknown {
  switch (action.type) {
    case 'price':
      instrumentAt(world, action.instrument).spotWad = BigInt(action.spotWad)
      return undefined
    case 'deposit':
      return deposit(quoteNamed(world, action.quote), action.account, BigInt(action.amountRaw))
    case 'withdraw':
      return withdraw(quoteNamed(world, action.quote), action.account, BigInt(action.amountRaw), world.nowSec)
    default:
      return performOnPair(contextOf(world, action.instrument), action)
  }
}

function performOnPair(context: Context, action: Exclude<Action, { type: 'price' | 'deposit' | 'withdraw' }>): unknown {
  const { account } = action
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
      return remove(context, account, action)
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

/** What a trade of `size` (signed base, WAD, not zero) would do now. Reverts `TradeOutOfLiquidity`, `CrazySpot`. */
export function inquire(world: World, index: number, size: bigint): Quotation {
  return quote(contextOf(structuredClone(world), index), size).quotation
}

/** The perpetual pair of an instrument at the world's time. Reverts `CrazySpot` where there is no price. */
export function contextOf(world: World, index: number): Context {
  const instrument = instrumentAt(world, index)
  require(instrument.spotWad > 0n, 'CrazySpot')
  const pair = instrument.pairs.get(PERP_EXPIRY) ?? emptyPair(PERP_EXPIRY)
  instrument.pairs.set(PERP_EXPIRY, pair)
  const quote = quoteOf(world.quotes, instrument)
  return { instrument, pair, quote, nowSec: world.nowSec, markWad: instrument.spotWad }
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
