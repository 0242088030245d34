import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ClientOptions,
  createClient,
  deposit,
  enableOneClick,
  getOneClick,
  prepareApproval,
  prepareOneClick,
} from '@bourse/sdk/perp'
import { createPerpKey, sendBuilt, signOneClick, waitMined } from '@bourse/sdk/wallet'
import { createWalletClient, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

// What a wallet signs once before a program may trade for it: a key, an approval, a deposit, One Click.

export interface VenueAddress {
  readonly baseUrl: string
  readonly rpcUrl: string
  readonly chainId: number
  /** The contracts that the wallet may call: the quote token and Gate. */
  readonly allowed: readonly Hex[]
}

export type PerpClient = ReturnType<typeof createClient>

const QUOTE = 'USDC'
const ONE_CLICK_SEC = 30 * 24 * 3600

/** A client of a wallet whose money is deposited and for which the venue may trade. */
export async function openAccount(
  { baseUrl, rpcUrl, chainId, allowed }: VenueAddress,
  privateKey: Hex,
  amount: string,
  options: Partial<ClientOptions> = {},
): Promise<PerpClient> {
  const account = privateKeyToAccount(privateKey)
  const wallet = createWalletClient({ account, transport: http(rpcUrl), pollingInterval: 200 })
  const open = createClient({ baseUrl, chainId, ...options })
  const client = open.with({ signer: await createPerpKey(open, wallet, { label: 'market maker' }) })

  const approval = await prepareApproval(client, { quote: QUOTE })
  await waitMined(wallet, await sendBuilt(wallet, approval, { allowed }))
  const built = await deposit(client, { quote: QUOTE, amount, build: true })
  await waitMined(wallet, await sendBuilt(wallet, built as Parameters<typeof sendBuilt>[1], { allowed }))

  const deadline = Math.floor(client.now() / 1000) + ONE_CLICK_SEC
  await enableOneClick(client, await signOneClick(wallet, await prepareOneClick(client, { deadline })))
  while ((await getOneClick(client)).status !== 'enable') await sleep(1000)
  return client
}
