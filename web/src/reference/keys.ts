// Keys that the reference signs with, of each product: for as long as the page is open, and where no script can read them.
import { importKey, type Signer } from '@bourse/sdk/stock'
import { signal } from '@preact/signals'
import type { Setup } from '../app-state.ts'
import { readKey, type StoredKey, writeKey } from '../session/key-store.ts'
import { developmentWallet } from '../wallet/development.ts'
import type { ProductName } from './samples.ts'
import { clientOf } from './sign.ts'
import { words } from './strings.ts'

export const keys = signal<Readonly<Partial<Record<ProductName, Signer>>>>({})

/** Signs with a key of the reader's; its secret is not kept as text. */
export async function takeKey(product: ProductName, apiKey: string, secret: string): Promise<void> {
  const key = await importKey(secret)
  keys.value = { ...keys.value, [product]: { apiKey, key } }
}

/** Signs with the sessions of the first account of the development chain: those of this browser, else new ones. */
export async function takeDevelopmentKeys(setup: Setup): Promise<void> {
  if (!setup.devRpc) throw new Error(words.noDevelopment)
  const { provider } = developmentWallet(setup.devRpc, setup.chainId, words.development)
  const [account] = (await provider.request({ method: 'eth_requestAccounts' })) as [`0x${string}`]
  const { createClient, custom } = await import('viem')
  const wallet = createClient({ account, transport: custom({ request: provider.request }, { retryCount: 0 }) })
  const { createPerpKey, signIn } = await import('@bourse/sdk/wallet')
  const make = {
    async stock() {
      const { signer, expiresAt } = await signIn(clientOf(setup, 'stock'), wallet)
      return { ...signer, expiresAt: expiresAt * 1000 }
    },
    async perp() {
      const brand = setup.perp?.brand
      return await createPerpKey(clientOf(setup, 'perp'), wallet, {
        label: words.keyLabel,
        permissions: ['read', 'trade'],
        ...(brand ? { brand } : {}),
      })
    },
  }
  for (const product of ['stock', 'perp'] as const) {
    if (setup[product] === null) continue
    const { apiKey, key } = await kept(`${product}:${setup.chainId}:${account.toLowerCase()}`, make[product])
    keys.value = { ...keys.value, [product]: { apiKey, key } }
  }
}

/** The session that this browser has under a name, which the app shares, else a new one. */
async function kept(name: string, make: () => Promise<StoredKey>): Promise<StoredKey> {
  const stored = await readKey(name)
  if (stored && (stored.expiresAt === null || stored.expiresAt > Date.now())) return stored
  const made = await make()
  await writeKey(name, made)
  return made
}
