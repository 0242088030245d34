import { createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import {
  createApiKey,
  createClient,
  deposit,
  enableOneClick,
  getOneClick,
  prepareOneClick,
} from '../../sdk/src/perp/index.ts'
import { perpKeyMessage } from '../../sdk/src/wallet/perp-key.ts'
import { approve, type Hex, sendBuilt, signOneClick, waitMined } from '../../sdk/src/wallet/wallet.ts'
import { eventually } from '../../server/e2e/client.ts'
import type { EmbeddedProcess } from '../../server/e2e/venue.ts'

const FAR_FUTURE = 4_000_000_000
export const CHAIN_ID = 31_337

/** Where the perpetual API of a venue is. */
export const perpUrl = ({ dev }: EmbeddedProcess): string => new URL(dev.stock.baseUrl).origin

export interface BotKey {
  readonly apiKey: string
  readonly secret: string
}

/** A wallet of the venue with margin at Gate and One Click enabled, and an API key of it: what a bot is given. */
export async function perpBot(venue: EmbeddedProcess, index: number): Promise<BotKey> {
  const { dev } = venue
  const chainId = CHAIN_ID
  const account = privateKeyToAccount(dev.accounts[index]?.privateKey as Hex)
  const wallet = createWalletClient({ account, transport: http(dev.chain.rpcUrl), pollingInterval: 100 })
  const market = createClient({ baseUrl: perpUrl(venue), chainId })
  const [nonce, timestamp] = [crypto.randomUUID(), Date.now()]
  const text = perpKeyMessage({ chainId, address: account.address, nonce, timestamp, brand: 'Bourse' })
  const signature = await account.signMessage({ message: text })
  const { apiKey, apiSecret } = await createApiKey(market, {
    chainID: chainId,
    address: account.address,
    nonce,
    timestamp,
    signature,
  })
  const client = market.with({ signer: { apiKey, secret: apiSecret } })

  const { Gate = '', USDC = '' } = dev.contracts
  await approve(wallet, { token: USDC, spender: Gate, amount: 20_000_000_000n })
  const built = await deposit(client, { quote: 'USDC', amount: '20000', build: true })
  await waitMined(wallet, await sendBuilt(wallet, built as never, { allowed: [Gate] }))
  await enableOneClick(client, await signOneClick(wallet, await prepareOneClick(client, { deadline: FAR_FUTURE })))
  await eventually(
    () => getOneClick(client),
    ({ status }) => status === 'enable',
  )
  return { apiKey, secret: apiSecret }
}
