import { createPublicClient, http } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stockAbi } from '../src/chain/abi/stock.ts'
import { stockTokenAbi } from '../src/chain/abi/stock-token.ts'
import { developmentAccounts } from '../src/chain/embedded/accounts.ts'
import { eventually } from './client.ts'
import { Trader } from './trader.ts'
import { startVenue, type Venue } from './venue.ts'
import { Wallet } from './wallet.ts'

let venue: Venue
let trader: Trader
let admin: Wallet
beforeAll(async () => {
  venue = await startVenue()
  trader = new Trader(venue, venue.client, 0)
  admin = new Wallet(venue.rpcUrl, developmentAccounts().admin.privateKey)
  await trader.fund(3_000_000n)
  await trader.cash('deposits', '2500000')
})
afterAll(() => venue?.stop())

const pause = (method: 'pause' | 'unpause', symbol = 'AAPL') =>
  admin.call(trader.contract(`a${symbol}`), stockTokenAbi, method, [])

interface Hedge {
  readonly symbol: string
  readonly quantityWad: string
}

/** The venue's open hedge, as an operator sees it. */
async function hedge(symbol: string): Promise<bigint> {
  const response = await fetch(new URL('/status', venue.baseUrls[0]))
  const { keeper } = (await response.json()) as { keeper: { hedge: Hedge[] } }
  return BigInt(keeper.hedge.find((one) => one.symbol === symbol)?.quantityWad ?? '0')
}

/** Waits until the venue's open hedge is so much. */
const untilHedge = (symbol: string, shares: bigint) =>
  eventually(
    async () => String(await hedge(symbol)),
    (text) => text === String(shares),
  )

const ended = (txHash: `0x${string}`) =>
  eventually(
    () => trader.order(txHash),
    ({ historyOrder }) => historyOrder !== null,
  )

describe('an order whose fill cannot be delivered', () => {
  it('stays open, shown as a hedge of the venue, and is settled once it can be', async () => {
    await pause('pause')
    const stuck = await trader.place({ side: 'Buy', notional: '1000' })
    await eventually(
      async () => String(await hedge('AAPL')),
      (shares) => shares !== '0',
    )
    const other = await trader.place({ side: 'Buy', notional: '1000' }, 'MSFT')
    expect((await ended(other)).orderStatus).toBe('Filled')
    expect(await trader.order(stuck)).toMatchObject({
      orderStatus: 'Pending',
      mappingStatus: 'confirmed',
      historyOrder: null,
      openOrder: { status: 'placing', filledQuantity: 0 },
    })
    await pause('unpause')
    expect((await ended(stuck)).orderStatus).toBe('Filled')
    await untilHedge('AAPL', 0n)
  })
})

describe('an order that the broker refuses', () => {
  it('ends as Rejected with the broker’s words, and its lock is released', async () => {
    const before = await trader.mUsd()
    const txHash = await trader.place({ side: 'Buy', notional: '1500000' })
    const detail = await ended(txHash)
    expect(detail).toMatchObject({
      orderStatus: 'Rejected',
      historyOrder: { filledQuantity: 0, reason: 'the order is larger than the broker takes', cancelTxHash: null },
    })
    expect(await trader.mUsd()).toBe(before)
  })

  it('when it is finer than the broker trades as well', async () => {
    const before = await trader.mUsd()
    const detail = await ended(await trader.place({ side: 'Buy', notional: '0.000000000000000001' }))
    expect(detail).toMatchObject({ orderStatus: 'Rejected', historyOrder: { filledQuantity: 0 } })
    expect(await trader.mUsd()).toBe(before)
  })
})

describe('an order that its user takes back', () => {
  it('gives the lock back and leaves the hedge with the venue, also when it could be settled later', async () => {
    await pause('pause', 'NVDA')
    const before = await trader.mUsd()
    const txHash = await trader.place({ side: 'Buy', notional: '1000' }, 'NVDA')
    const { orderId } = await eventually(
      () => trader.order(txHash),
      ({ orderId: id }) => id !== null,
    )
    // Read once: an attempt to settle takes it off the hedge until the attempt has failed.
    const bought = BigInt(
      await eventually(
        async () => String(await hedge('NVDA')),
        (shares) => shares !== '0',
      ),
    )

    const node = createPublicClient({ transport: http(venue.rpcUrl) })
    // Prices stay at the venue's time while the chain's goes forward, and are to be fresh there still.
    const stock = { address: trader.contract('Stock'), abi: stockAbi } as const
    const { terms } = await node.readContract({ ...stock, functionName: 'listing', args: [trader.contract('aNVDA')] })
    const lasting = { ...terms, maxPriceAgeSec: 30 * 24 * 3600 }
    await admin.call(stock.address, stockAbi, 'updateListing', [trader.contract('aNVDA'), lasting])
    await node.request({ method: 'evm_increaseTime', params: [8 * 24 * 3600] } as never)
    await trader.wallet.call(stock.address, stockAbi, 'takeBackOrder', [orderId as `0x${string}`])
    const detail = await ended(txHash)
    expect(detail).toMatchObject({ orderStatus: 'Canceled', historyOrder: { status: 'Canceled', filledQuantity: 0 } })
    expect(detail.historyOrder?.cancelTxHash).toBe(detail.historyOrder?.settleTxHash)
    expect(await trader.mUsd()).toBe(before)

    await pause('unpause', 'NVDA')
    const later = await trader.place({ side: 'Buy', notional: '1000' }, 'NVDA')
    expect((await ended(later)).orderStatus).toBe('Filled')
    await untilHedge('NVDA', bought)
    expect((await trader.order(txHash)).orderStatus).toBe('Canceled')

    const [origin] = venue.baseUrls.map((url) => new URL(url).origin)
    const { keeper } = await eventually(
      async () => (await (await fetch(`${origin}/status`)).json()) as { keeper: { hedges: Hedge[] } },
      ({ keeper: { hedges } }) => hedges.length > 0,
    )
    expect(keeper.hedges).toMatchObject([{ symbol: 'NVDA', quantityWad: String(bought) }])
    const metrics = await (await fetch(`${origin}/metrics`)).text()
    expect(metrics).toContain(`bourse_hedge_shares{symbol="NVDA"} ${Number(bought) / 1e18}`)
  })
})
