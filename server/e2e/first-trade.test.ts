import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from './client.ts'
import { startVenue, type Venue } from './venue.ts'
import { type CalldataResult, Wallet } from './wallet.ts'

type Hex = `0x${string}`

let venue: Venue
let wallet: Wallet
beforeAll(async () => {
  venue = await startVenue()
  const account = venue.accounts[0] as Venue['accounts'][0]
  wallet = new Wallet(venue.rpcUrl, account.privateKey)
})
afterAll(() => venue?.stop())

interface CashDetail {
  readonly operationId: Hex | null
  readonly mappingStatus: string
  readonly operationStatus: string | null
  readonly depositOperation: { amount: number; creditAmount: number; feeAmount: number; isInstant: boolean } | null
  readonly withdrawalOperation: { amount: number; mUsdAmount: number; feeAmount: number; isInstant: boolean } | null
}

interface OrderDetail {
  readonly orderId: Hex | null
  readonly orderStatus: string
  readonly openOrder: { status: string } | null
  readonly historyOrder: Record<string, unknown> | null
}

interface Balance {
  readonly mUsdBalance: string
  readonly tokenBalances: { symbol: string; walletBalance: string; exchangeBalance: string; walletAllowance: string }[]
}

const usdc = () => venue.contracts.USDC as Hex
const router = () => venue.contracts.StockRouter as Hex
const user = () => wallet.account.address

async function submit(path: string, body: unknown): Promise<Hex> {
  const calldata = await venue.client.data(venue.client.post<CalldataResult>(path, body))
  expect(calldata.toAddress).toBe(router())
  return wallet.submit(calldata)
}

async function stock(symbol: string): Promise<Hex> {
  const symbols = await venue.client.data(
    venue.client.get<{ symbol: string; contractAddress: Hex }[]>('/api/v1/symbols'),
  )
  const found = symbols.find((one) => one.symbol === symbol)
  if (!found) throw new Error(`${symbol} is not listed`)
  return found.contractAddress
}

const balance = () =>
  venue.client.data(venue.client.get<Balance>(`/api/v1/users/${user()}/balance?spenderAddress=${router()}`))
const tokenBalance = ({ tokenBalances }: Balance, symbol: string) =>
  tokenBalances.find((token) => token.symbol === symbol)

async function deposit(amount: string): Promise<CashDetail> {
  const body = { userAddress: user(), tokenAddress: usdc(), tokenAmount: amount }
  const txHash = await submit('/api/v1/cash/deposits/calldata', body)
  await venue.client.data(venue.client.post('/api/v1/cash/deposits/tx', { txHash }))
  const mapping = await eventually(
    () => venue.client.data(venue.client.post<{ operationId: Hex | null }>('/api/v1/cash/deposits/tx', { txHash })),
    ({ operationId }) => operationId !== null,
  )
  return eventually(
    () => venue.client.data(venue.client.get<CashDetail>(`/api/v1/cash/deposits/${mapping.operationId}`)),
    ({ operationStatus }) => operationStatus === 'success',
  )
}

async function order(body: Record<string, unknown>): Promise<OrderDetail> {
  const deadline = Math.floor(Date.now() / 1000) + 3600
  const txHash = await submit('/api/v1/orders/calldata', { ...body, type: 'Market', deadline })
  await venue.client.data(venue.client.post('/api/v1/orders/tx', { txHash }))
  return eventually(
    () => venue.client.data(venue.client.get<OrderDetail>(`/api/v1/orders/tx/${txHash}`)),
    ({ historyOrder }) => historyOrder !== null,
  )
}

