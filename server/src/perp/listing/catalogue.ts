import type { Abi } from 'viem'
import { erc20Abi } from 'viem'
import { gateAbi } from '../../chain/abi/gate.ts'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import { linkMarketAbi } from '../../chain/abi/link-market.ts'
import { contractAddress } from '../../chain/deployment.ts'
import { type ContractRead, readContracts } from '../../chain/read.ts'
import type { Rpc } from '../../chain/rpc.ts'
import type { Deployment, Hex } from '../../chain/types.ts'
import type { BlockInfo } from '../../http/product.ts'
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

/** Gives the instruments; with a height, of that block or a later one where the chain has come so far. */
export type InstrumentReader = (atLeast?: bigint) => Promise<Instruments>

/** Returns the function that gives the instruments; concurrent callers share one reading. Throws `perp_chain_unreachable`. */
export function openInstruments(source: InstrumentSource): InstrumentReader {
  let current: Instruments | null = null
  let readAtMs = 0
  let reading: Promise<Instruments> | null = null
  async function refresh(): Promise<Instruments> {
    const startedAtMs = source.clock.nowMs()
    try {
      current = await readInstruments(source.rpc, contractAddress(source.deployment, 'Gate'))
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
  return async (atLeast = 0n) => {
    const ageMs = source.clock.nowMs() - readAtMs
    const known = current && ageMs >= 0 && ageMs <= MAX_AGE_MS ? current : await shared()
    return known.block.height >= atLeast ? known : shared()
  }
}

/** The instrument of a symbol. Throws `instrument_unknown`. */
export function instrumentOf({ list }: Instruments, symbol: string): ListedInstrument {
  const found = list.find((instrument) => instrument.symbol === symbol)
  if (found) return found
  const known = list.map((instrument) => instrument.symbol).join(', ')
  throw new AppError(perpReasons.instrument_unknown, `there is no instrument ${symbol}; there is ${known}`)
}

/** Reads the instruments of a Gate, all at the node's head. Throws `RpcError`. */
export async function readInstruments(rpc: Rpc, gate: Hex): Promise<Instruments> {
  const all = { address: gate, abi: gateAbi as Abi, functionName: 'getAllInstruments' }
  const { blockNumber, results } = await readContracts(rpc, [all])
  const addresses = results[0] as readonly Hex[]
  const read = async (reads: readonly ContractRead[]) => (await readContracts(rpc, reads, blockNumber)).results
  const block = await rpc.call<{ timestamp: Hex }>('eth_getBlockByNumber', [`0x${blockNumber.toString(16)}`, false])
  const of = (functionName: string) =>
    addresses.map((address) => ({ address, abi: instrumentAbi as Abi, functionName }))
  const [settings, conditions] = [
    (await read(of('getSetting'))) as readonly Setting[],
    (await read(of('condition'))) as readonly number[],
  ]
  const symbols = (await read(
    settings.map(({ quote }) => ({ address: quote, abi: erc20Abi as Abi, functionName: 'symbol' })),
  )) as readonly string[]
  const types = (await read(
    settings.map(({ market }) => ({ address: market, abi: linkMarketAbi as Abi, functionName: 'getMarketType' })),
  )) as readonly string[]
  const list = addresses.map((address, index) =>
    listed(address, settings[index] as Setting, conditions[index] as number, {
      quote: symbols[index] as string,
      type: types[index] as string,
    }),
  )
  return { block: { height: blockNumber, timestampSec: BigInt(block.timestamp) }, list }
}

/** `Setting` of the contract (perp-protocol 1.5). */
interface Setting {
  readonly symbol: string
  readonly market: Hex
  readonly quote: Hex
  readonly decimals: number
  readonly initialMarginRatio: number
  readonly maintenanceMarginRatio: number
  readonly placePaused: boolean
  readonly fundingHour: number
  readonly disableOrderRebate: boolean
  readonly param: {
    readonly minMarginAmount: bigint
    readonly tradingFeeRatio: number
    readonly protocolFeeRatio: number
    readonly qtype: number
    readonly tip: bigint
  }
}

function listed(
  address: Hex,
  { symbol, market, quote, decimals, param, ...setting }: Setting,
  condition: number,
  names: { readonly quote: string; readonly type: string },
): ListedInstrument {
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
