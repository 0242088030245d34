import { erc20Abi } from 'viem'
import { gateAbi } from '../../chain/abi/gate.ts'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import { linkMarketAbi } from '../../chain/abi/link-market.ts'
import { contractAddress } from '../../chain/deployment.ts'
import { readHead } from '../../chain/node-head.ts'
import { type ContractRead, contractRead, type ReturnOf, readContracts, readGroups } from '../../chain/read.ts'
import type { Rpc } from '../../chain/rpc.ts'
import type { Deployment, Hex } from '../../chain/types.ts'
import type { BlockInfo } from '../../http/product.ts'
import { andThen } from '../../lib/and-then.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import { perpReasons } from '../reasons.ts'

/** Age beyond which a request waits for a new reading: parameters change by a timelock, a freeze counts from the next second. */
const MAX_AGE_MS = 1000

/** Expiry of a perpetual pair. */
export const PERPETUAL_EXPIRY = 4_294_967_295

/** A quote's token. */
export interface QuoteToken {
  readonly symbol: string
  /** Lower-case. */
  readonly address: Hex
  readonly decimals: number
}

/** An instrument as its contract has it; amounts are WAD, ratios basis points. */
export interface ListedInstrument {
  /** `BASE/QUOTE`, such as BTC/USDC. */
  readonly symbol: string
  readonly base: string
  readonly quote: QuoteToken
  /** Lower-case. */
  readonly address: Hex
  readonly market: { readonly address: Hex; readonly type: string }
  readonly initialMarginRatio: number
  readonly maintenanceMarginRatio: number
  readonly minMarginAmount: bigint
  readonly tradingFeeRatio: number
  readonly protocolFeeRatio: number
  readonly tip: bigint
  /** 0 INVALID, 1 STABLE, 2 NONSTABLE. */
  readonly quoteType: number
  readonly fundingHour: number
  readonly placePaused: boolean
  readonly disableOrderRebate: boolean
  /** 0 NORMAL, 1 FROZEN, 2 RESOLVED. */
  readonly condition: number
}

/** Every instrument of the venue at one block, in the order of their creation. */
export interface Instruments {
  readonly block: BlockInfo
  readonly list: readonly ListedInstrument[]
}

export interface InstrumentSource {
  readonly rpc: Rpc
  readonly deployment: Deployment
  readonly clock: Clock
}

/**
 * Gives the instruments, at once where they are known; with a height, of that block or a later one where the chain has come so far. Whoever
 * takes an older reading than others do has them read again meanwhile.
 */
export type InstrumentReader = (atLeast?: bigint, maxAgeMs?: number) => Instruments | Promise<Instruments>

/** Returns the function that gives the instruments; concurrent callers share one reading. Throws `perp_chain_unreachable`. */
export function openInstruments(source: InstrumentSource): InstrumentReader {
  let current: Instruments | null = null
  let readAtMs = 0
  let reading: Promise<Instruments> | null = null
  let read: ReturnType<typeof instrumentsOf> | null = null
  async function refresh(): Promise<Instruments> {
    const startedAtMs = source.clock.nowMs()
    try {
      read ??= instrumentsOf(contractAddress(source.deployment, 'Gate'))
      current = await read(source.rpc)
      readAtMs = startedAtMs
      return current
    } catch (cause) {
      throw new AppError(perpReasons.perp_chain_unreachable, 'the chain node does not answer; try again', { cause })
    } finally {
      reading = null
    }
  }
  const shared = () => {
    reading ??= refresh()
    return reading
  }
  return (atLeast = 0n, maxAgeMs = MAX_AGE_MS) => {
    const ageMs = source.clock.nowMs() - readAtMs
    // One that fails is begun anew by the next who asks.
    if (ageMs > MAX_AGE_MS) shared().catch(() => {})
    const known = current && ageMs >= 0 && ageMs <= maxAgeMs ? current : shared()
    return andThen(known, (one) => (one.block.height >= atLeast ? one : shared()))
  }
}

/** The instrument that a body names, by its address or its symbol. Throws `instrument_unknown`. */
export function namedInstrument(instruments: Instruments, named: string): ListedInstrument {
  if (!named.startsWith('0x') || named.includes('/')) return instrumentOf(instruments, named)
  const found = instruments.list.find(({ address }) => address === named.toLowerCase())
  if (found) return found
  const known = instruments.list.map(({ symbol, address }) => `${symbol} (${address})`).join(', ')
  throw new AppError(perpReasons.instrument_unknown, `there is no instrument at ${named}; there is ${known}`)
}

/** The instrument of a symbol, of several the first. Throws `instrument_unknown`. */
export function instrumentOf({ list }: Instruments, symbol: string): ListedInstrument {
  const found = list.find((instrument) => instrument.symbol === symbol)
  if (found) return found
  const known = list.map((instrument) => instrument.symbol).join(', ')
  throw new AppError(perpReasons.instrument_unknown, `there is no instrument ${symbol}; there is ${known}`)
}

