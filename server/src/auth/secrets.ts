import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16

/** The keys that API secrets are encrypted under. The highest version encrypts, every version decrypts. */
export interface MasterKeys {
  readonly currentVersion: number
  readonly byVersion: ReadonlyMap<number, Buffer>
}

/** An API secret as it is stored. */
export interface SealedSecret {
  readonly masterKeyVersion: number
  /** Initialisation vector, tag and ciphertext, in this order. */
  readonly sealed: Buffer
}

/**
 * Reads SECRETS_KEY: 32 bytes in hex or base64, or several as `2:<bytes>,1:<bytes>` while the master key is being
 * rotated. A text without a version is version 1. Throws with what is wrong, never with the text itself.
 */
export function parseMasterKeys(text: string): MasterKeys {
  const byVersion = new Map<number, Buffer>()
  for (const entry of text.split(',')) {
    const [, version = '1', encoded = ''] = /^\s*(?:(\d{1,6}):)?(\S*)\s*$/.exec(entry) ?? []
    const key = /^[0-9a-fA-F]{64}$/.test(encoded) ? Buffer.from(encoded, 'hex') : Buffer.from(encoded, 'base64')
    if (key.length !== KEY_BYTES) {
      throw new Error('SECRETS_KEY must be 32 bytes in hex or base64; make one with: openssl rand -hex 32')
    }
    if (byVersion.has(Number(version))) throw new Error(`SECRETS_KEY holds version ${version} twice`)
    byVersion.set(Number(version), key)
  }
  return { currentVersion: Math.max(...byVersion.keys()), byVersion }
}

/** Encrypts an API secret (AES-256-GCM) so that it opens only for this key id and master-key version. */
export function sealSecret(keys: MasterKeys, apiKey: string, secret: string): SealedSecret {
  const masterKeyVersion = keys.currentVersion
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', masterKey(keys, masterKeyVersion), iv)
  cipher.setAAD(associatedData(apiKey, masterKeyVersion))
  const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return { masterKeyVersion, sealed: Buffer.concat([iv, cipher.getAuthTag(), ciphertext]) }
}

/** Decrypts an API secret; throws when the master key is missing or wrong, or the bytes belong to another key id. */
export function openSecret(keys: MasterKeys, apiKey: string, secret: SealedSecret): string {
  const iv = secret.sealed.subarray(0, IV_BYTES)
  const tag = secret.sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', masterKey(keys, secret.masterKeyVersion), iv, {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(associatedData(apiKey, secret.masterKeyVersion)).setAuthTag(tag)
  const ciphertext = secret.sealed.subarray(IV_BYTES + TAG_BYTES)
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8')
}

function masterKey(keys: MasterKeys, version: number): Buffer {
  const key = keys.byVersion.get(version)
  if (!key) throw new Error(`SECRETS_KEY does not hold version ${version}`)
  return key
}

const associatedData = (apiKey: string, version: number): Buffer => Buffer.from(`api-key:${version}:${apiKey}`, 'utf8')
