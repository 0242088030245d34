import { parseUnits } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stockOracleAbi } from '../src/chain/abi/stock-oracle.ts'
import { eventually } from './client.ts'
import { Trader } from './trader.ts'
import { startVenue, type Venue } from './venue.ts'
import type { CalldataResult } from './wallet.ts'

type Hex = `0x${string}`

// A user's stock on its way through the venue: what the API shows of it is what the contracts hold.

const FAR_FUTURE = 4_000_000_000

let venue: Venue
let trader: Trader
beforeAll(async () => {
  venue = await startVenue()
  trader = new Trader(venue, venue.client, 0)
  await trader.fund(10_000n)
})
afterAll(() => venue?.stop())

interface Position {
  readonly symbol: string
  readonly quantity: string
  readonly lockedQuantity: string
  readonly avgPrice: number
  readonly costBasis: string
  readonly price: number
  readonly marketValue: string
  readonly unrealizedPnl: string
}

interface TokenBalance {
  readonly symbol: string
  readonly walletBalance: string
  readonly exchangeBalance: string
  readonly walletAllowance: string
}

interface Detail {
  readonly orderId: Hex
  readonly orderStatus: string
  readonly openOrder: { readonly status: string; readonly cancelRequested: boolean } | null
  readonly historyOrder: Record<string, unknown> | null
}

const ask = <T>(path: string): Promise<T> => venue.client.data(venue.client.get<T>(`/api/v1${path}`))
const wad = (text: string) => parseUnits(text, 18)
const e36 = (text: string) => parseUnits(text, 36)

async function position(): Promise<Position> {
  const positions = await ask<Position[]>(`/users/${trader.address}/positions`)
  expect(positions.map(({ symbol }) => symbol)).toEqual(['AAPL'])
  return positions[0] as Position
}

async function balance(): Promise<TokenBalance> {
  const router = trader.contract('StockRouter')
  const path = `/users/${trader.address}/balance?spenderAddress=${router}`
  const { tokenBalances } = await ask<{ tokenBalances: TokenBalance[] }>(path)
  return tokenBalances.find(({ symbol }) => symbol === 'aAAPL') as TokenBalance
}

/** The position once it holds so much; it is then what the contract has, free and locked. */
async function holding(quantityWad: bigint, lockedWad = 0n): Promise<Position> {
  const held = await eventually(
    position,
    ({ quantity, lockedQuantity }) => wad(quantity) === quantityWad && wad(lockedQuantity) === lockedWad,
  )
  expect(wad((await balance()).exchangeBalance)).toBe(quantityWad - lockedWad)
  expect(e36(held.marketValue)).toBe(quantityWad * wad(String(held.price)))
  expect(e36(held.unrealizedPnl)).toBe(e36(held.marketValue) - e36(held.costBasis))
  return held
}

const AAPL = '0x3a54a9a690616fbc26cfc409bf11f89d51f1d57a4ab2791fb86026cee74ed2f3'

/** The price that was published last before a transaction: in an earlier block, or earlier in its own. */
const publishedAt = async (hash: Hex): Promise<bigint> => {
  const { blockNumber, transactionIndex } = await trader.wallet.chain.getTransactionReceipt({ hash })
  const published = await trader.wallet.chain.getContractEvents({
    address: trader.contract('StockOracle'),
    abi: stockOracleAbi,
    eventName: 'PricePublished',
    fromBlock: 0n,
    toBlock: blockNumber,
  })
  const before = published.filter(
    (log) => log.args.priceId === AAPL && (log.blockNumber < blockNumber || log.transactionIndex < transactionIndex),
  )
  const price = before.at(-1)?.args.price
  if (price === undefined) throw new Error(`no price was published before ${hash}`)
  return price
}

const record = (txHash: Hex) => venue.client.data(venue.client.post<object>('/api/v1/orders/tx', { txHash }))

