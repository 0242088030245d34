import type { AuditEntry } from '../db/audit.ts'
import type { Sql } from '../db/pool.ts'
import type { Access } from '../http/caller.ts'
import { AppError } from '../lib/errors.ts'
import { changeKeys, checkLabel, createKey, type IssuedKey } from './keys.ts'
import { authReasons } from './reasons.ts'
import type { MasterKeys } from './secrets.ts'
import { markDisabled } from './store.ts'
import { findWalletKeys, replaceWalletKey, spendNonce, type WalletKey, type WalletScope } from './wallet-key-store.ts'

// Keys that wallets make for themselves, in a product whose keys work from every address.

/** Every key is held in the memory of every process, and one wallet must not fill it. */
export const KEYS_OF_WALLET = 50

/** What a wallet asks for. */
export interface WalletKeyRequest {
  /** As it stands in the message that the wallet signed. */
  readonly nonce: string
  readonly label: string
  readonly access: Access
  /** Null, or left out, for a key that does not expire. */
  readonly expiresAt?: Date | null
}

/**
 * Issues a key for the wallet that signed for it, and spends the signed nonce in the same transaction. Throws
 * `wallet_nonce_used`, `wallet_keys_exhausted`, `key_input_invalid`; nothing is stored or spent then.
 */
export async function issueWalletKey(
  sql: Sql,
  masterKeys: MasterKeys,
  scope: WalletScope,
  { nonce, label, access, expiresAt = null }: WalletKeyRequest,
): Promise<IssuedKey & WalletKey> {
  const { chainId, productType, wallet } = scope
  const newKey = { label, access, chainId, productType, ipWhitelist: [], userAddress: wallet, expiresAt }
  let stored: WalletKey | undefined
  const issued = await createKey(sql, masterKeys, newKey, actorOf(scope), async (tx, apiKey) => {
    if (!(await spendNonce(tx, scope, nonce, apiKey))) {
      throw new AppError(authReasons.wallet_nonce_used, `the wallet ${wallet} has used the nonce ${nonce} before`)
    }
    const keys = await findWalletKeys(tx, scope)
    if (keys.length > KEYS_OF_WALLET) {
      const message = `the wallet ${wallet} has ${KEYS_OF_WALLET} API keys, and may have no more: delete one`
      throw new AppError(authReasons.wallet_keys_exhausted, message)
    }
    stored = keys.find((key) => key.apiKey === apiKey)
  })
  if (!stored) throw new Error('a key that was just stored is not there')
  return { ...stored, ...issued }
}

/** Changes label, permission or both of a key of the wallet. Throws `key_unknown`, `key_input_invalid`. */
export async function changeWalletKey(
  sql: Sql,
  scope: WalletScope,
  apiKey: string,
  change: { readonly label?: string; readonly access?: Access },
): Promise<WalletKey> {
  if (change.label !== undefined) checkLabel(change.label)
  return await changeKeys(sql, audit(scope, 'api_key.update', apiKey, change), async (tx, revision) => {
    const changed = await replaceWalletKey(tx, scope, apiKey, change, revision)
    if (!changed) throw notOfWallet(scope, apiKey)
    return changed
  })
}

/** Ends a key of the wallet for good. Throws `key_unknown`. */
export async function endWalletKey(sql: Sql, scope: WalletScope, apiKey: string): Promise<void> {
  await changeKeys(sql, audit(scope, 'api_key.disable', apiKey, {}), async (tx, revision) => {
    const [key] = await findWalletKeys(tx, scope, apiKey)
    if (!key) throw notOfWallet(scope, apiKey)
    await markDisabled(tx, apiKey, revision)
  })
}

const actorOf = ({ wallet }: WalletScope): string => `wallet ${wallet}`

const audit = (
  scope: WalletScope,
  action: string,
  subject: string,
  detail: { readonly label?: string; readonly access?: Access },
): AuditEntry => ({ actor: actorOf(scope), action, subject, detail: { ...detail } })

/** The same for a key of another wallet as for none, so that nobody learns whose keys there are. */
const notOfWallet = ({ wallet }: WalletScope, apiKey: string): AppError =>
  new AppError(authReasons.key_unknown, `the wallet ${wallet} has no API key ${apiKey}`)
