import { type Abi, type ContractFunctionName, encodeFunctionData } from 'viem'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import { observerAbi } from '../../chain/abi/observer.ts'
import { type ArgumentsOf, encodeCall } from '../../chain/calls.ts'
import { contractAddress } from '../../chain/deployment.ts'
import { type NodeHead, readHead } from '../../chain/node-head.ts'
import { decodeReturn, type ReturnOf } from '../../chain/read.ts'
import type { RpcCall, RpcOutcome } from '../../chain/rpc.ts'
import { classifySimulation } from '../../chain/send/classify.ts'
import type { Hex } from '../../chain/types.ts'
import type { Venue } from '../../http/product.ts'
import { AppError } from '../../lib/errors.ts'
import { remembered } from '../../lib/remembered.ts'
import { perpReasons } from '../reasons.ts'
import { type ListedInstrument, PERPETUAL_EXPIRY } from './catalogue.ts'
import type { Amm, Portfolio } from './observer.ts'

const TIMEOUT_MS = 5_000

/** A block that every figure of an answer is of. */
export type NamedBlock = NodeHead

type OnChainContext = ReturnOf<typeof observerAbi, 'fetchOnChainContext'>
/** What a trade would do at the block (perp-protocol 2.7). */
export type Quotation = OnChainContext['quotation']
/** The quote's money of an account, in the token's own units. */
export type QuoteState = OnChainContext['quoteState']

/** A pair, and one account in it, at one block. */
export interface PairState {
  readonly block: NamedBlock
  readonly instrument: ListedInstrument
  readonly expiry: number
  /** As the last action left it. */
  readonly stored: Amm
  /** Brought to the block's time, funding included, as every action does first; null for a pair that nobody has opened. */
  readonly amm: Amm | null
  readonly mark: bigint
  readonly spot: bigint
  readonly portfolio: Portfolio
  /** Null where no size was asked for. */
  readonly quotation: Quotation | null
  readonly quoteState: QuoteState
}

/** A contract refused a read of the pair; `data` is its revert. */
export class PairRefused extends Error {
  readonly data: Hex

  constructor(data: Hex) {
    super('the contract refuses')
    this.data = data
  }
}

type Chain = Pick<Venue, 'rpc' | 'deployment'>

/**
 * Reads a pair with an account and, for a size other than zero, the quotation of that trade, all at the node's newest block,
 * named by its hash: a reorganisation between two answers is an error and no wrong figure. Throws `perp_chain_unreachable`,
 * and `PairRefused` where the pair does not take actions now or cannot quote the size.
 */
export async function readPair(
  chain: Chain,
  instrument: ListedInstrument,
  expiry: number,
  user: Hex,
  size = 0n,
): Promise<PairState> {
  const block = await newestBlock(chain)
  const args = [instrument.address, expiry, user, size] as const
  const context = encodeFunctionData({ abi: observerAbi, functionName: 'fetchOnChainContext', args })
  const [asStored, asOfNow] = await callsAt(chain, block, [
    { to: contractAddress(chain.deployment, 'Observer'), data: context },
    { to: instrument.address, data: broughtToNow(expiry) },
  ])
  // Why no action is taken says more than why no size is quoted.
  const refusal = asStored && 'reverted' in asStored && asOfNow && 'reverted' in asOfNow ? asOfNow : asStored
  const read = decoded(observerAbi, 'fetchOnChainContext', refusal)
  const isOpen = read.amm.status !== 0
  return {
    block,
    instrument,
    expiry,
    stored: read.amm,
    amm: isOpen ? ammOf(asOfNow) : null,
    mark: read.priceData.markPrice,
    spot: read.priceData.spotPrice,
    portfolio: read.portfolio,
    quotation: size === 0n ? null : read.quotation,
    quoteState: read.quoteState,
  }
}

/** What a size costs in a pair, at the pair's block. Throws as `readPair`. */
export async function quoteSize(chain: Chain, pair: PairState, size: bigint): Promise<Quotation> {
  const args = [pair.instrument.address, pair.expiry, size] as const
  const [quotation] = await observed(chain, pair.block, 'inquireByBase', args)
  return quotation
}

/** The size that moves a pair's price to a tick, or as far as there is liquidity, and what it costs. Throws as `readPair`. */
export async function quoteToTick(
  chain: Chain,
  pair: PairState,
  tick: number,
): Promise<{ readonly size: bigint; readonly quotation: Quotation }> {
  const args = [pair.instrument.address, pair.expiry, tick] as const
  const [size, quotation] = await observed(chain, pair.block, 'inquireByTick', args)
  return { size, quotation }
}

