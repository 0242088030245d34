import type { RpcOutcome } from '../rpc.ts'
import { keptText, RpcError } from '../rpc-error.ts'
import type { Hex } from '../types.ts'
import { meaningOf, type RefusalCause } from './node-messages.ts'

/**
 * What a node's answer to `eth_sendRawTransaction` means, by the table of node messages.
 *
 * - `accepted`: the node has these bytes.
 * - `nonce_too_low`: a transaction with this nonce is mined, maybe this very one: receipts tell.
 * - `refused`: the node certainly did not keep the bytes. `never`: no node ever will; the other causes pass.
 * - `unknown`: anything else, time-outs above all. The bytes may be on their way, so they are assumed sent.
 */
export type SendAnswer =
  | { readonly kind: 'accepted' | 'nonce_too_low' | 'unknown'; readonly message: string }
  | { readonly kind: 'refused'; readonly cause: RefusalCause; readonly message: string }

/** Puts the outcome of `eth_sendRawTransaction` into its class. */
export function classifySend(outcome: RpcOutcome<unknown>): SendAnswer {
  if (outcome.ok && outcome.value === null) return { kind: 'unknown', message: 'the answer is null' }
  if (outcome.ok) return { kind: 'accepted', message: '' }
  const { error } = outcome
  const message = plainText(error.rpc?.message ?? error.message)
  // Words of a proxy or of a broken connection are never taken for the node's.
  const meaning = error.rpc ? meaningOf(error.rpc.message) : null
  if (meaning === null || meaning === 'held') return { kind: 'unknown', message }
  if (meaning === 'accepted' || meaning === 'nonce_too_low') return { kind: meaning, message }
  return { kind: 'refused', cause: meaning, message }
}

/**
 * What a failed `eth_call` or `eth_estimateGas` means.
 *
 * - `reverted`: the execution failed; `data` is what the contract said (`0x` when it said nothing or ran out of gas).
 * - `funds`: the sender cannot pay.
 * - `unavailable`: the node did not do the work.
 */
export type SimulationFailure =
  | { readonly kind: 'reverted'; readonly data: Hex; readonly message: string }
  | { readonly kind: 'funds' | 'unavailable'; readonly message: string }

const REVERTED = /\brevert/i
/** The sender's balance, as the clients word it. */
const CANNOT_PAY = /insufficient (funds|balance)|upfront cost exceeds account balance/i
/**
 * Failures of the execution itself that carry no revert data: go-ethereum's words (core/vm/errors.go), and what Nethermind, Besu and Monad
 * have instead. A client that is not known here may word them otherwise.
 */
const HALTS = new RegExp(
  [
    'out of gas|gas required exceeds|intrinsic gas|floor data gas|gas uint64 overflow',
    'invalid (opcode|instruction|jump)|stack (under|over)flow|stack limit reached|max call depth exceeded',
    'return data out of bounds|write protection|evm error',
    'transaction processing could not be completed due to an exception|reserve balance violation',
  ].join('|'),
  'i',
)

/** Puts the failure of a simulation into its class. */
export function classifySimulation(error: unknown): SimulationFailure {
  if (!(error instanceof RpcError)) throw error
  const { rpc } = error
  if (!rpc) return { kind: 'unavailable', message: error.message }
  const message = plainText(rpc.message)
  const data = revertDataIn(rpc.data)
  // An error with data is a revert by EIP-1474's convention; -32602 and its like (unknown block) carry none. It comes
  // first: a contract may revert with words of its own, and "insufficient funds" are such words.
  if (data !== null || REVERTED.test(message)) return { kind: 'reverted', data: data ?? '0x', message }
  if (CANNOT_PAY.test(message)) return { kind: 'funds', message }
  if (HALTS.test(message)) return { kind: 'reverted', data: '0x', message }
  return { kind: 'unavailable', message }
}

const MAX_MESSAGE = 500

/** Nodes put a contract's raw bytes into their messages; a database takes text without control characters only. */
const plainText = (message: string): string =>
  message
    .toWellFormed()
    .replace(/\p{Cc}/gu, '\ufffd')
    .slice(0, MAX_MESSAGE)
    .toWellFormed()

/** Revert data as nodes carry it: a hex text, or an object around one; its beginning where it is longer than is kept. */
export function revertDataIn(data: unknown): Hex | null {
  const text = typeof data === 'object' && data !== null && 'data' in data ? data.data : data
  if (typeof text !== 'string') return null
  const kept = keptText(text)
  return /^0x([0-9a-f]{2})*$/i.test(kept) ? (kept.toLowerCase() as Hex) : null
}
