import type { Hex } from '../chain/types.ts'
import type { Sql } from '../db/pool.ts'
import { openProbe, type Probe } from '../db/probe.ts'
import type { Caller } from '../http/caller.ts'
import { type IpList, ipList } from '../http/ip-list.ts'
import { inTime } from '../lib/in-time.ts'
import type { Logger } from '../lib/logger.ts'
import { HmacSha256 } from './hmac.ts'
import { type MasterKeys, openSecret } from './secrets.ts'
import { BEFORE_ALL_KEYS, KEYS_CHANNEL, type KeyRow, type KeyScope, keysChangedSince } from './store.ts'

/** A key as requests are checked against it. */
export interface LiveKey {
  readonly apiKey: string
  readonly hmac: HmacSha256
  /** Tells the secret from those that the key had before. */
  readonly secretMadeAtMs: number
  readonly active: boolean
  readonly expiresAtMs: number | null
  readonly ipWhitelist: IpList
  readonly scopes: readonly KeyScope[]
  readonly userAddress: Hex | null
  /** The key whose records a session shares; null for a key that is no session. */
  readonly historyKey: string | null
}

export interface KeyDirectoryOptions {
  readonly sql: Sql
  readonly masterKeys: MasterKeys
  readonly log: Logger
  /** Monotonic milliseconds; a test may give its own. */
  readonly monotonicMs?: () => number
  readonly readLimitMs?: number
}

/** Keys are read again this often, even when no announcement comes. */
const POLL_MS = 400
/** No request is judged by keys read longer ago than this: a new key is known, and a disabled one ends, everywhere within it. */
export const MAX_AGE_MS = 900
/**
 * A read that takes longer is given up with its connection: a host that has vanished with its connections open says nothing for a
 * quarter of an hour, and another one may have its name already.
 */
const READ_LIMIT_MS = 10_000
/** A request waits this long for a database that does not answer. */
const PATIENCE_MS = 2000

/**
 * All API keys in memory, so that a request costs no query and an unknown key costs what a known one does. A change arrives
 * by LISTEN/NOTIFY, else by polling; when neither works, `fresh()` rejects and authentication with it.
 */
export class KeyDirectory {
  readonly #options: KeyDirectoryOptions
  readonly #now: () => number
  readonly #probe: Probe
  #keys = new Map<string, LiveKey>()
  #position = BEFORE_ALL_KEYS
  #readAtMs = Number.NEGATIVE_INFINITY
  #running: Promise<void> | null = null
  #next: Promise<void> | null = null
  #timer: NodeJS.Timeout | null = null
  #unlisten: (() => Promise<void>) | null = null
  #unopened = 0

  private constructor(options: KeyDirectoryOptions) {
    this.#options = options
    this.#now = options.monotonicMs ?? (() => performance.now())
    this.#probe = openProbe(options.sql, options.readLimitMs ?? READ_LIMIT_MS)
  }

  /** Reads all keys and follows their changes. Rejects when there are active keys and SECRETS_KEY opens none of them. */
  static async start(options: KeyDirectoryOptions): Promise<KeyDirectory> {
    const directory = new KeyDirectory(options)
    try {
      await directory.#readFirst()
    } catch (error) {
      await directory.close()
      throw error
    }
    const reread = () => void directory.refresh().catch((err) => options.log.warn({ err }, 'API keys cannot be read'))
    directory.#timer = setInterval(reread, POLL_MS)
    directory.#timer.unref()
    const { unlisten } = await options.sql.listen(KEYS_CHANNEL, reread, reread)
    directory.#unlisten = unlisten
    return directory
  }

  async #readFirst(): Promise<void> {
    await this.refresh()
    if (this.#keys.size > 0 || this.#unopened === 0) return
    throw new Error(
      `SECRETS_KEY opens none of the ${this.#unopened} stored API keys; it is not the one they were made with`,
    )
  }

  find(apiKey: string): LiveKey | undefined {
    return this.#keys.get(apiKey)
  }

  /** True while the key by which a caller has signed is active, has not expired and has the secret that it had then. */
  isLive({ keyId, sessionKey = keyId, secretMadeAtMs }: Caller, nowMs: number): boolean {
    const key = this.#keys.get(sessionKey)
    if (key?.active !== true || key.secretMadeAtMs !== secretMadeAtMs) return false
    return key.expiresAtMs === null || key.expiresAtMs > nowMs
  }

  /** Undefined when the keys are recent enough; else a promise of that, which rejects when the database does not answer. */
  fresh(): Promise<void> | undefined {
    return this.#now() - this.#readAtMs <= MAX_AGE_MS
      ? undefined
      : inTime(this.#running ?? this.refresh(), PATIENCE_MS, 'reading the API keys')
  }

  /**
   * Lets this process know at once of a change of keys that has just been stored. Never fails, and does not wait for long: whoever made a
   * key has a secret to tell, once, and what cannot be read now is read later.
   */
  async learn(): Promise<void> {
    await inTime(this.refresh(), PATIENCE_MS, 'reading the API keys').catch(() => {})
  }

  /** Reads what has changed. Resolves after a read that began after this call, so a change just made is seen. */
  refresh(): Promise<void> {
    if (!this.#running) {
      this.#running = this.#read().finally(() => {
        this.#running = null
      })
      return this.#running
    }
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = null
        return this.refresh()
      })
    return this.#next
  }

  async close(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer)
    // A connection that is gone no longer listens.
    await this.#unlisten?.().catch(() => {})
    await this.#running?.catch(() => {})
    await this.#probe.close()
  }

  async #read(): Promise<void> {
    const startedMs = this.#now()
    const { continues, rows, position } = await this.#probe.ask((sql) => keysChangedSince(sql, this.#position))
    if (!continues && this.#position !== BEFORE_ALL_KEYS) {
      this.#options.log.warn('the database has lost changes of API keys that were read from it: all keys are read anew')
    }
    const keys = continues ? this.#keys : new Map<string, LiveKey>()
    for (const row of rows) {
      const key = this.#open(row)
      if (key) keys.set(row.apiKey, key)
      else keys.delete(row.apiKey)
    }
    this.#keys = keys
    this.#position = position
    this.#readAtMs = startedMs
  }

  #open(row: KeyRow): LiveKey | null {
    try {
      const { masterKeyVersion, secretSealed: sealed } = row
      const secret = openSecret(this.#options.masterKeys, row.apiKey, { masterKeyVersion, sealed })
      return {
        apiKey: row.apiKey,
        hmac: new HmacSha256(secret),
        secretMadeAtMs: row.secretMadeAt.getTime(),
        active: row.state === 'active',
        expiresAtMs: row.expiresAt?.getTime() ?? null,
        ipWhitelist: ipList(row.ipWhitelist),
        scopes: row.scopes,
        userAddress: row.userAddress,
        historyKey: row.historyKey,
      }
    } catch (err) {
      this.#unopened++
      this.#options.log.error({ err, apiKey: row.apiKey }, 'SECRETS_KEY does not open this API key; it cannot be used')
      return null
    }
  }
}
