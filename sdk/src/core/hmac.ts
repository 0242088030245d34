/** A key of WebCrypto, whichever declarations of the platform there are. */
export type SigningKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

/** An API key with its secret, as text or as a key that no script can read. */
export type Signer =
  | { readonly apiKey: string; readonly key: SigningKey }
  | { readonly apiKey: string; readonly secret: string }

const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' }
const utf8 = new TextEncoder()

/** The secret as a key that signs and cannot be read again; it can be kept in IndexedDB. */
export const importKey = (secret: string): Promise<SigningKey> =>
  crypto.subtle.importKey('raw', utf8.encode(secret), ALGORITHM, false, ['sign'])

const imported = new WeakMap<Signer, Promise<SigningKey>>()

/** HMAC-SHA-256 of a text under the signer's secret. */
export async function hmac(signer: Signer, text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign('HMAC', await keyOf(signer), utf8.encode(text)))
}

function keyOf(signer: Signer): SigningKey | Promise<SigningKey> {
  if ('key' in signer) return signer.key
  const known = imported.get(signer) ?? importKey(signer.secret)
  imported.set(signer, known)
  return known
}

export const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')

export const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
