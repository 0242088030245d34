import { encodeFunctionData, isAddressEqual, recoverAddress, toHex } from 'viem'
import type { Rpc } from '../chain/rpc.ts'
import type { RpcError } from '../chain/rpc-error.ts'
import { classifySimulation } from '../chain/send/classify.ts'
import type { Hex } from '../chain/types.ts'
import { AppError } from '../lib/errors.ts'
import { delegationReasons } from './reasons.ts'
import { answered } from './router-state.ts'

/** `r ‖ s ‖ v`. */
const ECDSA_BYTES = 65
/** Above half the curve's order a signature has a twin: the contracts take the lower one only (EIP-2). */
const HIGHEST_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

const erc1271Abi = [
  {
    type: 'function',
    name: 'isValidSignature',
    stateMutability: 'view',
    inputs: [
      { name: 'hash', type: 'bytes32' },
      { name: 'signature', type: 'bytes' },
    ],
    outputs: [{ type: 'bytes4' }],
  },
] as const
/** The whole word that a wallet answers when it accepts: contracts compare all of its bytes, and so must whoever foresees them. */
const ERC1271_ACCEPTED = '0x1626ba7e'.padEnd(66, '0')
/** More than wallets of many owners need; a contract that anybody names could burn what the node allows. */
const ERC1271_GAS = 5_000_000n
/** An answer has one word; one that is so much longer is no consent, and is not read to its end. */
const ERC1271_MOST_BYTES = 64 * 1024

/**
 * Refuses a signature that the router would: an account signs by ECDSA, a contract wallet says itself what it accepts
 * (ERC-1271). Throws `delegation_signature_invalid`, `chain_not_answering`.
 */
export async function requireSignature(
  { venue, prefix }: { readonly venue: { readonly rpc: Rpc }; readonly prefix: string },
  signer: { readonly user: Hex; readonly isContract: boolean },
  digest: Hex,
  signature: Hex,
): Promise<void> {
  if (signer.isContract) await requireWalletConsent(venue.rpc, signer.user, digest, signature)
  else await requireAccountSignature(`${prefix}/prepare`, signer.user, digest, signature)
}

async function requireAccountSignature(preparePath: string, user: Hex, digest: Hex, signature: Hex): Promise<void> {
  const problem = formProblem(signature)
  if (problem !== null) throw invalid(problem)
  const recovered = await accountOf(digest, signature)
  if (recovered !== null && isAddressEqual(recovered, user)) return
  const found = recovered === null ? 'no wallet can have made it' : `it is one of ${recovered}`
  throw invalid(`it must be one of ${user}, the bound user, over the payload of POST ${preparePath}; ${found}`)
}

async function requireWalletConsent(rpc: Rpc, user: Hex, digest: Hex, signature: Hex): Promise<void> {
  if (await walletAccepts(rpc, user, digest, signature)) return
  throw invalid(`the contract wallet ${user} does not accept it (ERC-1271)`)
}

/** Why no account can have made this signature; null when one can. */
export function formProblem(signature: Hex): string | null {
  const bytes = (signature.length - 2) / 2
  if (bytes !== ECDSA_BYTES) return `it must be ${ECDSA_BYTES} bytes long (0x and 130 hex digits), got ${bytes}`
  if (BigInt(`0x${signature.slice(66, 130)}`) > HIGHEST_S) return 'its s is in the upper half of the order'
  return /1[bc]$/i.test(signature) ? null : 'its last byte, v, must be 27 or 28 (0x1b or 0x1c)'
}

/** The account that made a signature of the right form, lower-case; null when none can have. */
export async function accountOf(digest: Hex, signature: Hex): Promise<Hex | null> {
  const recovered = await recoverAddress({ hash: digest, signature }).catch(() => null)
  return recovered === null ? null : (recovered.toLowerCase() as Hex)
}

/** Whether a contract wallet accepts a signature (ERC-1271), at the head of the chain. Throws `chain_not_answering`. */
export async function walletAccepts(rpc: Rpc, wallet: Hex, digest: Hex, signature: Hex): Promise<boolean> {
  const args = [digest, signature] as const
  const data = encodeFunctionData({ abi: erc1271Abi, functionName: 'isValidSignature', args })
  const call = { to: wallet, data, gas: toHex(ERC1271_GAS) }
  const options = { maxAnswerBytes: ERC1271_MOST_BYTES }
  const [outcome] = await rpc.outcomes<Hex>([{ method: 'eth_call', params: [call, 'latest'] }], options)
  // A revert is the wallet's answer; a node that refuses the work (a limit on requests) has not asked it.
  const saidNo = outcome?.ok === false && (isReverted(outcome.error) || outcome.error.failure === 'rpc_too_large')
  return !saidNo && answered(outcome).slice(0, ERC1271_ACCEPTED.length).toLowerCase() === ERC1271_ACCEPTED
}

const isReverted = (error: RpcError): boolean => classifySimulation(error).kind === 'reverted'

const invalid = (why: string) =>
  new AppError(delegationReasons.delegation_signature_invalid, `the signature is not valid: ${why}`, {
    detail: { field: 'signature' },
  })