/** What Observer can be asked. */
export type ObserverView = ContractFunctionName<typeof observerAbi, 'view'>

/** What Observer answers at a block. Throws `PairRefused`, `perp_chain_unreachable`. */
export async function observed<Name extends ObserverView>(
  chain: Chain,
  block: NamedBlock,
  functionName: Name,
  args: ArgumentsOf<typeof observerAbi, Name>,
): Promise<ReturnOf<typeof observerAbi, Name>> {
  const to = contractAddress(chain.deployment, 'Observer')
  const data = encodeCall<typeof observerAbi, Name>(observerAbi, functionName, args)
  const [outcome] = await callsAt(chain, block, [{ to, data }])
  return decoded(observerAbi, functionName, outcome)
}

/** The node's newest block. Throws `perp_chain_unreachable`. */
export async function newestBlock({ rpc }: Pick<Venue, 'rpc'>): Promise<NamedBlock> {
  return await readHead(rpc, { timeoutMs: TIMEOUT_MS }).catch((cause) => {
    throw unreachable(cause)
  })
}

export interface CallAt {
  readonly from?: Hex
  readonly to: Hex
  readonly data: Hex
}

/** Contract storage that differs from the chain's during a call. */
export type StateOverride = Readonly<Record<Hex, { readonly stateDiff: Readonly<Record<Hex, Hex>> }>>

/** Runs calls at a block without changing anything; of each what it returns, or the revert it ends with. Throws `perp_chain_unreachable`. */
export async function callsAt(
  { rpc }: Pick<Venue, 'rpc'>,
  { hash }: NamedBlock,
  calls: readonly CallAt[],
  override?: StateOverride,
): Promise<readonly CallOutcome[]> {
  const requests: RpcCall[] = calls.map((call) => ({
    method: 'eth_call',
    params: [call, { blockHash: hash }, ...(override ? [override] : [])],
  }))
  return (await rpc.outcomes<Hex>(requests, { timeoutMs: TIMEOUT_MS })).map(outcomeOf)
}

export type CallOutcome = { readonly returned: Hex } | { readonly reverted: Hex }

function outcomeOf(outcome: RpcOutcome<Hex>): CallOutcome {
  if (outcome.ok) return { returned: outcome.value }
  const failure = classifySimulation(outcome.error)
  if (failure.kind !== 'reverted') throw unreachable(outcome.error)
  return { reverted: failure.data }
}

/** The pair as every action leaves it that does nothing else; nothing of a dated pair follows from the time before its end. */
export const broughtToNow = (expiry: number): Hex => encodedUpdate(String(expiry))

/** Expiries whose calls are remembered: a venue has few, and each position that is measured asks for one. */
const REMEMBERED_EXPIRIES = 100

const encodedUpdate = remembered((text) => encodeUpdate(Number(text)), REMEMBERED_EXPIRIES)

function encodeUpdate(expiry: number): Hex {
  const update = encodeFunctionData({ abi: instrumentAbi, functionName: 'update', args: [expiry] })
  const read = encodeFunctionData({ abi: instrumentAbi, functionName: 'getAmm', args: [expiry] })
  const calls = expiry === PERPETUAL_EXPIRY ? [update, read] : [read]
  return encodeFunctionData({ abi: instrumentAbi, functionName: 'multicall', args: [calls] })
}

export function ammOf(outcome: CallOutcome | undefined): Amm {
  const amm = decoded(instrumentAbi, 'multicall', outcome).at(-1)
  return decoded(instrumentAbi, 'getAmm', amm === undefined ? undefined : { returned: amm })
}

/** The value that a call returns. Throws `PairRefused`, `perp_chain_unreachable`. */
export function decoded<const A extends Abi, Name extends ContractFunctionName<A>>(
  abi: A,
  functionName: Name,
  outcome: CallOutcome | undefined,
): ReturnOf<A, Name> {
  if (outcome && 'reverted' in outcome) throw new PairRefused(outcome.reverted)
  try {
    return decodeReturn(abi, functionName, outcome?.returned ?? '0x')
  } catch (cause) {
    throw unreachable(cause)
  }
}

export const unreachable = (cause: unknown): AppError =>
  new AppError(perpReasons.perp_chain_unreachable, 'the chain node gives no sound answer; try again', { cause })
