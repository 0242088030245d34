/** Everything the contracts show of their storage, in the shape of the model's image. */

import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { PERP_EXPIRY, STATUS } from '../perp-model/amm.ts'
import { type Json, toJson } from '../perp-model/image.ts'
import { DATED_EXPIRY } from '../perp-model/markets.ts'
import { MAX_TICK, MIN_TICK } from '../perp-model/tick.ts'
import { lowerCase } from './actions.ts'
import type { Chain } from './chain.ts'
import type { Contract, DeployedInstrument, Deployment } from './deploy.ts'
import { readMany } from './many-reads.ts'

type Fields = { readonly [key: string]: Json }
type Read = { readonly contract: Contract; readonly name: string; readonly data: Hex }
/** Named reads of one round; the names are unique among them. */
type Reads = { [name: string]: Read }

const WORD_TICKS = 256
/** The pairs that scenarios play on. */
const EXPIRIES = [PERP_EXPIRY, DATED_EXPIRY]

/** A pair, and where to look in it: ticks and generations the chain offers no list of. */
type Place = {
  readonly instrument: number
  readonly expiry: number
  readonly ticks: Set<number>
  readonly records: Set<string>
  isKnown: boolean
}

export class Observed {
  readonly #chain: Chain
  readonly #deployment: Deployment
  readonly #accounts: readonly string[]
  readonly #places: readonly Place[]
  /** Reads that are the same after every step, by their names. */
  readonly #lasting = new Map<string, Read>()
  /** The last answer to each call and what it says: most of the state stays as it was in a step. */
  readonly #known = new Map<string, { readonly raw: Hex; readonly value: Json }>()

