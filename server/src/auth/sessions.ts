import { type AuditEntry, insertAudit } from '../db/audit.ts'
import type { Sql } from '../db/pool.ts'
import { AppError } from '../lib/errors.ts'
import { changeKeys, createKey, type IssuedKey } from './keys.ts'
import { authReasons } from './reasons.ts'
import type { MasterKeys } from './secrets.ts'
import { findSessions, joinHistory, type Session } from './session-store.ts'
import { markDisabled } from './store.ts'
import { spendNonce, type WalletScope } from './wallet-key-store.ts'

// Sessions: API keys that a wallet's signature opens for one address and a short time. All of a wallet's share one history.

/** What a wallet shows its user before it signs for a session. */
export const SESSION_STATEMENT = 'Open a session that may trade for this wallet until it expires.'

/**
 * Every key is held in the memory of every process, and one wallet must not fill it. Who signs in has lost sessions perhaps that only
 * another one could end, such as those of addresses that he no longer has: the oldest makes room.
 */
export const SESSIONS_OF_WALLET = 20

/** What a wallet has signed for, and where from. */
export interface SessionRequest {
  /** As it stands in the message that the wallet signed. */
  readonly nonce: string
  readonly expiresAt: Date
  readonly addresses: readonly string[]
}

/**
 * Opens a session of the wallet that signed for it, spends the signed nonce and ends the wallet's oldest session where there would be
 * more than `SESSIONS_OF_WALLET`, in one transaction. Throws `wallet_nonce_used`; nothing is stored, spent or ended then.
 */
export async function openSession(
  sql: Sql,
  masterKeys: MasterKeys,
  scope: WalletScope,
  { nonce, expiresAt, addresses }: SessionRequest,
): Promise<IssuedKey & Session> {
  const { chainId, productType, wallet } = scope
  const newKey = {
    label: 'session',
    access: 'WRITABLE',
    chainId,
    productType,
    ipWhitelist: addresses,
    userAddress: wallet,
    expiresAt,
  } as const
  let stored: Session | undefined
  const issued = await createKey(sql, masterKeys, newKey, `wallet ${wallet}`, async (tx, apiKey, revision) => {
    if (!(await spendNonce(tx, scope, nonce, apiKey))) {
      throw new AppError(authReasons.wallet_nonce_used, `the wallet ${wallet} has used the nonce ${nonce} before`)
    }
    await joinHistory(tx, scope, apiKey)
    const sessions = await findSessions(tx, scope)
    stored = sessions.find((session) => session.apiKey === apiKey)
    const others = sessions.filter((session) => session !== stored)
    for (const { apiKey: oldest } of others.slice(0, Math.max(0, sessions.length - SESSIONS_OF_WALLET))) {
      await markDisabled(tx, oldest, revision)
      await insertAudit(tx, endOf(scope, oldest))
    }
  })
  if (!stored) throw new Error('a session that was just stored is not there')
  return { ...stored, ...issued }
}

/** Ends a session of the wallet for good. Throws `session_unknown`, the same for one of another wallet as for none. */
export async function endSession(sql: Sql, scope: WalletScope, apiKey: string): Promise<void> {
  await changeKeys(sql, endOf(scope, apiKey), async (tx, revision) => {
    const [session] = await findSessions(tx, scope, apiKey)
    if (!session) {
      const message = `the wallet ${scope.wallet} has no session ${apiKey}; GET /api/v1/sessions lists them`
      throw new AppError(authReasons.session_unknown, message)
    }
    await markDisabled(tx, apiKey, revision)
  })
}

const endOf = ({ wallet }: WalletScope, apiKey: string): AuditEntry => ({
  actor: `wallet ${wallet}`,
  action: 'api_key.disable',
  subject: apiKey,
  detail: {},
})
