import { randomBytes } from 'node:crypto'
import type { Hex } from '../chain/types.ts'
import { type AuditEntry, insertAudit } from '../db/audit.ts'
import { inTransaction, type Sql, type Tx } from '../db/pool.ts'
import type { Access } from '../http/caller.ts'
import { normalizeIpRange } from '../http/ip-list.ts'
import { AppError } from '../lib/errors.ts'
import { isAddress } from '../lib/ids.ts'
import { authReasons } from './reasons.ts'
import { type MasterKeys, openSecret, sealSecret } from './secrets.ts'
import {
  allKeys,
  announceKeys,
  findKey,
  insertKey,
  insertScope,
  type KeyRow,
  markDisabled,
  nextRevision,
  replaceSecret,
} from './store.ts'

/** A key to be issued. */
export interface NewKey {
  readonly label: string
  readonly access: Access
  readonly chainId: number
  readonly productType: string
  /** Client addresses and CIDR ranges; an empty list admits nobody (seed 5A). */
  readonly ipWhitelist: readonly string[]
  /** The wallet the key acts for, or null. */
  readonly userAddress: string | null
  /** Null for a key that does not expire. */
  readonly expiresAt: Date | null
}

/** A key with its secret in the clear, which is shown once and kept nowhere. */
export interface IssuedKey {
  readonly apiKey: string
  readonly apiSecret: string
}

/** Everything about a key but its secret. */
export type KeyInfo = Omit<KeyRow, 'secretSealed' | 'revision'>

const ADDRESS_LIMIT = 100
const LABEL_LIMIT = 200

/**
 * Issues a key. Throws `key_input_invalid`, and what `alongside` throws; nothing is kept then. `actor` names who did it, for
 * the audit log.
 *
 * @param alongside what is checked and stored in the same transaction, while all other changes of keys wait
 */
export async function createKey(
  sql: Sql,
  masterKeys: MasterKeys,
  newKey: NewKey,
  actor: string,
  alongside: (tx: Tx, apiKey: string, revision: bigint) => Promise<void> = async () => {},
): Promise<IssuedKey> {
  const input = checkNewKey(newKey)
  const apiKey = randomBytes(16).toString('hex')
  const apiSecret = freshSecret()
  const { sealed, masterKeyVersion } = sealSecret(masterKeys, apiKey, apiSecret)
  const { label, access, chainId, productType, ipWhitelist, userAddress, expiresAt } = input
  const audit = {
    actor,
    action: 'api_key.create',
    subject: apiKey,
    detail: {
      label,
      access,
      chainId,
      productType,
      ipWhitelist,
      userAddress,
      expiresAt: expiresAt?.toISOString() ?? null,
    },
  }
  await changeKeys(sql, audit, async (tx, revision) => {
    const secret = { secretSealed: sealed, masterKeyVersion }
    await insertKey(tx, { apiKey, label, ...secret, expiresAt, ipWhitelist, userAddress, revision })
    await insertScope(tx, apiKey, { chainId, productType, access })
    await alongside(tx, apiKey, revision)
  })
  return { apiKey, apiSecret }
}

/** All keys, oldest change first, without secrets. */
export async function listKeys(sql: Sql): Promise<KeyInfo[]> {
  const rows = await allKeys(sql)
  return rows.map(({ secretSealed: _sealed, revision: _revision, ...info }) => info)
}

/** Disables a key for good. Disabling it again changes nothing. Throws `key_unknown`. */
export async function disableKey(sql: Sql, apiKey: string, actor: string): Promise<void> {
  await changeKeys(sql, { actor, action: 'api_key.disable', subject: apiKey, detail: {} }, async (tx, revision) => {
    if (!(await markDisabled(tx, apiKey, revision))) throw unknownKey(apiKey)
  })
}

/**
 * Gives a key a new secret; the old one stops working at once. Throws `key_unknown`, and `key_ended` where no secret of the key
 * lets anybody in.
 */
export async function rotateKey(sql: Sql, masterKeys: MasterKeys, apiKey: string, actor: string): Promise<IssuedKey> {
  const apiSecret = freshSecret()
  const secret = { ...sealSecret(masterKeys, apiKey, apiSecret), isNew: true }
  await changeKeys(sql, { actor, action: 'api_key.rotate', subject: apiKey, detail: {} }, async (tx, revision) => {
    requireLive(apiKey, await findKey(tx, apiKey))
    await replaceSecret(tx, apiKey, secret, revision)
  })
  return { apiKey, apiSecret }
}

