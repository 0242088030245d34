import type { Client } from '../core/client.ts'
import { importKey, type SigningKey } from '../core/hmac.ts'
import { openSession } from '../stock/operations.ts'
import { addressOf, type MessageSigner, signText } from './wallet.ts'

export interface SignInOptions {
  /** Host and origin of the page, which the wallet shows; the venue's own, where there is no page. */
  readonly domain?: string
  readonly uri?: string
  /** The venue's sentence, exactly; `/app-config.json` has it. */
  readonly statement?: string
  /** How long the session is to last; the venue may end it earlier. */
  readonly seconds?: number
}

/** An open session: a signer that acts for the wallet until `expiresAt`, Unix seconds. */
export interface Session {
  readonly signer: { readonly apiKey: string; readonly key: SigningKey }
  readonly userAddress: string
  readonly expiresAt: number
}

const STATEMENT = 'Open a session that may trade for this wallet until it expires.'
const DAY_SEC = 86_400

/** Opens a session of the stock API by one signature (EIP-4361). Its secret is not kept as text: the signer's key cannot be read. */
export async function signIn(
  client: Client<'stock'>,
  wallet: MessageSigner,
  options: SignInOptions = {},
): Promise<Session> {
  const message = await signInMessage(client, wallet, options)
  const opened = await openSession(client, { message, signature: await signText(wallet, message) })
  const { apiKey, apiSecret, userAddress, expiresAt } = opened
  return { signer: { apiKey, key: await importKey(apiSecret) }, userAddress, expiresAt }
}

async function signInMessage(client: Client<'stock'>, wallet: MessageSigner, options: SignInOptions): Promise<string> {
  const { createSiweMessage, getAddress } = await import('./viem.ts')
  const page = globalThis as { readonly location?: { readonly href: string } }
  const { host, origin } = new URL(client.options.baseUrl, page.location?.href)
  const nowMs = client.now()
  return createSiweMessage({
    domain: options.domain ?? host,
    address: getAddress(addressOf(wallet)),
    statement: options.statement ?? STATEMENT,
    uri: options.uri ?? origin,
    version: '1',
    chainId: client.options.chainId,
    nonce: crypto.randomUUID().replaceAll('-', ''),
    issuedAt: new Date(nowMs),
    expirationTime: new Date(nowMs + (options.seconds ?? DAY_SEC) * 1000),
  })
}
