import type { Wallet } from '@bourse/sdk/wallet'
import { createClient, custom, defineChain } from 'viem'
import { chainName, setup } from '../app-state.ts'
import { walletWords } from '../strings.ts'
import { connection } from './connection.ts'
import { knownContracts } from './contracts.ts'
import { guard } from './guard.ts'

const POLLING_MS = 500
const COIN = { name: 'Ether', symbol: 'ETH', decimals: 18 }

/** The connected wallet as viem sees it, behind the guard: what is signed through it is shown first. Throws when there is none. */
export function walletClient(): Wallet {
  const [wallet, venue] = [connection.value, setup.value]
  if (!wallet || !venue) throw new Error(walletWords.needWallet)
  const { chainId } = venue
  const name = chainName(venue)
  const provider = guard(wallet.wallet.provider, { chainId, chainName: name, contracts: knownContracts })
  const chain = defineChain({ id: chainId, name, nativeCurrency: COIN, rpcUrls: { default: { http: [] } } })
  // No retries: a wallet that was asked twice would send twice.
  const transport = custom({ request: provider.request }, { retryCount: 0 })
  // A client without its actions as methods: the client library calls those that it needs, and loads them then.
  return createClient({ account: wallet.address, chain, transport, pollingInterval: POLLING_MS })
}
