/**
 * Replays a scenario step by step. A scenario and every step are plain JSON (integers wider than 53 bits in decimal
 * digits), so that a harness can send the same actions to the contracts and compare after each.
 */
import { CONDITION } from './amm.ts'
import { ledgerOf, type Quote } from './gate.ts'
import { imageOf, type Json, toJson } from './image.ts'
import type { Instrument, Setting, Spacing } from './instrument.ts'
import { FEEDER } from './prices.ts'
import { type Action, apply, type Decimal, type World } from './world.ts'

export type QuoteSetup = {
  readonly symbol: string
  readonly decimals: number
  /** Raw units. */
  readonly threshold: Decimal
}

export type InstrumentSetup = {
  readonly quote: string
  readonly spotWad: Decimal
  readonly spacing: Spacing
  readonly setting: Omit<Setting, 'param'> & {
    readonly param: Omit<Setting['param'], 'minMarginAmount' | 'tip'> & {
      readonly minMarginAmount: Decimal
      readonly tip: Decimal
    }
  }
}

export type Setup = {
  readonly startSec: number
  /** Owner of Config. */
  readonly admin: string
  /** Who may call the functions that act for others. */
  readonly handler: string
  readonly pendingDurationSec: number
  readonly quotes: readonly QuoteSetup[]
  readonly instruments: readonly InstrumentSetup[]
  /** Token balance of each account by quote, raw units, with an unlimited Gate allowance. */
  readonly wallets: { readonly [account: string]: { readonly [quote: string]: Decimal } }
}

export type Scenario = { readonly seed: number; readonly setup: Setup; readonly actions: readonly Action[] }

export type Step = {
  readonly index: number
  readonly action: Action
  /** The revert's error name and arguments, or null. */
  readonly error: { readonly name: string; readonly args: Json } | null
  /** What the contract returns, null where it returns nothing or reverted. */
  readonly result: Json
  /** What the instrument logs of its accounts' history (`EVENTS`), in order. */
  readonly events: Json
  readonly image: Json
  /** Losses of all pairs that nobody could bear yet, WAD in digits; no getter tells them. */
  readonly shortfallWad: string
}

/** The state before the first action. */
export function createWorld(setup: Setup): World {
  const quotes = new Map(setup.quotes.map((quote): [string, Quote] => [quote.symbol, createQuote(quote)]))
  for (const [account, balances] of Object.entries(setup.wallets)) {
    for (const [symbol, amountRaw] of Object.entries(balances)) {
      const quote = quotes.get(symbol)
      if (!quote) throw new RangeError(`no quote ${symbol}`)
      ledgerOf(quote, account).wallet = BigInt(amountRaw)
    }
  }
  const protocol = {
    admin: setup.admin,
    handler: setup.handler,
    pendingDurationSec: setup.pendingDurationSec,
    blacklist: new Set<string>(),
    openLiquidator: true,
    liquidators: new Set<string>(),
  }
  return { nowSec: setup.startSec, protocol, quotes, instruments: setup.instruments.map(createInstrument) }
}

function createQuote({ symbol, decimals, threshold }: QuoteSetup): Quote {
  return { symbol, decimals, threshold: BigInt(threshold), ledgers: new Map() }
}

function createInstrument({ quote, spotWad, spacing, setting }: InstrumentSetup): Instrument {
  const { param } = setting
  const exactParam = { ...param, minMarginAmount: BigInt(param.minMarginAmount), tip: BigInt(param.tip) }
  return {
    quote,
    spacing,
    setting: { ...setting, param: exactParam },
    feederType: FEEDER.QUOTE_STABLE,
    condition: CONDITION.NORMAL,
    spotWad: BigInt(spotWad),
    leftWad: 0n,
    pairs: new Map(),
  }
}

function shortfallOf({ instruments }: World): bigint {
  const pairs = instruments.flatMap((instrument) => [...instrument.pairs.values()])
  return pairs.reduce((sum, { shortfall }) => sum + shortfall, 0n)
}

/** Yields one step per action: the full image after it, and the revert if there was one. */
export function* replay(scenario: Pick<Scenario, 'setup' | 'actions'>): Generator<Step, void> {
  let world = createWorld(scenario.setup)
  for (const [index, action] of scenario.actions.entries()) {
    const outcome = apply(world, action)
    world = outcome.world
    const error = outcome.ok ? null : { name: outcome.error, args: toJson(outcome.args) }
    const { result, events } = outcome.ok ? outcome : { result: null, events: [] }
    yield {
      index,
      action,
      error,
      result: toJson(result),
      events: toJson(events),
      image: imageOf(world),
      shortfallWad: String(shortfallOf(world)),
    }
  }
}
