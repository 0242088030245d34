/**
 * The whole state as plain JSON, fields named as the chain's getters and the Observer name them, integers wider than 53
 * bits in decimal digits. Absent keys mean zero: empty pearls, records, accounts and ledgers are left out.
 */
import type { Account, Order } from './account.ts'
import { STATUS } from './amm.ts'
import type { Ledger, Quote } from './gate.ts'
import type { Instrument, Pair } from './instrument.ts'
import { takenOf } from './orders.ts'
import { isInitialised, type Pearl } from './pearl.ts'
import { benchmarkOf, markOf } from './prices.ts'
import type { World } from './world.ts'

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** Converts bigint to decimal digits and maps to objects; undefined becomes null. */
export function toJson(value: unknown): Json {
  if (value === undefined || value === null) return null
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  if (Array.isArray(value)) return value.map(toJson)
  const entries = value instanceof Map ? [...value] : Object.entries(value)
  return Object.fromEntries(entries.map(([key, item]) => [String(key), toJson(item)]))
}

/** The storage image of Gate, instruments and token balances. */
export function imageOf(world: World): Json {
  return toJson({
    nowSec: world.nowSec,
    gate: new Map([...world.quotes].map(([symbol, quote]) => [symbol, quoteImage(quote)])),
    instruments: world.instruments.map((instrument) => instrumentImage(world, instrument)),
  })
}

function quoteImage(quote: Quote): unknown {
  const used = [...quote.ledgers].filter(([, ledger]) => !isBlank(ledger))
  const column = (read: (ledger: Ledger) => unknown) => new Map(used.map(([trader, ledger]) => [trader, read(ledger)]))
  return {
    decimals: quote.decimals,
    threshold: quote.threshold,
    reserveOf: column((ledger) => ledger.reserve),
    fundFlowOf: column((ledger) => ledger.fundFlow),
    pendingOf: column((ledger) => ledger.pending),
    walletOf: column((ledger) => ledger.wallet),
  }
}

function instrumentImage(world: World, instrument: Instrument): unknown {
  const { setting, spacing, condition, pairs } = instrument
  const live = [...pairs].filter(([, pair]) => pair.amm.status !== 0)
  return {
    setting,
    spacing,
    condition,
    quote: instrument.quote,
    balance: instrumentBalance(world, instrument),
    expiries: live.map(([expiry]) => expiry),
    pairs: new Map(live.map(([expiry, pair]) => [expiry, pairImage(world, instrument, pair)])),
  }
}

/** Quote tokens the instrument holds, raw units. */
function instrumentBalance(world: World, instrument: Instrument): bigint {
  const decimals = world.quotes.get(instrument.quote)?.decimals ?? 18
  const fundsWad = [...instrument.pairs.values()].reduce((sum, pair) => sum + pair.amm.involvedFund, instrument.leftWad)
  return fundsWad / 10n ** BigInt(18 - decimals)
}

function pairImage(world: World, instrument: Instrument, pair: Pair): unknown {
  return {
    amm: pair.amm,
    prices: pricesOf(world, instrument, pair),
    pearls: sorted(pair.pearls, (pearl) => !isBlank(pearl), pearlImage),
    records: sorted(
      pair.records,
      (record) => !isBlank(record),
      (record) => record,
    ),
    tickBitmaps: tickBitmaps(pair, instrument.spacing.pearl),
    portfolios: sorted(
      pair.accounts,
      (account) => !isBlank(account),
      (account) => portfolioImage(pair, account),
    ),
  }
}

/** As a market tells them; of a settled pair it tells nothing. */
function pricesOf({ nowSec }: World, { spotWad, feederType }: Instrument, { amm, accumulator }: Pair): unknown {
  if (amm.status === STATUS.SETTLED) return null
  const benchmarkPrice = benchmarkOf(spotWad, feederType, amm.expiry, nowSec)
  return { markPrice: markOf(amm, accumulator, benchmarkPrice, nowSec), spotPrice: spotWad, benchmarkPrice }
}

/** The Observer's pearl; how much of `left` waits for the next generation is not part of it. */
function pearlImage({ waiting: _, ...pearl }: Pearl): unknown {
  return pearl
}

/** As the Observer's `Portfolio`: `orders`, `ordersTaken` and `ranges` run parallel to `oids` and `rids`. */
function portfolioImage(pair: Pair, account: Account): unknown {
  const { oids, rids, position } = account
  const orders = oids.map((oid) => account.orders.get(oid) as Order)
  return {
    oids,
    rids,
    position,
    orders,
    ranges: rids.map((rid) => account.ranges.get(rid)),
    ordersTaken: orders.map((order, i) => takenOf({ pair }, oids[i] as number, order)),
  }
}

/** Non-empty words of the tick bitmap: bit `compressed & 255` of word `compressed >> 8`. */
export function tickBitmaps(pair: Pair, pearlSpacing: number): ReadonlyMap<number, bigint> {
  const words = new Map<number, bigint>()
  for (const [tick, pearl] of pair.pearls) {
    if (!isInitialised(pearl)) continue
    const compressed = tick / pearlSpacing
    const index = compressed >> 8
    words.set(index, (words.get(index) ?? 0n) | (1n << BigInt(compressed & 255)))
  }
  return new Map([...words].sort(([a], [b]) => a - b))
}

function sorted<K, V>(items: ReadonlyMap<K, V>, keep: (item: V) => boolean, render: (item: V) => unknown): unknown {
  const kept = [...items].filter(([, item]) => keep(item))
  kept.sort(([a], [b]) => (a < b ? -1 : 1))
  return new Map(kept.map(([key, item]) => [key, render(item)]))
}

/** Whether every number in a value is zero. */
function isBlank(value: unknown): boolean {
  if (typeof value === 'bigint') return value === 0n
  if (typeof value === 'number') return value === 0
  if (typeof value === 'boolean') return !value
  if (value instanceof Map) return value.size === 0
  return Object.values(value as object).every(isBlank)
}