describe('a first trade, from a signed request to settlement on chain', () => {
  it('deposits at once within the credit buffer', async () => {
    await wallet.approve(usdc(), router(), 2n ** 255n)
    const before = await wallet.balanceOf(usdc())
    const detail = await deposit('2500.5')
    expect(detail.depositOperation).toMatchObject({
      amount: 2500.5,
      creditAmount: 2500.5,
      feeAmount: 0,
      isInstant: true,
    })
    expect(before - (await wallet.balanceOf(usdc()))).toBe(2_500_500_000n)
    const after = await balance()
    expect(after.mUsdBalance).toBe('2500.5')
    expect(tokenBalance(after, 'USDC')?.walletAllowance).not.toBe('0')
  })

  it('queues a deposit above the threshold, and the keeper settles it', async () => {
    const detail = await deposit('9000')
    expect(detail.depositOperation).toMatchObject({ amount: 9000, creditAmount: 9000, isInstant: false })
    expect((await balance()).mUsdBalance).toBe('11500.5')
  })

  it.each(['AAPL', 'SPX'])('reads a price, buys %s for a notional and owns what was filled', async (symbol) => {
    const quote = await venue.client.data(
      venue.client.get<{ basicInfo: { price: number } }>(`/api/v1/prices/${symbol}`),
    )
    expect(quote.basicInfo.price).toBeGreaterThan(0)
    const before = await balance()
    const detail = await order({ stockAddress: await stock(symbol), side: 'Buy', notional: '1000' })
    const history = detail.historyOrder as Record<string, number>
    expect(detail).toMatchObject({ orderStatus: 'Filled', openOrder: null })
    expect(history.notional).toBe(1000)
    expect(history.filledQuantity).toBeGreaterThan(0)
    // The market moves meanwhile, though not by much.
    expect((history.avgFillPrice ?? 0) / quote.basicInfo.price).toBeCloseTo(1, 1)
    const after = await balance()
    const spent = Number(before.mUsdBalance) - Number(after.mUsdBalance)
    expect(spent).toBeCloseTo((history.filledNotional ?? 0) + (history.feeAmount ?? 0), 9)
    expect(history.feeAmount).toBeCloseTo((history.filledNotional ?? 0) * 0.0011, 9)
    expect(Number(tokenBalance(after, `a${symbol}`)?.exchangeBalance)).toBe(history.filledQuantity)
  })

  it('sells what it owns for cash', async () => {
    const owned = tokenBalance(await balance(), 'aAAPL')?.exchangeBalance as string
    const before = Number((await balance()).mUsdBalance)
    const detail = await order({ stockAddress: await stock('AAPL'), side: 'Sell', quantity: owned })
    const history = detail.historyOrder as Record<string, number>
    expect(detail.orderStatus).toBe('Filled')
    expect(history.quantity).toBe(Number(owned))
    const after = await balance()
    expect(Number(after.mUsdBalance) - before).toBeCloseTo((history.filledNotional ?? 0) - (history.feeAmount ?? 0), 9)
    expect(tokenBalance(after, 'aAAPL')?.exchangeBalance).toBe('0')
  })

  it('withdraws to the wallet, at once and queued', async () => {
    for (const [amount, isInstant] of [
      ['500', true],
      ['8000', false],
    ] as const) {
      const before = await wallet.balanceOf(usdc())
      const body = { userAddress: user(), tokenAddress: usdc(), tokenAmount: amount }
      const txHash = await submit('/api/v1/cash/withdrawals/calldata', body)
      await venue.client.data(venue.client.post('/api/v1/cash/withdrawals/tx', { txHash }))
      const [detail] = await eventually(
        async () =>
          (await venue.client.data(venue.client.get<{ rows: CashDetail[] }>('/api/v1/cash/withdrawals?limit=1'))).rows,
        ([newest]) => newest?.operationStatus === 'success',
      )
      const paid = (Number(amount) * (1_000_000 - 2100)) / 1_000_000
      expect(detail?.withdrawalOperation).toMatchObject({ mUsdAmount: Number(amount), amount: paid, isInstant })
      expect((await wallet.balanceOf(usdc())) - before).toBe(BigInt(Math.round(paid * 1e6)))
    }
  })

  it('lists everything that the key recorded, newest first', async () => {
    const list = (path: string) => venue.client.data(venue.client.get<{ total: number; rows: OrderDetail[] }>(path))
    expect((await list('/api/v1/cash/deposits')).total).toBe(2)
    expect((await list('/api/v1/cash/withdrawals')).total).toBe(2)
    const orders = await list('/api/v1/orders?page=1&limit=2')
    expect(orders.total).toBe(3)
    expect(orders.rows.map((row) => row.historyOrder?.side)).toEqual(['Sell', 'Buy'])
    const [newest] = orders.rows
    const byId = await venue.client.data(venue.client.get<OrderDetail>(`/api/v1/orders/${newest?.orderId}`))
    // The fills one by one are the detail's alone.
    expect(byId).toEqual({ ...newest, fills: expect.any(Array) })
  })
})
