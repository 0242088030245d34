import { maxUint256 } from 'viem'
import { expect } from 'vitest'
import type { Hex } from '../../chain/types.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { type PerpApi, servePerp } from './api.ts'
import { CHAIN_ID, PerpChain } from './chain.ts'
import { chainClient } from './sdk.ts'
import { type BuiltTransaction, Wallet } from './wallet.ts'

/** The API over a chain of its own, with wallets that trade BTC/USDC through it. */
export class TradingDesk {
  readonly chain: PerpChain
  readonly api: PerpApi
  readonly btc: Hex
  readonly usdc: Hex

  private constructor(chain: PerpChain, api: PerpApi, btc: Hex, usdc: Hex) {
    this.chain = chain
    this.api = api
    this.btc = btc
    this.usdc = usdc
  }

  static async open(): Promise<TradingDesk> {
    const chain = await PerpChain.start()
    const btc = await chain.instrument('BTC/USDC')
    const { quote } = await chain.readInstrument(btc, 'getSetting', [])
    return new TradingDesk(chain, await servePerp(chain), btc, quote.toLowerCase() as Hex)
  }

  async close(): Promise<void> {
    await this.api.close()
    await this.chain.stop()
  }

  /** A funded wallet that has approved nothing. */
  wallet(index: number): Wallet {
    const account = this.chain.accounts.users[index]
    if (!account) throw new Error(`there is no account ${index}`)
    return new Wallet(this.chain, account)
  }

  async approvedWallet(index: number): Promise<Wallet> {
    const wallet = this.wallet(index)
    await wallet.approve(this.usdc, this.chain.contract('Gate'), maxUint256)
    return wallet
  }

  readonly build = ({ address }: Wallet, action: string, params: object) =>
    this.api.post('order/build', { action, params }, address)

  readonly preview = ({ address }: Wallet, action: string, params: object) =>
    this.api.post('order/preview', { action, params }, address)

  readonly submit = ({ address }: Wallet, signedTransaction: Hex) =>
    this.api.post('order/submit', { signedTransaction }, address)

  async built(wallet: Wallet, action: string, params: object) {
    const answer = await this.build(wallet, action, params)
    expect([answer.msg, answer.code]).toEqual(['', 0])
    return { ...answer.data, blockInfo: answer.blockInfo } as {
      transaction: BuiltTransaction
      // biome-ignore lint/suspicious/noExplicitAny: what is in it is what the test looks at
      simulation: any
      blockInfo: { height: number }
    }
  }

  /** Signs and submits what was built; resolves once it is mined. */
  async mine(wallet: Wallet, transaction: BuiltTransaction): Promise<void> {
    const answer = await this.submit(wallet, await wallet.sign(transaction))
    expect([answer.msg, answer.code]).toEqual(['', 0])
    await wallet.mined(answer.data.txHash)
  }

  /** Builds, signs and submits; resolves to the simulation once it is mined. */
  async done(wallet: Wallet, action: string, params: object) {
    const { transaction, simulation } = await this.built(wallet, action, params)
    await this.mine(wallet, transaction)
    return simulation
  }

  readonly portfolioOf = ({ address }: Wallet) =>
    this.chain.readInstrument(this.btc, 'getPortfolio', [PERPETUAL_EXPIRY, address])

  /** What the published client reads of the pair. */
  readonly sdkSnapshot = ({ address }: Wallet, size?: bigint) =>
    chainClient(this.chain.anvil.rpcUrl, CHAIN_ID, this.chain.contract('Observer'), this.btc).getSnapshot(address, size)
}
