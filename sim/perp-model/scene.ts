/**
 * A scenario written by hand: actions are tried on the model as they are added, so that a scene cannot say something that
 * does not happen. What comes out replays on the contracts like a generated scenario.
 */
import { accountOf, type Context, type Pair } from './instrument.ts'
import { type Cast, createSetup } from './markets.ts'
import type { Position } from './position.ts'
import { quote } from './quotation.ts'
import { createWorld, type Scenario, type Setup } from './replay.ts'
import { priceToTick } from './tick.ts'
import { abs, WAD, wdiv } from './wad.ts'
import { type Action, apply, contextOf, type World } from './world.ts'

type WithoutFrame<A> = A extends Action ? Omit<A, 'timeSec' | 'instrument'> & { readonly instrument?: number } : never
export type SceneMove = WithoutFrame<Action>

const ANY_LIMITS = { limitTickLower: -8_388_608, limitTickUpper: 8_388_607, deadline: 0 }
const SLIPPAGE_BPS = 50n
const OF_NO_INSTRUMENT = new Set([
  'deposit',
  'withdraw',
  'release',
  'threshold',
  'blacklist',
  'liquidators',
  'openLiquidation',
])

/** A number with up to six decimals as WAD. */
export function toWad(amount: number): bigint {
  return (BigInt(Math.round(amount * 1_000_000)) * WAD) / 1_000_000n
}

export class SceneWriter {
  readonly setup: Setup
  readonly cast: Cast
  world: World
  readonly #actions: Action[] = []
  readonly #instrument: number

  constructor(cast: Cast, instrument: number, setup = createSetup(cast)) {
    this.cast = cast
    this.setup = setup
    this.world = createWorld(setup)
    this.#instrument = instrument
  }

  /** Performs an action that must succeed, a second after the last, and returns what the contract would. */
  act(move: SceneMove, delaySec = 1): unknown {
    const action = this.#framed(move, delaySec)
    const outcome = apply(this.world, action)
    if (!outcome.ok) throw new Error(`${move.type} reverted: ${outcome.error}(${outcome.args.join(', ')})`)
    this.#actions.push(action)
    this.world = outcome.world
    return outcome.result
  }

  /** Performs an action if it succeeds; one that does not is left out. */
  attempt(move: SceneMove, delaySec = 1): boolean {
    const action = this.#framed(move, delaySec)
    const outcome = apply(this.world, action)
    if (!outcome.ok) return false
    this.#actions.push(action)
    this.world = outcome.world
    return true
  }

  /** Adds an action that must be refused with this error. */
  refuse(error: string, move: SceneMove, delaySec = 1): void {
    const action = this.#framed(move, delaySec)
    const outcome = apply(this.world, action)
    if (outcome.ok || outcome.error !== error) {
      throw new Error(`${move.type} ${outcome.ok ? 'succeeded' : `reverted: ${outcome.error}`}, not ${error}`)
    }
    this.#actions.push(action)
    this.world = outcome.world
  }

  scenario(): Scenario {
    return { seed: 0, setup: this.setup, actions: this.#actions }
  }

  context(expiry?: number): Context {
    return contextOf(this.world, this.#instrument, expiry)
  }

  pair(expiry?: number): Pair {
    return this.context(expiry).pair
  }

  position(account: string, expiry?: number): Position {
    return accountOf(this.pair(expiry), account).position
  }

  #framed(move: SceneMove, delaySec: number): Action {
    const timeSec = this.world.nowSec + delaySec
    const place = OF_NO_INSTRUMENT.has(move.type) ? {} : { instrument: this.#instrument }
    return { timeSec, ...place, ...move } as Action
  }

  // Moves

  /** The oracle's price. */
  price(price: number): SceneMove {
    return { type: 'price', spotWad: toWad(price).toString() }
  }

  range(account: string, margin: number, tickDelta: number, expiry?: number): SceneMove {
    const amount = toWad(margin).toString()
    return {
      type: 'add',
      account,
      amount,
      tickDeltaLower: tickDelta,
      tickDeltaUpper: tickDelta,
      ...ANY_LIMITS,
      ...of(expiry),
    }
  }

  removal(account: string, target: string, tickLower: number, tickUpper: number, expiry?: number): SceneMove {
    return { type: 'remove', account, target, tickLower, tickUpper, ...ANY_LIMITS, ...of(expiry) }
  }

  /** A trade of `size` base at any price. */
  trade(account: string, size: bigint | number, margin: number, expiry?: number): SceneMove {
    const exact = typeof size === 'bigint' ? size : toWad(size)
    const limitTick = exact > 0n ? 8_388_607 : -8_388_608
    return {
      type: 'trade',
      account,
      size: `${exact}`,
      amount: `${toWad(margin)}`,
      limitTick,
      deadline: 0,
      ...of(expiry),
    }
  }

  /** A trade with the limit that the published client sets: the tick of its average price, half a per cent worse. */
  limitedTrade(account: string, size: bigint, margin: number): SceneMove {
    const { entryNotional } = quote(this.context(), size).quotation
    const average = wdiv(entryNotional, abs(size))
    const change = (average * SLIPPAGE_BPS) / 10_000n
    const limitTick = size > 0n ? priceToTick(average + change) : priceToTick(average - change) + 1
    const amount = toWad(margin).toString()
    return { type: 'trade', account, size: size.toString(), amount, limitTick, deadline: 0 }
  }

  /** The least size that takes `part` (unsigned base) from the orders that rest on the side a trade goes to. */
  sizeTaking(isLong: boolean, part: bigint): bigint {
    const takes = (size: bigint) => quote(this.context(), isLong ? size : -size).swapped.takenSize >= part
    let [low, high] = [0n, WAD / 1000n]
    while (!takes(high)) [low, high] = [high, high * 2n]
    while (high - low > 1n) {
      const middle = (low + high) / 2n
      if (takes(middle)) high = middle
      else low = middle
    }
    return isLong ? high : -high
  }

  order(account: string, tick: number, size: number, margin: number, expiry?: number): SceneMove {
    const amount = toWad(margin).toString()
    return { type: 'place', account, tick, size: toWad(size).toString(), amount, deadline: 0, ...of(expiry) }
  }
}

function of(expiry: number | undefined) {
  return expiry === undefined ? {} : { expiry }
}
