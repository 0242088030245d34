import Type from 'typebox'
import { keccak256, parseTransaction, recoverTransactionAddress } from 'viem'
import type { Rpc } from '../../chain/rpc.ts'
import { classifySend } from '../../chain/send/classify.ts'
import type { Hex } from '../../chain/types.ts'
import { EXPECTED } from '../../http/validation.ts'
import { AppError } from '../../lib/errors.ts'
import { perpReasons } from '../reasons.ts'

const TIMEOUT_MS = 10_000
/**
 * More than any call of this product needs: 128 orders cancelled by one transaction are under 10 kB. As hex digits it fits, with the
 * other fields, into the largest body.
 */
const MOST_BYTES = 32_000

export const signedTransactionSchema = Type.String({
  pattern: '^0x([0-9a-fA-F]{2})+$',
  maxLength: 2 + 2 * MOST_BYTES,
  [EXPECTED]: `a signed transaction: 0x and an even number of hex digits, at most ${MOST_BYTES} bytes`,
  description: 'The signed transaction, as eth_sendRawTransaction takes it.',
})

/** What a wallet has signed, and may be sent as it is. */
export interface SignedTransaction {
  readonly raw: Hex
  readonly hash: Hex
  /** Lower-case. */
  readonly signer: Hex
  readonly nonce: number
  readonly to: Hex
  readonly data: Hex
  readonly valueWei: bigint
}

/** Whose transaction is wanted, and on which chain. */
export interface WantedSigner {
  readonly chainId: number
  /** Lower-case. */
  readonly signer: Hex
}

/**
 * Reads a signed transaction of a wallet. What it calls is left to the operation. Throws `signed_transaction_invalid` for
 * bytes that are none, another chain, another signer, and one that calls nothing.
 */
export async function readSignedTransaction(raw: Hex, { chainId, signer }: WantedSigner): Promise<SignedTransaction> {
  const parsed = parse(raw)
  if (parsed.chainId !== chainId) {
    throw refused(`it must be for chain ${chainId}, and is ${parsed.chainId ? `for ${parsed.chainId}` : 'for any'}`)
  }
  const from = await recoverTransactionAddress({ serializedTransaction: raw as never }).catch(() => null)
  if (from?.toLowerCase() !== signer) {
    throw refused(
      `it must be signed by ${signer}, the wallet of this API key; ${from ? `it is by ${from.toLowerCase()}` : 'it has no valid signature'}`,
    )
  }
  if (!parsed.to || !parsed.data || parsed.data === '0x') throw refused('it calls no contract')
  return {
    raw,
    hash: keccak256(raw),
    signer,
    nonce: parsed.nonce ?? 0,
    to: parsed.to.toLowerCase() as Hex,
    data: parsed.data,
    valueWei: parsed.value ?? 0n,
  }
}

/** The refusal of a signed transaction for what it is. */
export const refused = (why: string): AppError =>
  new AppError(perpReasons.signed_transaction_invalid, `the signed transaction is not accepted: ${why}`, {
    detail: { field: 'signedTransaction' },
  })

/** Kinds that a wallet signs for a call: no blobs, no delegations of the account. */
const KINDS = ['legacy', 'eip2930', 'eip1559']

function parse(raw: Hex) {
  let parsed: ReturnType<typeof parseTransaction>
  try {
    parsed = parseTransaction(raw)
  } catch {
    throw refused('it is no signed transaction')
  }
  if (!KINDS.includes(parsed.type ?? ''))
    throw refused(`it is of the type ${parsed.type}: ${KINDS.join(', ')} are accepted`)
  return parsed
}

/**
 * Hands a signed transaction to the node. The same bytes again have the same answer, also once they are mined. Throws
 * `transaction_refused` when the node certainly has not kept it, `transaction_unknown` when that is open.
 */
export async function broadcast(rpc: Rpc, transaction: SignedTransaction): Promise<Hex> {
  const { raw, hash } = transaction
  const [outcome] = await rpc.outcomes<Hex>([{ method: 'eth_sendRawTransaction', params: [raw] }], {
    timeoutMs: TIMEOUT_MS,
  })
  const answer = outcome ? classifySend(outcome) : ({ kind: 'unknown', message: 'no answer' } as const)
  if (answer.kind === 'accepted') return hash
  const standing = await standingOf(rpc, transaction)
  if (standing === 'known') return hash
  const isRefused = answer.kind === 'refused' || (answer.kind === 'nonce_too_low' && standing === 'overtaken')
  if (isRefused && standing !== 'open') {
    const message = `the chain node refuses the transaction: ${answer.message}. Build and sign it anew`
    throw new AppError(perpReasons.transaction_refused, message)
  }
  const message = `the chain node did not say whether it took ${hash}: send the same bytes again, or look for the hash`
  throw new AppError(perpReasons.transaction_unknown, message)
}

/**
 * How a transaction stands with the node: `known`, mined or waiting; `overtaken` by another one with its nonce; `absent`; `open` where the
 * node did not say. Its count goes with it, in the same request: a node that says that the nonce is used, and whose count says that it is not,
 * is several nodes, of which one is behind.
 */
async function standingOf(
  rpc: Rpc,
  { hash, signer, nonce }: SignedTransaction,
): Promise<'known' | 'overtaken' | 'absent' | 'open'> {
  const calls = [
    { method: 'eth_getTransactionByHash', params: [hash] },
    { method: 'eth_getTransactionCount', params: [signer, 'latest'] },
  ]
  const [found, count] = await rpc.outcomes<unknown>(calls, { timeoutMs: TIMEOUT_MS })
  if (!found?.ok || !count?.ok) return 'open'
  if (found.value !== null) return 'known'
  return Number(count.value) > nonce ? 'overtaken' : 'absent'
}