  constructor(chain: Chain, deployment: Deployment, accounts: readonly string[]) {
    this.#chain = chain
    this.#deployment = deployment
    this.#accounts = accounts
    this.#places = deployment.instruments.flatMap((_, instrument) =>
      EXPIRIES.map((expiry) => ({ instrument, expiry, ticks: new Set(), records: new Set(), isKnown: false })),
    )
  }

  /** The image after a step. `expected` is the model's: wherever it ever had something is looked at from then on. */
  async image(expected: Json): Promise<Json> {
    this.#lookWhere(expected)
    const reads = this.#reads()
    const names = Object.keys(reads)
    const values = await this.#read(Object.values(reads))
    const answers = new Map(names.map((name, i) => [name, values[i] as Json]))
    return {
      nowSec: field(answers.get('now'), '1', 'timestamp'),
      gate: this.#gateImage(answers),
      instruments: this.#deployment.instruments.map((instrument, i) => this.#instrumentImage(answers, instrument, i)),
    }
  }

  /** Every non-empty word of every instrument's tick bitmap, over all ticks there are. */
  async wholeBitmaps(): Promise<Json> {
    const [first, last] = [MIN_TICK >> 8, MAX_TICK >> 8]
    const words = Array.from({ length: last - first + 1 }, (_, i) => first + i)
    const { observer, instruments } = this.#deployment
    const reads = instruments.map(({ address }) => readOf(observer, 'getTickBitmaps', [address, PERP_EXPIRY, words]))
    return (await this.#read(reads)).map((answer) => bitmapImage(words, answer))
  }

  #lookWhere(expected: Json): void {
    for (const place of this.#places) {
      const pair = field(expected, 'instruments', String(place.instrument), 'pairs', String(place.expiry))
      place.isKnown ||= pair !== null
      for (const tick of Object.keys((field(pair, 'pearls') ?? {}) as Fields)) place.ticks.add(Number(tick))
      for (const key of Object.keys((field(pair, 'records') ?? {}) as Fields)) place.records.add(key)
    }
  }

  #reads(): Reads {
    const { gate, observer, tokens, instruments, launchedExpiry } = this.#deployment
    const quotes = [...tokens.values()].map(({ address }) => address)
    const reads: Reads = {}
    const add = this.#adderTo(reads)
    this.#accounts.forEach((account, k) => {
      add(`quotes ${k}`, observer, 'getQuoteStates', [account, quotes])
    })
    add('now', observer, 'getPortfolio', [instruments[0]?.address, PERP_EXPIRY, this.#accounts[0]])
    instruments.forEach((instrument, i) => {
      const { address } = instrument
      const { address: quote } = tokens.get(instrument.quote) as Contract
      add(`condition ${i}`, instrument, 'condition', [])
      add(`expiries ${i}`, instrument, 'getExpiries', [])
      add(`balance ${i}`, gate, 'reserveOf', [quote, address])
      add(`launched ${i}`, observer, 'getInstrument', [address, launchedExpiry])
    })
    for (const place of this.#places) this.#addPair(reads, place)
    return reads
  }

  /** Adds a read that is the same after every step. */
  #adderTo(reads: Reads) {
    return (name: string, ...read: Parameters<typeof readOf>): void => {
      const lasting = this.#lasting.get(name) ?? readOf(...read)
      this.#lasting.set(name, lasting)
      reads[name] = lasting
    }
  }

  /** A pair that nobody has opened yet is asked only whether that is so. */
  #addPair(reads: Reads, place: Place): void {
    const { observer, instruments } = this.#deployment
    const { expiry } = place
    const address = instruments[place.instrument]?.address
    const key = `${place.instrument}:${expiry}`
    const add = this.#adderTo(reads)
    add(`pair ${key}`, observer, 'getInstrument', [address, expiry])
    if (!place.isKnown) return
    const { ticks, records } = keysAt(place)
    reads[`pearls ${key}`] = readOf(observer, 'getPearls', [address, expiry, ticks])
    const [at, nonces] = [records.map(({ tick }) => tick), records.map(({ nonce }) => nonce)]
    reads[`records ${key}`] = readOf(observer, 'getRecords', [address, expiry, at, nonces])
    reads[`bitmaps ${key}`] = readOf(observer, 'getTickBitmaps', [address, expiry, wordsOf(ticks)])
    this.#accounts.forEach((account, k) => {
      add(`portfolio ${key} ${k}`, observer, 'getPortfolio', [address, expiry, account])
    })
  }

  async #read(reads: readonly Read[]): Promise<Json[]> {
    const calls = reads.map(({ contract, data }) => ({ to: contract.address, data }))
    const answers = await readMany(this.#chain, this.#deployment.manyReads, calls)
    return reads.map((read, i) => this.#decode(read, answers[i] as Hex))
  }

  #decode({ contract, name, data }: Read, raw: Hex): Json {
    const key = `${contract.address}${data}`
    const known = this.#known.get(key)
    if (known?.raw === raw) return known.value
    const value = lowerCase(toJson(decodeFunctionResult({ abi: contract.abi, functionName: name, data: raw })))
    this.#known.set(key, { raw, value })
    return value
  }

  #gateImage(answers: ReadonlyMap<string, Json>): Json {
    const states = this.#accounts.map((_, k) => field(answers.get(`quotes ${k}`), '0') as readonly Json[])
    return Object.fromEntries(
      [...this.#deployment.tokens.keys()].map((symbol, q) => [
        symbol,
        this.#quoteImage(states.map((list) => list[q] as Json)),
      ]),
    )
  }

  #quoteImage(states: readonly Json[]): Json {
    const used = this.#accounts
      .map((account, k) => [account, states[k] as Json] as const)
      .filter(([, state]) => ['reserve', 'balance', 'fundFlow', 'pending'].some((name) => !isBlank(field(state, name))))
    const column = (name: string) => Object.fromEntries(used.map(([account, state]) => [account, field(state, name)]))
    return {
      decimals: field(states[0], 'decimals'),
      threshold: field(states[0], 'threshold'),
      reserveOf: column('reserve'),
      fundFlowOf: column('fundFlow'),
      pendingOf: column('pending'),
      walletOf: column('balance'),
    }
  }

  #instrumentImage(answers: ReadonlyMap<string, Json>, { quote }: DeployedInstrument, i: number): Json {
    const [setting, , , spacing] = answers.get(`pair ${i}:${PERP_EXPIRY}`) as readonly Fields[]
    const { config: _config, gate: _gate, market: _market, quote: _quote, ...ownSetting } = setting as Fields
    const launched = field(answers.get(`launched ${i}`), '1', 'involvedFund') as string
    const unitWad = 10n ** BigInt(18 - Number(field(setting, 'decimals')))
    const balance = BigInt(answers.get(`balance ${i}`) as string) - BigInt(launched) / unitWad
    const expiries = answers.get(`expiries ${i}`) as readonly number[]
    const live = this.#places.filter(
      (place) =>
        place.instrument === i && field(answers.get(`pair ${i}:${place.expiry}`), '1', 'status') !== STATUS.DORMANT,
    )
    return {
      setting: ownSetting,
      spacing: spacing as Json,
      condition: answers.get(`condition ${i}`) as Json,
      quote,
      balance: balance.toString(),
      expiries: expiries.filter((expiry) => expiry !== this.#deployment.launchedExpiry),
      pairs: Object.fromEntries(live.map((place) => [place.expiry, this.#pairImage(answers, place)])),
    }
  }

  #pairImage(answers: ReadonlyMap<string, Json>, place: Place): Json {
    const key = `${place.instrument}:${place.expiry}`
    const { ticks, records } = keysAt(place)
    const [, amm, prices] = answers.get(`pair ${key}`) as readonly Fields[]
    const { markPrice, spotPrice, benchmarkPrice } = prices as Fields
    const isSettled = field(amm as Json, 'status') === STATUS.SETTLED
    const portfolios = this.#accounts.map(
      (account, k) => [account, field(answers.get(`portfolio ${key} ${k}`), '0')] as const,
    )
    const inUse = ([, item]: readonly [string | number, Json]) => !isBlank(item)
    const listed = (keys: readonly (string | number)[], name: string) =>
      Object.fromEntries(
        keys.map((item, n) => [item, field(answers.get(`${name} ${key}`), String(n))] as const).filter(inUse),
      )
    return {
      amm: amm as Json,
      prices: isSettled ? null : ({ markPrice, spotPrice, benchmarkPrice } as Json),
      pearls: listed(ticks, 'pearls'),
      records: listed(
        records.map(({ tick, nonce }) => `${tick}:${nonce}`),
        'records',
      ),
      tickBitmaps: bitmapImage(wordsOf(ticks), answers.get(`bitmaps ${key}`) as Json),
      portfolios: Object.fromEntries(portfolios.filter(inUse)),
    }
  }
}

