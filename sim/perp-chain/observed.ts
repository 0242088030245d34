/** Everything the contracts show of their storage, in the shape of the model's image. */
import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { PERP_EXPIRY } from '../perp-model/amm.ts'
import { type Json, toJson } from '../perp-model/image.ts'
import { MAX_TICK, MIN_TICK } from '../perp-model/tick.ts'
import { lowerCase } from './actions.ts'
import type { Chain } from './chain.ts'
import type { Contract, DeployedInstrument, Deployment } from './deploy.ts'

type Fields = { readonly [key: string]: Json }
type Read = { readonly contract: Contract; readonly name: string; readonly args: readonly unknown[] }
/** Named reads of one round; the names are unique among them. */
type Reads = { [name: string]: Read }

const WORD_TICKS = 256

/** Where to look in an instrument's pair: ticks and generations the chain offers no list of. */
type Places = { readonly ticks: Set<number>; readonly records: Set<string> }

export class Observed {
  readonly #chain: Chain
  readonly #deployment: Deployment
  readonly #accounts: readonly string[]
  readonly #places: readonly Places[]
  /** The last answer to each call and what it says: most of the state stays as it was in a step. */
  readonly #known = new Map<string, { readonly raw: Hex; readonly value: Json }>()

  constructor(chain: Chain, deployment: Deployment, accounts: readonly string[]) {
    this.#chain = chain
    this.#deployment = deployment
    this.#accounts = accounts
    this.#places = deployment.instruments.map(() => ({ ticks: new Set(), records: new Set() }))
  }

  /** The image after a step. `expected` is the model's: wherever it ever had something is looked at from then on. */
  async image(expected: Json): Promise<Json> {
    this.#lookWhere(expected)
    const reads = this.#reads()
    const names = Object.keys(reads)
    const values = await this.#read(Object.values(reads))
    const answers = new Map(names.map((name, i) => [name, values[i] as Json]))
    return {
      nowSec: field(answers.get('portfolio 0 0'), '1', 'timestamp'),
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
    this.#places.forEach(({ ticks, records }, i) => {
      const pair = field(expected, 'instruments', String(i), 'pairs', String(PERP_EXPIRY))
      for (const tick of Object.keys((field(pair, 'pearls') ?? {}) as Fields)) ticks.add(Number(tick))
      for (const key of Object.keys((field(pair, 'records') ?? {}) as Fields)) records.add(key)
    })
  }

  #reads(): Reads {
    const { observer, tokens, instruments } = this.#deployment
    const quotes = [...tokens.values()].map(({ address }) => address)
    const reads: Reads = {}
    this.#accounts.forEach((account, k) => {
      reads[`quotes ${k}`] = readOf(observer, 'getQuoteStates', [account, quotes])
    })
    instruments.forEach((instrument, i) => {
      const { address } = instrument
      const { ticks, records } = this.#keysAt(i)
      const token = tokens.get(instrument.quote) as Contract
      reads[`instrument ${i}`] = readOf(observer, 'getInstrument', [address, PERP_EXPIRY])
      reads[`condition ${i}`] = readOf(instrument, 'condition', [])
      reads[`expiries ${i}`] = readOf(instrument, 'getExpiries', [])
      reads[`balance ${i}`] = readOf(token, 'balanceOf', [address])
      reads[`launched ${i}`] = readOf(observer, 'getInstrument', [address, this.#deployment.launchedExpiry])
      reads[`pearls ${i}`] = readOf(observer, 'getPearls', [address, PERP_EXPIRY, ticks])
      const [at, nonces] = [records.map(({ tick }) => tick), records.map(({ nonce }) => nonce)]
      reads[`records ${i}`] = readOf(observer, 'getRecords', [address, PERP_EXPIRY, at, nonces])
      reads[`bitmaps ${i}`] = readOf(observer, 'getTickBitmaps', [address, PERP_EXPIRY, wordsOf(ticks)])
      this.#accounts.forEach((account, k) => {
        reads[`portfolio ${i} ${k}`] = readOf(observer, 'getPortfolio', [address, PERP_EXPIRY, account])
      })
    })
    return reads
  }

  #keysAt(i: number) {
    const { ticks, records } = this.#places[i] as Places
    const parts = [...records].map((key) => key.split(':').map(Number) as [number, number])
    return {
      ticks: [...ticks].sort((a, b) => a - b),
      records: parts.map(([tick, nonce]) => ({ tick, nonce })).sort((a, b) => a.tick - b.tick || a.nonce - b.nonce),
    }
  }

  async #read(reads: readonly Read[]): Promise<Json[]> {
    const calls = reads.map(({ contract, name, args }) => ({
      to: contract.address,
      data: encodeFunctionData({ abi: contract.abi, functionName: name, args }),
    }))
    const answers = await this.#chain.read(calls)
    return answers.map((raw, i) => this.#decode(reads[i] as Read, `${calls[i]?.to}${calls[i]?.data}`, raw))
  }

  #decode({ contract, name }: Read, key: string, raw: Hex): Json {
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
    const [setting, amm, prices, spacing] = answers.get(`instrument ${i}`) as readonly Fields[]
    const { config: _config, gate: _gate, market: _market, quote: _quote, ...ownSetting } = setting as Fields
    const isLive = field(amm, 'status') !== 0
    const launched = field(answers.get(`launched ${i}`), '1', 'involvedFund') as string
    const unitWad = 10n ** BigInt(18 - Number(field(setting, 'decimals')))
    const balance = BigInt(answers.get(`balance ${i}`) as string) - BigInt(launched) / unitWad
    const { markPrice, spotPrice, benchmarkPrice } = prices as Fields
    const expiries = answers.get(`expiries ${i}`) as readonly number[]
    return {
      setting: ownSetting,
      spacing: spacing as Json,
      condition: answers.get(`condition ${i}`) as Json,
      quote,
      balance: balance.toString(),
      expiries: expiries.filter((expiry) => expiry !== this.#deployment.launchedExpiry),
      priceData: { markPrice, spotPrice, benchmarkPrice } as Json,
      pairs: isLive ? { [PERP_EXPIRY]: this.#pairImage(answers, amm as Json, i) } : {},
    }
  }

  #pairImage(answers: ReadonlyMap<string, Json>, amm: Json, i: number): Json {
    const { ticks, records } = this.#keysAt(i)
    const portfolios = this.#accounts.map(
      (account, k) => [account, field(answers.get(`portfolio ${i} ${k}`), '0')] as const,
    )
    const inUse = ([, item]: readonly [string | number, Json]) => !isBlank(item)
    const listed = (keys: readonly (string | number)[], name: string) =>
      Object.fromEntries(
        keys.map((key, n) => [key, field(answers.get(`${name} ${i}`), String(n))] as const).filter(inUse),
      )
    return {
      amm,
      pearls: listed(ticks, 'pearls'),
      records: listed(
        records.map(({ tick, nonce }) => `${tick}:${nonce}`),
        'records',
      ),
      tickBitmaps: bitmapImage(wordsOf(ticks), answers.get(`bitmaps ${i}`) as Json),
      portfolios: Object.fromEntries(portfolios.filter(inUse)),
    }
  }
}

function readOf(contract: Contract, name: string, args: readonly unknown[]): Read {
  return { contract, name, args }
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
