import { erc20Abi, numberToHex, zeroAddress } from 'viem'
import { encodeCall } from '../../chain/calls.ts'
import { decodeReturn, type ReturnOf } from '../../chain/read.ts'
import type { Rpc, RpcCall, RpcOutcome } from '../../chain/rpc.ts'
import { isAnswerTooLarge, RpcError } from '../../chain/rpc-error.ts'
import { classifySimulation } from '../../chain/send/classify.ts'
import type { Hex } from '../../chain/types.ts'
import { chunks } from '../../lib/chunks.ts'
import { inParallel } from '../../lib/turns.ts'
import type { NamedBlock } from '../listing/pair.ts'

// Gate takes every token that anybody deposits, so what is asked here is code of anybody's.

/** What a contract says of itself as a token. */
interface SaidOfToken {
  /** Empty where it says none, or none that can be shown in a row. */
  readonly symbol: string
  /** 0 where it says none: amounts are shown in its least units then. */
  readonly decimals: number
}

interface SaidOfTokens {
  readonly said: ReadonlyMap<Hex, SaidOfToken>
  /** Why the node has not told what others say. Those that there was no time to ask by themselves are neither here nor there. */
  readonly failures: ReadonlyMap<Hex, unknown>
  /** Those of the others that the node refuses to run, while it runs another call at that block. */
  readonly refused: ReadonlySet<Hex>
}

/**
 * Gas of a question. The name of a token behind a beacon costs less than 90,000 where storage costs most (on Monad 10,100 for a contract
 * and 8,100 for a word, beside the 21,000 of every call); and what this buys is milliseconds of a node. How long an answer it buys is a
 * matter of what memory costs (300 kB on Ethereum, 8 MiB on Monad), so that has a bound of its own. Every node allows an `eth_call` far
 * more, and without a price the zero address, which asks, pays nothing for it.
 */
const READ_GAS = 200_000n
/** Contracts in one request: their answers are in memory together. */
const AT_ONCE = 10
const REQUESTS = 2
/**
 * So much is read of the answer to one request. Ten sound tokens need less than 10 kB, also where each is refused with a sentence of the node;
 * nothing that would be shown is so long.
 */
const MOST_ANSWER_BYTES = 65_536
/** For all that is asked together: whoever publishes waits in a transaction. */
const TIMEOUT_MS = 5000
/** For one request: a contract that is slow to run must not have the time of those that are asked with it and after it. */
const REQUEST_TIMEOUT_MS = 2000

const SYMBOL = /^[\p{L}\p{N}\p{P}\p{S} ]{1,32}$/u
/** A `uint8`. */
const MOST_DECIMALS = 255

/**
 * Asks contracts for symbol and decimals at a block, by its hash: a node that has it not must not answer that there is no such contract. What
 * one of them does keeps no other from being read: those that are not told of together are asked about one by one.
 */
export async function readForeignTokens(
  rpc: Rpc,
  block: Pick<NamedBlock, 'hash'>,
  addresses: readonly Hex[],
): Promise<SaidOfTokens> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const options = { signal, timeoutMs: REQUEST_TIMEOUT_MS, maxAnswerBytes: MOST_ANSWER_BYTES }
  const ask = (calls: readonly RpcCall[]) => rpc.outcomes<Hex>(calls, options)
  const said = new Map<Hex, SaidOfToken>()
  const failures = new Map<Hex, unknown>()
  const refused = new Set<Hex>()
  /** Resolves to those that are not told of. */
  async function readTogether(part: readonly Hex[]): Promise<readonly Hex[]> {
    const outcomes = await ask(part.flatMap((address) => callsOf(address, block)))
    return part.filter((address, nth) => {
      const one = saidIn(outcomes[2 * nth], outcomes[2 * nth + 1])
      if ('said' in one) said.set(address, one.said)
      return 'failure' in one
    })
  }
  async function readAlone(address: Hex): Promise<void> {
    const [symbol, decimals, other] = await ask([...callsOf(address, block), callTo(zeroAddress, '0x', block)])
    const one = saidIn(symbol, decimals, isAnswerTooLarge)
    if ('said' in one) said.set(address, one.said)
    else failures.set(address, one.failure)
    if ('failure' in one && isRefusal(one.failure) && other?.ok) refused.add(address)
  }
  await inParallel(chunks(addresses, AT_ONCE), REQUESTS, async (part) => {
    try {
      for (const address of part.length > 1 ? await readTogether(part) : part) await readAlone(address)
    } catch (cause) {
      if (!signal.aborted) throw cause
    }
  })
  return { said, failures, refused }
}

/** The node's own word, and not that there is none. */
const isRefusal = (failure: unknown): boolean => failure instanceof RpcError && failure.rpc !== null

const callsOf = (address: Hex, block: Pick<NamedBlock, 'hash'>): readonly RpcCall[] =>
  (['symbol', 'decimals'] as const).map((name) => callTo(address, encodeCall(erc20Abi, name, []), block))

const callTo = (to: Hex, data: Hex, { hash }: Pick<NamedBlock, 'hash'>): RpcCall => ({
  method: 'eth_call',
  params: [{ to, data, gas: numberToHex(READ_GAS) }, { blockHash: hash }],
})

type Outcome = RpcOutcome<Hex> | undefined

/** What two answers say; nothing where it is the contract's own failure that there is none. */
function saidIn(
  symbol: Outcome,
  decimals: Outcome,
  isOwnFailure: (error: RpcError) => boolean = () => false,
): { readonly said: SaidOfToken } | { readonly failure: unknown } {
  const isOwn = (error: RpcError) => classifySimulation(error).kind === 'reverted' || isOwnFailure(error)
  try {
    const [symbolData, decimalsData] = [returned(symbol, isOwn), returned(decimals, isOwn)]
    return { said: { symbol: saidSymbol(symbolData), decimals: saidDecimals(decimalsData) } }
  } catch (failure) {
    return { failure }
  }
}

/** Null where the contract says nothing. Throws where the node does not tell. */
function returned(outcome: Outcome, isOwnFailure: (error: RpcError) => boolean): Hex | null {
  if (outcome?.ok && typeof outcome.value === 'string') return outcome.value
  if (outcome?.ok === false && isOwnFailure(outcome.error)) return null
  throw outcome?.ok === false ? outcome.error : new Error('the node gives no data')
}

/** What stands in every row of the token must be short, and must not disturb what stands beside it. */
function saidSymbol(data: Hex | null): string {
  const symbol = decodedOr('symbol', data, '')
  return SYMBOL.test(symbol) ? symbol : ''
}

/** The word may hold any number, and amounts have as many digits. */
function saidDecimals(data: Hex | null): number {
  const decimals = decodedOr('decimals', data, 0)
  return decimals <= MOST_DECIMALS ? decimals : 0
}

function decodedOr<Name extends 'symbol' | 'decimals'>(
  name: Name,
  data: Hex | null,
  otherwise: ReturnOf<typeof erc20Abi, Name>,
): ReturnOf<typeof erc20Abi, Name> {
  if (data === null) return otherwise
  try {
    return decodeReturn<typeof erc20Abi, Name>(erc20Abi, name, data)
  } catch {
    return otherwise
  }
}