describe('a user’s stock', () => {
  let held: Position
  let bought: bigint

  it('is bought with the deposit of the same transaction, which is listed too', async () => {
    const txHash = await trader.submit('/api/v1/orders/with-deposit/calldata', {
      stockAddress: trader.contract('aAAPL'),
      side: 'Buy',
      type: 'Market',
      notional: '1000',
      deadline: FAR_FUTURE,
      depositTokenAddress: trader.contract('USDC'),
      depositAmount: '2000',
    })
    await record(txHash)
    const order = await eventually(
      () => ask<Detail>(`/orders/tx/${txHash}`),
      ({ historyOrder }) => historyOrder !== null,
    )
    expect(order.orderStatus).toBe('Filled')
    const { total, rows } = await ask<{ total: number; rows: Record<string, unknown>[] }>('/cash/deposits')
    expect([total, rows.length]).toEqual([1, 1])
    expect(rows[0]).toMatchObject({
      operationId: order.historyOrder?.depositOperationId,
      txHash,
      operationStatus: 'success',
      depositOperation: { orderId: order.orderId, amount: 2000, isInstant: true },
    })
    bought = wad(String(order.historyOrder?.filledQuantity))
    held = await holding(bought)
    expect(held.avgPrice).toBeCloseTo(order.historyOrder?.avgFillPrice as number, 6)
    const rounding = e36(held.costBasis) - bought * wad(String(held.avgPrice))
    expect(rounding < bought * 10n ** 10n && rounding > -bought * 10n ** 10n).toBe(true)
  })

  it('goes to the wallet at its average, and comes back at the price published then', async () => {
    const out = await trader.stock('withdrawals', '1')
    expect(out.operationStatus).toBe('success')
    const left = await holding(bought - wad('1'))
    expect(left.avgPrice).toBe(held.avgPrice)
    expect((await balance()).walletBalance).toBe('1')

    const back = await trader.stock('deposits', '0.5')
    const more = await holding(bought - wad('0.5'))
    const price8 = await publishedAt(back.txHash)
    expect(e36(more.costBasis) - e36(left.costBasis)).toBe(wad('0.5') * price8 * 10n ** 10n)
    expect(await balance()).toMatchObject({ walletBalance: '0.5' })
    const detail = await ask<Record<string, unknown>>(`/stock/deposits/${back.operationId}`)
    expect(detail).toMatchObject({ operationStatus: 'success', depositOperation: { amount: 0.5, orderId: null } })
  })

  it('is locked by a limit order, until that is canceled', async () => {
    const quantity = bought - wad('0.5')
    const txHash = await trader.placeLimit('Sell', '1.25', '9999')
    const resting = await eventually(
      () => ask<Detail>(`/orders/tx/${txHash}`),
      ({ openOrder }) => openOrder !== null,
    )
    expect(resting).toMatchObject({ orderStatus: 'New', openOrder: { status: 'open', type: 'Limit', price: 9999 } })
    const { costBasis } = await holding(quantity, wad('1.25'))

    const path = `/api/v1/orders/${resting.orderId}/calldata`
    const cancel = await trader.wallet.submit(
      await venue.client.data(venue.client.send<CalldataResult>('DELETE', path)),
    )
    const mapping = await record(cancel)
    expect(mapping).toMatchObject({ operationType: 'trade', txHash: cancel })
    const ended = await eventually(
      () => ask<Detail>(`/orders/tx/${cancel}`),
      ({ historyOrder }) => historyOrder !== null,
    )
    expect(ended).toMatchObject({
      orderId: resting.orderId,
      orderStatus: 'Canceled',
      mapping: { orderId: resting.orderId, txHash: cancel },
      historyOrder: { status: 'Canceled', cancelRequested: true, cancelTxHash: cancel, filledQuantity: 0 },
    })
    expect((await holding(quantity)).costBasis).toBe(costBasis)
    const { total, rows } = await ask<{ total: number; rows: Detail[] }>('/orders')
    expect([total, rows.filter(({ orderId }) => orderId === resting.orderId).length]).toEqual([2, 1])
  })
})
