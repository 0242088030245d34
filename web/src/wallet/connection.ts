// Which wallets there are (EIP-6963), which of them is connected, with which account and on which chain.
import { computed, signal } from '@preact/signals'
import { setup } from '../app-state.ts'
import { walletWords } from '../strings.ts'
import { type AnnouncedWallet, type Provider, ProviderError } from './eip1193.ts'

export type Address = `0x${string}`

export interface Connection {
  readonly wallet: AnnouncedWallet
  readonly address: Address
  /** All accounts that the wallet has opened to this page. */
  readonly accounts: readonly Address[]
}

const REMEMBERED = 'wallet'
const UNRECOGNISED_CHAIN = 4902

export const wallets = signal<readonly AnnouncedWallet[]>([])
export const connection = signal<Connection | null>(null)
/** The chain that the connected wallet is on. */
export const walletChainId = signal<number | null>(null)
export const address = computed(() => connection.value?.address ?? null)

/** Whether what is signed now would be for another chain than the venue's. */
export const onWrongChain = computed(
  () => walletChainId.value !== null && setup.value !== null && walletChainId.value !== setup.value.chainId,
)

let stopListening = () => {}

/** Collects the wallets that announce themselves, and connects the one of last time if it still allows it. */
export function watchWallets(): void {
  window.addEventListener('eip6963:announceProvider', (event) => {
    const wallet = (event as CustomEvent<AnnouncedWallet>).detail
    if (!wallet?.info?.uuid || wallets.value.some(({ info }) => info.uuid === wallet.info.uuid)) return
    wallets.value = [...wallets.value, wallet]
    void reconnect(wallet)
  })
  window.dispatchEvent(new Event('eip6963:requestProvider'))
}

/** Grows with each connection that the user asks for. */
let asked = 0

/** Nothing that the user has asked for meanwhile is replaced by it, however late the wallet answers. */
async function reconnect(wallet: AnnouncedWallet): Promise<void> {
  const before = asked
  const isDue = () => asked === before && connection.value === null
  const remembered = localStorage.getItem(REMEMBERED)?.split(' ') ?? []
  if (remembered[0] !== wallet.info.rdns || !isDue()) return
  const accounts = await wallet.provider.request({ method: 'eth_accounts' }).catch(() => [])
  await take(wallet, accounts, isDue, remembered[1])
}

/** Asks the wallet for its accounts. Throws what the wallet answers, a rejection too. What is asked for last is connected. */
export async function connect(wallet: AnnouncedWallet): Promise<void> {
  asked += 1
  const own = asked
  await take(wallet, await wallet.provider.request({ method: 'eth_requestAccounts' }), () => asked === own)
}

/** `isDue` tells whether it is still wanted: a wallet may take its time for each answer. */
async function take(wallet: AnnouncedWallet, answer: unknown, isDue: () => boolean, preferred?: string): Promise<void> {
  const accounts = accountsOf(answer)
  const account = accounts.find((one) => one === preferred) ?? accounts[0]
  if (!account || !isDue()) return
  const chainId = Number(await wallet.provider.request({ method: 'eth_chainId' }))
  if (!isDue()) return
  walletChainId.value = chainId
  connection.value = { wallet, address: account, accounts }
  remember()
  listen(wallet.provider)
}

const accountsOf = (answer: unknown): readonly Address[] =>
  Array.isArray(answer) ? answer.map((one) => String(one).toLowerCase() as Address) : []

/** Another of the accounts that the wallet has opened to this page. */
export function switchAccount(account: Address): void {
  const current = connection.value
  if (!current?.accounts.includes(account)) return
  connection.value = { ...current, address: account }
  remember()
}

export function disconnect(): void {
  stopListening()
  connection.value = null
  walletChainId.value = null
  localStorage.removeItem(REMEMBERED)
}

function remember(): void {
  const current = connection.value
  if (current) localStorage.setItem(REMEMBERED, `${current.wallet.info.rdns} ${current.address}`)
}

function listen(provider: Provider): void {
  stopListening()
  const onAccounts = (answer: unknown) => {
    const current = connection.value
    const accounts = accountsOf(answer)
    const [first] = accounts
    if (!current || !first) return disconnect()
    connection.value = { ...current, accounts, address: first }
    remember()
  }
  const onChain = (id: unknown) => {
    walletChainId.value = Number(id)
  }
  provider.on?.('accountsChanged', onAccounts)
  provider.on?.('chainChanged', onChain)
  stopListening = () => {
    provider.removeListener?.('accountsChanged', onAccounts)
    provider.removeListener?.('chainChanged', onChain)
    stopListening = () => {}
  }
}

/** Asks the wallet to go to the venue's chain. Throws with the reason if it does not. */
export async function switchToVenue(): Promise<void> {
  const provider = connection.value?.wallet.provider
  const venue = setup.value
  if (!provider || !venue) return
  const chainId = `0x${venue.chainId.toString(16)}`
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
  } catch (error) {
    // A wallet that has never heard of the chain is told where to look; the venue has no public node to offer.
    if ((error as { code?: unknown }).code !== UNRECOGNISED_CHAIN) throw error
    throw new ProviderError(UNRECOGNISED_CHAIN, walletWords.addChain(venue.chainId))
  }
  walletChainId.value = Number(await provider.request({ method: 'eth_chainId' }))
}