function keysAt(place: Place) {
  const parts = [...place.records].map((key) => key.split(':').map(Number) as [number, number])
  return {
    ticks: [...place.ticks].sort((a, b) => a - b),
    records: parts.map(([tick, nonce]) => ({ tick, nonce })).sort((a, b) => a.tick - b.tick || a.nonce - b.nonce),
  }
}

function readOf(contract: Contract, name: string, args: readonly unknown[]): Read {
  return { contract, name, data: encodeFunctionData({ abi: contract.abi, functionName: name, args }) }
}

/** The bitmap words that hold these ticks; pearl spacing is 1. */
function wordsOf(ticks: readonly number[]): number[] {
  return [...new Set(ticks.map((tick) => Math.floor(tick / WORD_TICKS)))].sort((a, b) => a - b)
}

function bitmapImage(words: readonly number[], answer: Json): Json {
  const values = answer as readonly string[]
  return Object.fromEntries(
    words.map((word, n) => [word, values[n] as string] as const).filter(([, value]) => value !== '0'),
  )
}

/** The item at a path of keys or indices; null where there is none. */
export function field(value: Json | undefined, ...path: readonly string[]): Json {
  let item: Json | undefined = value
  for (const key of path) {
    if (item === null || typeof item !== 'object') return null
    item = (item as Fields)[key]
  }
  return item ?? null
}

/** Whether every number in a value is zero. */
function isBlank(value: Json): boolean {
  if (value === null || value === 0 || value === false) return true
  if (typeof value === 'string') return value === '0'
  if (typeof value !== 'object') return false
  return Object.values(value).every(isBlank)
}
