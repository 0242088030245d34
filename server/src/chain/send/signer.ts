import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
// Not from `viem`: a third of what a relayer's process loads would be what it never uses, and tests start hundreds of them.
import { keccak256 } from 'viem/utils'
import { AppError, defineReasons } from '../../lib/errors.ts'
import type { Hex } from '../types.ts'
import type { Fees } from './fees.ts'

export const signerReasons = defineReasons({
  signer_key_invalid: {
    kind: 'invalid',
    retryable: false,
    doc: 'A private key of the relayer is not 32 bytes of hex, or not a key of the curve. The key itself is never shown.',
  },
})

/** A key of the relayer and the one purpose it may be used for. A key may be listed once for each of its purposes. */
export interface SignerKey {
  readonly purpose: string
  readonly privateKey: Hex
}

/** A signer that a part of the venue needs: its purpose, and where its keys come from. */
export interface SignerNeed {
  readonly purpose: string
  /** The variable of its private key, or of several, comma-separated. */
  readonly variable: string
  readonly many: boolean
  /** What it does, after "that": `settles orders`. */
  readonly does: string
  /** A relayer on a chain by URL cannot be without it. */
  readonly required: boolean
  /** It acts for users: outside development it shares its process with no other signer (docs/trust-model.md). */
  readonly apart?: boolean
  /** Its accounts on the embedded chain, as indices of the development phrase. */
  readonly embeddedAccounts: readonly number[]
}

/** The fields of a transaction that its intent and its nonce decide. */
export interface TransactionFields {
  readonly nonce: bigint
  readonly to: Hex
  readonly data: Hex
  readonly valueWei: bigint
  readonly gasLimit: bigint
}

export interface SignedBytes {
  readonly hash: Hex
  readonly rawTx: Hex
}

/** One address of the relayer. The key stays inside. */
export interface Signer {
  /** Lower-case. */
  readonly address: Hex
  readonly purposes: readonly string[]
  /** Signs an EIP-1559 transaction; the same fields give the same bytes (RFC 6979). */
  sign(chainId: number, fields: TransactionFields, fees: Fees): Promise<SignedBytes>
}

/** One signer an address, with every purpose its key is listed for. Throws `signer_key_invalid`. */
export function createSigners(keys: readonly SignerKey[]): Signer[] {
  const accounts = new Map<string, { account: PrivateKeyAccount; purposes: Set<string> }>()
  for (const { purpose, privateKey } of keys) {
    const account = accountOf(purpose, privateKey)
    const known = accounts.get(account.address) ?? { account, purposes: new Set() }
    known.purposes.add(purpose)
    accounts.set(account.address, known)
  }
  return [...accounts.values()].map(({ account, purposes }) => signerOf(account, [...purposes]))
}

function accountOf(purpose: string, privateKey: Hex): PrivateKeyAccount {
  try {
    return privateKeyToAccount(privateKey)
  } catch {
    // The library's error is not kept as a cause: it may quote the key.
    throw new AppError(signerReasons.signer_key_invalid, `the private key of the signer for ${purpose} is not valid`)
  }
}

function signerOf(account: PrivateKeyAccount, purposes: readonly string[]): Signer {
  return {
    address: account.address.toLowerCase() as Hex,
    purposes,
    async sign(chainId, fields, fees) {
      const rawTx = await account.signTransaction({
        type: 'eip1559',
        chainId,
        nonce: Number(fields.nonce),
        to: fields.to,
        data: fields.data,
        value: fields.valueWei,
        gas: fields.gasLimit,
        maxFeePerGas: fees.maxFeeWei,
        maxPriorityFeePerGas: fees.maxPriorityFeeWei,
      })
      return { hash: keccak256(rawTx), rawTx }
    },
  }
}
