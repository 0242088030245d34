import { type Client, eventually } from './client.ts'
import type { Venue } from './venue.ts'
import { type CalldataResult, Wallet } from './wallet.ts'

type Hex = `0x${string}`

export interface OrderDetail {
  readonly orderId: Hex | null
  readonly orderStatus: string
  readonly mappingStatus: string | null
  readonly openOrder: { readonly status: string; readonly filledQuantity: number } | null
  readonly historyOrder: {
    readonly status: string
    readonly filledQuantity: number
    readonly reason: string | null
    readonly cancelTxHash: Hex | null
    readonly settleTxHash: Hex | null
  } | null
}

export interface CashDetail {
  readonly operationId: Hex | null
  readonly operationStatus: string | null
  readonly txHash: Hex
}

const TEST_TOKEN_ABI = [
  {
    type: 'function',
    name: 'mint',
    stateMutability: 'nonpayable',
    inputs: [{ type: 'address' }, { type: 'uint256' }],
    outputs: [],
  },
] as const

/** A deadline that holds also on a chain whose clock a test has put forward. */
const FAR_FUTURE = 4_000_000_000

/** What a trader needs to know of a venue. */
export type TradedVenue = Pick<Venue, 'rpcUrl' | 'contracts' | 'accounts'>

/** An integrator with a key and a wallet of its own, doing what the README says. */
export class Trader {
  readonly venue: TradedVenue
  readonly client: Client
  readonly wallet: Wallet

  constructor(venue: TradedVenue, client: Client, accountIndex: number) {
    const account = venue.accounts[accountIndex]
    if (!account) throw new Error(`there is no account ${accountIndex}`)
    this.venue = venue
    this.client = client
    this.wallet = new Wallet(venue.rpcUrl, account.privateKey)
  }

  get address(): Hex {
    return this.wallet.account.address
  }

  contract(name: string): Hex {
    const address = this.venue.contracts[name]
    if (!address) throw new Error(`there is no contract ${name}`)
    return address
  }

  /** Brings USDC into the wallet and lets the router take it. */
  async fund(dollars: bigint): Promise<void> {
    await this.wallet.call(this.contract('USDC'), TEST_TOKEN_ABI, 'mint', [this.address, dollars * 1_000_000n])
    await this.wallet.approve(this.contract('USDC'), this.contract('StockRouter'), 2n ** 255n)
  }

  /** Builds calldata, sends it, waits until it is mined. */
  async submit(path: string, body: unknown): Promise<Hex> {
    return this.wallet.submit(await this.client.data(this.client.post<CalldataResult>(path, body)))
  }

  cash(kind: 'deposits' | 'withdrawals', amount: string): Promise<CashDetail> {
    return this.#move(`/api/v1/cash/${kind}`, 'USDC', amount)
  }

  /** Moves stock between wallet and exchange. */
  async stock(kind: 'deposits' | 'withdrawals', amount: string, symbol = 'AAPL'): Promise<CashDetail> {
    const token = `a${symbol}`
    if (kind === 'deposits') await this.wallet.approve(this.contract(token), this.contract('StockRouter'), 2n ** 255n)
    return this.#move(`/api/v1/stock/${kind}`, token, amount)
  }

  async #move(path: string, token: string, amount: string): Promise<CashDetail> {
    const body = { userAddress: this.address, tokenAddress: this.contract(token), tokenAmount: amount }
    const txHash = await this.submit(`${path}/calldata`, body)
    await this.client.data(this.client.post(`${path}/tx`, { txHash }))
    return eventually(
      async () => {
        const { rows } = await this.client.data(this.client.get<{ rows: CashDetail[] }>(path))
        return rows.find((row) => row.txHash === txHash) as CashDetail
      },
      (row) => row?.operationStatus === 'success',
    )
  }

  /** Places a market order and records it; does not wait for more than its transaction. */
  async place(
    terms: { side: 'Buy'; notional: string } | { side: 'Sell'; quantity: string },
    symbol = 'AAPL',
  ): Promise<Hex> {
    return this.#order({ stockAddress: this.contract(`a${symbol}`), type: 'Market', ...terms })
  }

  /** Places a limit order of the day and records it; does not wait for more than its transaction. */
  placeLimit(side: 'Buy' | 'Sell', quantity: string, price: string, symbol = 'AAPL'): Promise<Hex> {
    const stockAddress = this.contract(`a${symbol}`)
    return this.#order({ stockAddress, type: 'Limit', side, quantity, price, timeInForce: 'DAY' })
  }

  async #order(terms: object): Promise<Hex> {
    const txHash = await this.submit('/api/v1/orders/calldata', { ...terms, deadline: FAR_FUTURE })
    await this.client.data(this.client.post('/api/v1/orders/tx', { txHash }))
    return txHash
  }

  order(txHash: Hex): Promise<OrderDetail> {
    return this.client.data(this.client.get<OrderDetail>(`/api/v1/orders/tx/${txHash}`))
  }

  async mUsd(): Promise<string> {
    const path = `/api/v1/users/${this.address}/balance`
    return (await this.client.data(this.client.get<{ mUsdBalance: string }>(path))).mUsdBalance
  }
}
