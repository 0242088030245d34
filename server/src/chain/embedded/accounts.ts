import { pbkdf2Sync } from 'node:crypto'
import { toHex } from 'viem'
import { HDKey, privateKeyToAddress } from 'viem/accounts'
import type { Hex } from '../types.ts'

/** The development phrase that every local chain uses; its keys are public, so it never guards anything of value. */
export const DEVELOPMENT_MNEMONIC = 'test test test test test test test test test test test junk'

/** Accounts handed to users of the embedded venue. */
export const USER_ACCOUNTS = 10

/** Applies splits; nobody else sends with a signer's key, or the venue stops it. */
const CONFIGURE_ACCOUNT = 19

/** Signers that submit for users with One Click. */
const SUBMIT_ACCOUNTS = 3

export interface DevelopmentAccount {
  readonly address: Hex
  readonly privateKey: Hex
}

/** Who does what on the embedded chain. Operators come after the users' accounts and are in no file (design 6). */
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
    admin: developmentAccount(USER_ACCOUNTS),
    settle: developmentAccount(USER_ACCOUNTS + 1),
    oracle: developmentAccount(USER_ACCOUNTS + 2),
    configure: developmentAccount(CONFIGURE_ACCOUNT),
    submit: Array.from({ length: SUBMIT_ACCOUNTS }, (_, index) => developmentAccount(USER_ACCOUNTS + 3 + index)),
  }
}

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
