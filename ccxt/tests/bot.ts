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
import * as stocks from '../../sdk/src/stock/index.ts'
import { approve } from '../../sdk/src/wallet/approval.ts'
import { perpKeyMessage } from '../../sdk/src/wallet/perp-key.ts'
import { type Hex, sendBuilt, signOneClick, waitMined } from '../../sdk/src/wallet/wallet.ts'
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
  await approve(wallet, { chainId, token: USDC, spender: Gate, amount: 20_000_000_000n })
  const built = await deposit(client, { quote: 'USDC', amount: '20000', build: true })
  await waitMined(wallet, await sendBuilt(wallet, built as never, { allowed: [Gate] }))
  await enableOneClick(client, await signOneClick(wallet, await prepareOneClick(client, { deadline: FAR_FUTURE })))
  await eventually(
    () => getOneClick(client),
    ({ status }) => status === 'enable',
  )
  return { apiKey, secret: apiSecret }
}

/** The wallet of the venue's own writable key with cash at the venue and One Click enabled. */
export async function stockBot({ dev }: EmbeddedProcess): Promise<BotKey & { readonly walletAddress: string }> {
  const [{ apiKey, apiSecret: secret } = { apiKey: '', apiSecret: '' }] = dev.stock.keys
  const account = privateKeyToAccount(dev.accounts[0]?.privateKey as Hex)
  const wallet = createWalletClient({ account, transport: http(dev.chain.rpcUrl), pollingInterval: 100 })
  const { baseUrl } = dev.stock
  const client = stocks.createClient({ baseUrl, chainId: CHAIN_ID, productType: 'Bourse', signer: { apiKey, secret } })

  const { StockRouter: router = '', USDC: token = '' } = dev.contracts
  await approve(wallet, { chainId: CHAIN_ID, token, spender: router, amount: 1_000_000_000n })
  const money = { userAddress: account.address, tokenAddress: token, tokenAmount: '1000' }
  const txHash = await sendBuilt(wallet, await stocks.buildCashDeposit(client, money), { allowed: [router] })
  await waitMined(wallet, txHash)
  const consent = await stocks.prepareOneClick(client, { deadline: FAR_FUTURE })
  await stocks.enableOneClick(client, await signOneClick(wallet, consent))
  await eventually(
    () => stocks.getOneClick(client),
    ({ status }) => status === 'enable',
  )
  return { apiKey, secret, walletAddress: account.address }
}
