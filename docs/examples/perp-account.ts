import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createPublicClient, createWalletClient, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type Key, PerpClient } from './perp-client.ts'

// What a wallet signs once before a program may trade for it: a key, an approval, a deposit, One Click.

export interface VenueAddress {
  readonly baseUrl: string
  readonly rpcUrl: string
  readonly chainId: number
}

interface Built {
  readonly transaction: { readonly to: Hex; readonly data: Hex; readonly value: string; readonly gas: string }
}

const BRAND = 'Bourse'
const ONE_CLICK_SEC = 30 * 24 * 3600

/** A client of a wallet whose money is deposited and for which the venue may trade. */
export async function openAccount(venue: VenueAddress, privateKey: Hex, deposit: string): Promise<PerpClient> {
  const account = privateKeyToAccount(privateKey)
  const client = new PerpClient(venue.baseUrl, venue.chainId, await createKey(venue, account))
  const transport = http(venue.rpcUrl)
  const chain = createPublicClient({ transport, pollingInterval: 200 })
  const wallet = createWalletClient({ account, transport })

  /** Signs what the venue has built, has the venue send it, and waits until it is mined. */
  async function submit(path: string, { transaction }: Built): Promise<void> {
    const { to, data, value, gas } = transaction
    const request = await wallet.prepareTransactionRequest({
      ...{ to, data, value: BigInt(value), gas: BigInt(gas), chain: null },
    })
    const signedTransaction = await wallet.signTransaction({ ...request, chain: null } as never)
    const { txHash } = await client.post<{ txHash: Hex }>(path, { signedTransaction })
    const { status } = await chain.waitForTransactionReceipt({ hash: txHash })
    if (status !== 'success') throw new Error(`${txHash} reverted`)
  }

  await submit('approve/submit', await client.post<Built>('approve/prepare', { quote: 'USDC' }))
  const built = await client.post<Built>('account/deposit', { quote: 'USDC', amount: deposit, build: true })
  await submit('order/submit', built)

  const deadline = Math.floor(Date.now() / 1000) + ONE_CLICK_SEC
  const { signPayload } = await client.post<{ signPayload: never }>('1ct/prepare', { deadline })
  await client.post('1ct/enable', { signature: await account.signTypedData(signPayload), deadline })
  while ((await client.get<{ status: string }>('1ct/status')).status !== 'enable') await sleep(1000)
  return client
}

type Account = ReturnType<typeof privateKeyToAccount>

/** An API key that the wallet makes by its signature. */
async function createKey({ baseUrl, chainId }: VenueAddress, account: Account): Promise<Key> {
  const [address, nonce, timestamp] = [account.address.toLowerCase(), randomUUID(), Date.now()]
  const message = [
    `Chain ID: ${chainId}`,
    `Wallet Address: ${address}`,
    `Nonce: ${nonce}`,
    `Timestamp: ${timestamp}`,
    `Sign this message to authenticate with ${BRAND} API.`,
  ].join('\n')
  const signature = await account.signMessage({ message })
  const response = await fetch(`${baseUrl}/v4/public/trader/api-key/create`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ chainID: chainId, address, nonce, timestamp, signature, label: 'market maker' }),
  })
  const { code, msg, data } = (await response.json()) as { code: number; msg: string; data: Key }
  if (code !== 0) throw new Error(`no API key: ${msg}`)
  return data
}
