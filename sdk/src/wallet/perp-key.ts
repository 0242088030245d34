import type { Client } from '../core/client.ts'
import { importKey, type SigningKey } from '../core/hmac.ts'
import { createApiKey } from '../perp/operations.ts'
import { addressOf, type MessageSigner, signText } from './wallet.ts'

export interface PerpKeyOptions {
  /** A name for people. */
  readonly label?: string
  readonly permissions?: readonly ('read' | 'trade')[]
  /** The venue's name in the text that is signed. */
  readonly brand?: string
}

/** A signer, whose key ends at a Unix time in milliseconds; null when it does not. */
export interface PerpKey {
  readonly apiKey: string
  readonly key: SigningKey
  readonly expiresAt: number | null
}

/** Makes an API key of the perpetual API by one signature. Its secret is not kept as text: the signer's key cannot be read. */
export async function createPerpKey(
  client: Client<'perp'>,
  wallet: MessageSigner,
  { label, permissions, brand = 'Bourse' }: PerpKeyOptions = {},
): Promise<PerpKey> {
  const { chainId } = client.options
  const address = addressOf(wallet)
  const [nonce, timestamp] = [crypto.randomUUID(), Math.round(client.now())]
  const text = perpKeyMessage({ chainId, address, nonce, timestamp, brand })
  const {
    apiKey,
    apiSecret,
    expiresAt = null,
  } = await createApiKey(client, {
    chainID: chainId,
    address,
    nonce,
    timestamp,
    signature: await signText(wallet, text),
    ...(label === undefined ? {} : { label }),
    ...(permissions === undefined ? {} : { permissions }),
  })
  return { apiKey, key: await importKey(apiSecret), expiresAt }
}

interface PerpKeyMessage {
  readonly chainId: number
  readonly address: string
  readonly nonce: string
  readonly timestamp: number
  readonly brand: string
}

/** The text that a wallet signs for an API key, exactly. */
export const perpKeyMessage = ({ chainId, address, nonce, timestamp, brand }: PerpKeyMessage): string =>
  [
    `Chain ID: ${chainId}`,
    `Wallet Address: ${address.toLowerCase()}`,
    `Nonce: ${nonce}`,
    `Timestamp: ${timestamp}`,
    `Sign this message to authenticate with ${brand} API.`,
  ].join('\n')
