import { pbkdf2Sync } from 'node:crypto'
import { toHex } from 'viem'
import { HDKey, privateKeyToAddress } from 'viem/accounts'
import type { SignerKey, SignerNeed } from '../send/signer.ts'
import type { Hex } from '../types.ts'

/** The development phrase that every local chain uses; its keys are public, so it never guards anything of value. */
export const DEVELOPMENT_MNEMONIC = 'test test test test test test test test test test test junk'

/** Accounts handed to users of the embedded venue. */
export const USER_ACCOUNTS = 10

/**
 * Which accounts of the development phrase operate the venue; those of users come before them. Each signer has its own: nobody else
 * sends with its key, or the venue stops it. What other signers a product has is its own to say (`SignerNeed`), with numbers
 * that do not stand here.
 */
export const OPERATOR_ACCOUNTS = { admin: 10, settle: 11, oracle: 12, submit: [13, 14, 15], configure: 19 } as const

export interface DevelopmentAccount {
  readonly address: Hex
  readonly privateKey: Hex
}

/** Who does what on the embedded chain. Operators come after the users' accounts and are in no file. */
export interface DevelopmentAccounts {
  readonly users: readonly DevelopmentAccount[]
  /** Deploys and administrates the contracts. */
  readonly admin: DevelopmentAccount
  /** Settles orders and cash; holds the venue's inventory. */
  readonly settle: DevelopmentAccount
  /** Publishes oracle prices. */
  readonly oracle: DevelopmentAccount
  /** Applies splits to stock tokens. */
  readonly configure: DevelopmentAccount
  /** Operators of the OperatorPool: they submit what users have delegated. */
  readonly submit: readonly DevelopmentAccount[]
}

export function developmentAccounts(): DevelopmentAccounts {
  return {
    users: Array.from({ length: USER_ACCOUNTS }, (_, index) => developmentAccount(index)),
    admin: developmentAccount(OPERATOR_ACCOUNTS.admin),
    settle: developmentAccount(OPERATOR_ACCOUNTS.settle),
    oracle: developmentAccount(OPERATOR_ACCOUNTS.oracle),
    configure: developmentAccount(OPERATOR_ACCOUNTS.configure),
    submit: OPERATOR_ACCOUNTS.submit.map(developmentAccount),
  }
}

/** The signers of an embedded chain: accounts of its development phrase, each bound to its purpose. */
export const embeddedSigners = (needs: readonly SignerNeed[]): SignerKey[] =>
  needs.flatMap(({ purpose, embeddedAccounts }) =>
    embeddedAccounts.map((index) => ({ purpose, privateKey: developmentAccount(index).privateKey })),
  )

let parent: HDKey | undefined

/**
 * The parent of all accounts of the development phrase (BIP-39, BIP-44), by the runtime's own PBKDF2: viem computes the seed in
 * JavaScript, and for each account anew.
 */
function parentKey(): HDKey {
  parent ??= HDKey.fromMasterSeed(pbkdf2Sync(DEVELOPMENT_MNEMONIC, 'mnemonic', 2048, 64, 'sha512')).derive(
    "m/44'/60'/0'/0",
  )
  return parent
}

/** An account of the development phrase by its index; all that the embedded venue uses hold native coin. */
export function developmentAccount(addressIndex: number): DevelopmentAccount {
  const key = parentKey().deriveChild(addressIndex).privateKey
  if (!key) throw new Error('the development phrase yields no private key')
  const privateKey = toHex(key)
  return { address: privateKeyToAddress(privateKey).toLowerCase() as Hex, privateKey }
}
