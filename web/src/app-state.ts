// What the app knows of its venue, once for all screens.
import { signal } from '@preact/signals'
import { explain } from './lib/explain.ts'
import { failureWords, walletWords } from './strings.ts'
import { announce, developmentWallet } from './wallet/development.ts'

/** /app-config.json: where the venue is and which contracts the app may call. */
export interface Setup {
  readonly chainId: number
  /** Runs on a development chain of its own. */
  readonly embedded: boolean
  /** The development wallet's node; null where there is none. */
  readonly devRpc: string | null
  readonly explorerUrl: string | null
  /** Contracts by name. */
  readonly contracts: Readonly<Record<string, `0x${string}`>>
  readonly stock: {
    readonly prefix: string
    readonly product: string
    readonly router: `0x${string}`
    /** Sentences of what a wallet's own transactions may revert with, by the first four bytes. */
    readonly reverts: Readonly<Record<string, string>>
  } | null
  readonly perp: { readonly prefix: string; readonly brand: string } | null
}

export const setup = signal<Setup | null>(null)
export const setupError = signal<string | null>(null)

export async function loadSetup(): Promise<void> {
  try {
    const response = await fetch('/app-config.json')
    if (!response.ok) throw new Error(`${failureWords.setup} /app-config.json: HTTP ${response.status}`)
    const loaded = (await response.json()) as Setup
    setup.value = loaded
    setupError.value = null
    if (loaded.devRpc) announce(developmentWallet(loaded.devRpc, loaded.chainId, walletWords.developmentWallet))
  } catch (error) {
    setupError.value = explain(error)
  }
}

/** What people call the venue's chain. */
export const chainName = (venue: Setup): string =>
  venue.embedded ? walletWords.developmentChain : walletWords.chainNumber(venue.chainId)