/** Reads the instruments of a Gate, all at the node's head. Throws `RpcError`. */
export const readInstruments = (rpc: Rpc, gate: Hex): Promise<Instruments> => instrumentsOf(gate)(rpc)

/**
 * Returns the function that reads the instruments of a Gate, all at one block, the node's head unless another is given, again and again:
 * what it has met is asked for together with the list, and the names of tokens and markets once. Throws `RpcError`.
 */
export function instrumentsOf(gate: Hex): (rpc: Rpc, at?: BlockInfo) => Promise<Instruments> {
  const names = openNames()
  let met: readonly Hex[] = []
  return async (rpc, at) => {
    const { height, timestampSec } = at ?? (await readHead(rpc))
    const block = { height, timestampSec }
    const asked = met
    // Whatever of it a reorganisation has taken away must not be asked for again.
    met = []
    const { addresses, states } = await readStates(rpc, gate, asked, block.height)
    const named = await names(rpc, [...states.values()], block.height)
    met = addresses
    return {
      block,
      list: addresses.map((address) => {
        const state = states.get(address) as State
        return listed(address, state, named(state.setting))
      }),
    }
  }
}

interface State {
  readonly setting: Setting
  readonly condition: number
}

/** What instruments have that may change: those asked for in one request with the list, others after it. */
async function readStates(rpc: Rpc, gate: Hex, asked: readonly Hex[], height: bigint) {
  const all = [contractRead({ address: gate, abi: gateAbi }, 'getAllInstruments')] as const
  const [[addresses], ...known] = await readGroups(rpc, [all, ...asked.map(stateReads)], height)
  const missing = addresses.filter((address) => !asked.includes(address))
  const others = missing.length === 0 ? [] : await readGroups(rpc, missing.map(stateReads), height)
  const answers = [...known, ...others]
  const states = new Map<Hex, State>()
  for (const [nth, address] of [...asked, ...missing].entries()) {
    const [setting, condition] = answers[nth] as (typeof answers)[number]
    states.set(address, { setting, condition })
  }
  return { addresses, states }
}

function stateReads(address: Hex) {
  const instrument = { address, abi: instrumentAbi }
  return [contractRead(instrument, 'getSetting'), contractRead(instrument, 'condition')] as const
}

interface Names {
  /** Symbol of the quote. */
  readonly quote: string
  /** Type of the market. */
  readonly type: string
}

/** Gives the names of the contracts that settings name, each asked for once. */
function openNames() {
  const known = new Map<string, string>()
  return async (rpc: Rpc, states: readonly State[], height: bigint): Promise<(setting: Setting) => Names> => {
    const reads = new Map<string, ContractRead<string>>()
    for (const { setting } of states) {
      const quote = { address: setting.quote, abi: erc20Abi }
      const market = { address: setting.market, abi: linkMarketAbi }
      reads.set(`quote ${setting.quote}`, contractRead(quote, 'symbol'))
      reads.set(`market ${setting.market}`, contractRead(market, 'getMarketType'))
    }
    const unknown = [...reads].filter(([key]) => !known.has(key))
    if (unknown.length > 0) {
      const asked = unknown.map(([, read]) => read)
      const results = await readContracts(rpc, asked, height)
      for (const [nth, [key]] of unknown.entries()) known.set(key, results[nth] as string)
    }
    return ({ quote, market }) => ({
      quote: known.get(`quote ${quote}`) as string,
      type: known.get(`market ${market}`) as string,
    })
  }
}

/** `Setting` of the contract (perp-protocol 1.5). */
type Setting = ReturnOf<typeof instrumentAbi, 'getSetting'>

function listed(address: Hex, { setting: all, condition }: State, names: Names): ListedInstrument {
  const { symbol, market, quote, decimals, param, ...setting } = all
  // The contract's own symbol is BASE-QUOTE-TYPE; a base may hold dashes itself.
  const base = symbol.slice(0, symbol.length - `-${names.quote}-${names.type}`.length)
  const { minMarginAmount, tradingFeeRatio, protocolFeeRatio, tip, qtype } = param
  return {
    symbol: `${base}/${names.quote}`,
    base,
    quote: { symbol: names.quote, address: lower(quote), decimals },
    address: lower(address),
    market: { address: lower(market), type: names.type },
    initialMarginRatio: setting.initialMarginRatio,
    maintenanceMarginRatio: setting.maintenanceMarginRatio,
    minMarginAmount,
    tradingFeeRatio,
    protocolFeeRatio,
    tip,
    quoteType: qtype,
    fundingHour: setting.fundingHour,
    placePaused: setting.placePaused,
    disableOrderRebate: setting.disableOrderRebate,
    condition,
  }
}

const lower = (address: Hex): Hex => address.toLowerCase() as Hex