/**
 * Encrypts every secret anew under the newest master key, after which older ones can be dropped from SECRETS_KEY. Answers
 * how many secrets were encrypted. The secrets themselves do not change.
 */
export async function reencryptKeys(sql: Sql, masterKeys: MasterKeys, actor: string): Promise<number> {
  const version = masterKeys.currentVersion
  const rows = await allKeys(sql)
  const outdated = rows.filter((row) => row.masterKeyVersion !== version)
  for (const row of outdated) {
    const audit = { actor, action: 'api_key.reencrypt', subject: row.apiKey, detail: { masterKeyVersion: version } }
    await changeKeys(sql, audit, async (tx, revision) => {
      // Read again under the lock: the key may have been rotated since.
      const current = await findKey(tx, row.apiKey)
      if (!current) throw unknownKey(row.apiKey)
      const { masterKeyVersion, secretSealed: sealed } = current
      const apiSecret = openSecret(masterKeys, row.apiKey, { masterKeyVersion, sealed })
      const secret = { ...sealSecret(masterKeys, row.apiKey, apiSecret), isNew: false }
      await replaceSecret(tx, row.apiKey, secret, revision)
    })
  }
  return outdated.length
}

/** One change of the keys: ordered among all others, audited, announced. */
export async function changeKeys<T>(
  sql: Sql,
  audit: AuditEntry,
  work: (tx: Tx, revision: bigint) => Promise<T>,
): Promise<T> {
  return await inTransaction(sql, async (tx) => {
    const result = await work(tx, await nextRevision(tx))
    await insertAudit(tx, audit)
    await announceKeys(tx)
    return result
  })
}

/** 256 random bits as hex text; the text's bytes are the HMAC key. */
const freshSecret = (): string => randomBytes(32).toString('hex')

/** Throws `key_input_invalid`. */
export function checkLabel(label: string): void {
  if (label.trim() === '' || label.length > LABEL_LIMIT) throw invalid(`label must have 1 to ${LABEL_LIMIT} characters`)
}

function checkNewKey(key: NewKey): NewKey & { readonly userAddress: Hex | null } {
  const { label, access, chainId, productType, userAddress, expiresAt } = key
  checkLabel(label)
  if (access !== 'READ_ONLY' && access !== 'WRITABLE') throw invalid('access must be READ_ONLY or WRITABLE')
  if (!Number.isSafeInteger(chainId) || chainId <= 0) throw invalid('chain id must be a positive integer')
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(productType)) throw invalid('product must be 1 to 64 letters, digits, _ or -')
  if (key.ipWhitelist.length > ADDRESS_LIMIT)
    throw invalid(`at most ${ADDRESS_LIMIT} addresses and ranges can be whitelisted`)
  if (userAddress !== null && !isAddress(userAddress)) {
    throw invalid(`user address must be 0x and 40 hex digits, got ${userAddress}`)
  }
  if (expiresAt !== null && !(expiresAt.getTime() > Date.now())) throw invalid('expiry must be a time in the future')
  const ipWhitelist = [...new Set(key.ipWhitelist.map(checkIp))]
  return { ...key, ipWhitelist, userAddress: (userAddress?.toLowerCase() as Hex | undefined) ?? null }
}

function checkIp(text: string): string {
  const range = normalizeIpRange(text)
  if (range !== null) return range
  throw invalid(
    `${JSON.stringify(text)} is neither an IP address nor a range such as 10.0.0.0/8, without bits beyond its prefix`,
  )
}

const invalid = (message: string): AppError => new AppError(authReasons.key_input_invalid, message)

/** Throws `key_unknown`, `key_ended`. */
function requireLive(apiKey: string, key: KeyRow | null): void {
  if (key === null) throw unknownKey(apiKey)
  const { state, expiresAt } = key
  const isExpired = expiresAt !== null && expiresAt.getTime() <= Date.now()
  if (state === 'active' && !isExpired) return
  const ended = state === 'active' ? `has expired at ${expiresAt?.toISOString()}` : 'is disabled, which is for good'
  throw new AppError(
    authReasons.key_ended,
    `the API key ${apiKey} ${ended}: no secret makes it work again, so make a new key (keys create)`,
  )
}

const unknownKey = (apiKey: string): AppError =>
  new AppError(authReasons.key_unknown, `no API key has the id ${apiKey}`)
