import type { LocalAccount, PrivateKeyAccount } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type ChainProfile, chainProfile } from '../../chain/profiles.ts'
import { runSigners } from '../../chain/send/relayer.ts'
import { signersFor } from '../../chain/send/status.ts'
import type { Hex } from '../../chain/types.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { SUBMIT_PURPOSE } from '../../delegation/submission.ts'
import { sleep } from '../../lib/clock.ts'
import { createLogger } from '../../lib/logger.ts'
import { CHAIN_ID, PerpChain } from './chain.ts'
import { keyOf, type PerpAnswer, type PerpApi, servePerp, signed, type TestKey, testMasterKeys } from './key-api.ts'

// The perpetual product on its contracts, with an api process and the relayer that submits for users.

const FAR_FUTURE = 4_000_000_000

export interface AccessVenue {
  readonly chain: PerpChain
  readonly database: TestDatabase
  readonly api: PerpApi
  /** A user of the development chain with a key of its own. */
  user(index: number): Promise<KeyedUser>
  stop(): Promise<void>
}

/** `settings` take the place of the chain's own, which the relayer goes by. */
export async function startAccessVenue(settings: Partial<ChainProfile> = {}): Promise<AccessVenue> {
  const [chain, database] = await Promise.all([PerpChain.start(), testDatabase()])
  const { sql } = database
  const { rpc, deployment } = chain
  const api = await servePerp({ sql, rpc, contracts: deployment.contracts }, testMasterKeys())
  const relayer = new AbortController()
  const relaying = runSigners({
    sql,
    rpc,
    profile: { ...chainProfile(CHAIN_ID), ...settings },
    signers: chain.accounts.submit.map(({ privateKey }) => ({ purpose: SUBMIT_PURPOSE, privateKey })),
    signal: relayer.signal,
    log: createLogger('silent'),
  })
  relaying.catch(() => {})
  // Nothing is sent for a user before a signer has reported.
  while ((await signersFor(sql, CHAIN_ID, SUBMIT_PURPOSE)).length === 0) await sleep(20)
  return {
    chain,
    database,
    api,
    user: (index) => KeyedUser.open(chain, api, index),
    async stop() {
      await api.close()
      relayer.abort()
      await relaying
      await database.drop()
      await chain.stop()
    },
  }
}

/** Whether an answer names a block of the chain, with its time. */
export async function namesBlock({ rpc }: PerpChain, { blockInfo }: PerpAnswer): Promise<boolean> {
  if (!blockInfo) return false
  const height = `0x${blockInfo.height.toString(16)}`
  const block = await rpc.call<{ timestamp: Hex } | null>('eth_getBlockByNumber', [height, false])
  return Number(block?.timestamp) === blockInfo.timestamp
}

/** A transaction as the API builds it, without what the wallet adds. */
interface Unsigned {
  readonly chainId: number
  readonly to: Hex
  readonly value: string
  readonly data: Hex
  readonly gas: string
}

/** A wallet and its API key. */
export class KeyedUser {
  readonly account: PrivateKeyAccount
  readonly key: TestKey
  readonly #chain: PerpChain
  readonly #api: PerpApi

  private constructor(chain: PerpChain, api: PerpApi, account: PrivateKeyAccount, key: TestKey) {
    this.#chain = chain
    this.#api = api
    this.account = account
    this.key = key
  }

  static async open(chain: PerpChain, api: PerpApi, index: number): Promise<KeyedUser> {
    const privateKey = chain.accounts.users[index]?.privateKey
    if (!privateKey) throw new Error(`there is no account ${index}`)
    const account = privateKeyToAccount(privateKey)
    return new KeyedUser(chain, api, account, await keyOf(api, account))
  }

  get address(): Hex {
    return this.account.address.toLowerCase() as Hex
  }

  get(path: string): Promise<PerpAnswer> {
    return signed(this.#api, this.key, 'GET', path)
  }

  post(path: string, body: Readonly<Record<string, unknown>> = {}, headers: Readonly<Record<string, string>> = {}) {
    return signed(this.#api, this.key, 'POST', path, body, headers)
  }

  /** Signs what the API built, with the wallet's next nonce. */
  async sign(
    { chainId, to, value, data, gas }: Unsigned,
    by: LocalAccount = this.account,
    over: { readonly chainId?: number; readonly nonce?: number } = {},
  ): Promise<Hex> {
    const count = await this.#chain.rpc.call<Hex>('eth_getTransactionCount', [by.address, 'pending'])
    const fields = { to, data, value: BigInt(value), gas: BigInt(gas) }
    const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n }
    return by.signTransaction({ type: 'eip1559', chainId, nonce: Number(count), ...fields, ...fees, ...over })
  }

  /** Waits until a transaction is mined. */
  async mined(hash: Hex): Promise<'success' | 'reverted'> {
    for (;;) {
      const receipt = await this.#chain.rpc.call<{ status: Hex } | null>('eth_getTransactionReceipt', [hash])
      if (receipt) return receipt.status === '0x1' ? 'success' : 'reverted'
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  /** The payload of 1ct/prepare, signed; by another account where one is given. */
  async consent(deadline = FAR_FUTURE, by: LocalAccount = this.account) {
    const { data } = await this.post('1ct/prepare', { deadline })
    return { signature: await by.signTypedData(data.signPayload), deadline }
  }

  async enable(): Promise<void> {
    const { status, msg } = await this.post('1ct/enable', await this.consent())
    if (status !== 200) throw new Error(msg)
    // A slow relayer has not signed it when the answer comes.
    while ((await this.get('1ct/status')).data.status !== 'enable') await sleep(200)
  }
}
