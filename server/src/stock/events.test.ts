import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Hex } from '../chain/types.ts'
import type { Sql } from '../db/pool.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { WAD } from '../lib/wad.ts'
import { stockOperationId } from './indexing/stock-operation-id.ts'
import { findStockOperations } from './portfolio/stock-operation-store.ts'
import { findCashOperations, findOrders, getSettings, listCashTokens, listStockTokens } from './store.ts'
import {
  AAPL,
  ALICE,
  BOB,
  CHAIN_ID,
  cancelRequested,
  cancelSettled,
  closed,
  depositAndBuy,
  depositAndSell,
  deposited,
  depositQueued,
  depositSettled,
  type EventCall,
  filled,
  limitFilled,
  listed,
  listingTerms,
  MSFT,
  placed,
  placedLimit,
  randomHash,
  setUp,
  stockDeposited,
  stockWithdrawn,
  TestChain,
  USDC,
  withdrawalQueued,
} from './testing/chain.ts'

let database: TestDatabase
let sql: Sql
let chain: TestChain
beforeEach(async () => {
  database = await testDatabase()
  sql = database.sql
  chain = await TestChain.open(sql)
})
afterEach(() => database.drop())

const order = async (orderId: `0x${string}`) => (await findOrders(sql, CHAIN_ID, [orderId]))[0]
const operation = async (id: `0x${string}`) => (await findCashOperations(sql, CHAIN_ID, [id]))[0]
const headSec = () => BigInt(TestChain.timestampSec(chain.head.number))

describe('configuration events', () => {
  it('become settings, cash tokens and listed stocks', async () => {
    await chain.emit(...setUp())
    expect(await getSettings(sql, CHAIN_ID)).toEqual({
      creditBufferWad: 20_000n * WAD,
      creditBufferCapacityWad: 20_000n * WAD,
      instantThresholdDivisor: 5,
      depositFeePpm: 0,
      withdrawFeePpm: 2100,
      buyThirdPartyPpm: 1000,
      buyProtocolPpm: 100,
      sellThirdPartyPpm: 0,
      sellProtocolPpm: 100,
      updatedAtSec: headSec(),
    })
    expect(await listCashTokens(sql, CHAIN_ID)).toEqual([
      {
        token: USDC,
        symbol: 'USDC',
        decimals: 6,
        minAmountRaw: 1_000_000n,
        usdRateE6: 1_000_000n,
        depositPaused: false,
        withdrawPaused: false,
        withdrawBufferRaw: 10_000_000_000n,
        withdrawBufferCapacityRaw: 50_000_000_000n,
      },
    ])
    const open = { tradable: true, depositPaused: false, withdrawPaused: false }
    expect(await listStockTokens(sql, CHAIN_ID)).toEqual([
      { token: AAPL, ticker: 'AAPL', symbol: 'aAAPL', name: 'AAPL aStock', ...open },
      { token: MSFT, ticker: 'MSFT', symbol: 'aMSFT', name: 'MSFT aStock', ...open },
    ])
  })

  it('change one figure each and leave the others', async () => {
    await chain.emit(...setUp())
    await chain.emit(
      ['CreditBufferWadUpdated', { newAmountWad: 0n }],
      ['WithdrawBufferUpdated', { token: USDC, newAmount: 7n }],
      ['ListingUpdated', { token: AAPL, terms: listingTerms(false) }],
      ['StockPauseUpdated', { token: MSFT, depositPaused: true, withdrawPaused: false }],
    )
    expect(await getSettings(sql, CHAIN_ID)).toMatchObject({ creditBufferWad: 0n, withdrawFeePpm: 2100 })
    const [cash] = await listCashTokens(sql, CHAIN_ID)
    expect(cash).toMatchObject({ withdrawBufferRaw: 7n, minAmountRaw: 1_000_000n })
    const pauses = { depositPaused: true, withdrawPaused: false }
    expect(await listStockTokens(sql, CHAIN_ID)).toMatchObject([{ tradable: false }, { tradable: true, ...pauses }])
  })

  it('drop a cash token that is no longer supported, and take it again', async () => {
    await chain.emit(...setUp())
    await chain.emit(['TokenSupportUpdated', { token: USDC, supported: false, symbol: 'USDC', decimals: 6 }])
    expect(await listCashTokens(sql, CHAIN_ID)).toEqual([])
    await chain.emit(['TokenSupportUpdated', { token: USDC, supported: true, symbol: 'USDC', decimals: 6 }])
    expect(await listCashTokens(sql, CHAIN_ID)).toHaveLength(1)
  })

  it('take two tokens of one ticker, as the contract does', async () => {
    await chain.emit(...setUp())
    await chain.emit(...listed(ALICE, 'AAPL', 3))
    expect((await listStockTokens(sql, CHAIN_ID)).map(({ ticker }) => ticker)).toEqual(['AAPL', 'MSFT', 'AAPL'])
  })

  it('keep the newest published price of a feed, and forget a feed that is reset', async () => {
    const price = (price8: bigint, publishedAt: bigint): EventCall => [
      'PricePublished',
      {
        priceId: `0x${'9'.repeat(64)}`,
        roundId: 1n,
        price: price8,
        bestBid: 0n,
        bestAsk: 0n,
        feedUpdateTimestamp: 5n,
        publishedAt,
        session: 2,
      },
    ]
    const prices = () => sql`select price_e8, feed_updated_at_sec, published_at_sec from oracle_prices`
    await chain.emit(price(100n, 10n), price(101n, 11n))
    expect([...(await prices())]).toEqual([{ price_e8: 101n, feed_updated_at_sec: 5n, published_at_sec: 11n }])
    await chain.emit(['FeedReset', { priceId: `0x${'9'.repeat(64)}` }])
    expect([...(await prices())]).toEqual([])
  })
})

describe('order events', () => {
  beforeEach(() => chain.emit(...setUp()))

  it('place a buy by notional and a sell by quantity', async () => {
    const [buy, sell] = [randomHash(), randomHash()]
    const hash = await chain.emit(
      placed({ orderId: buy, amount: 100n * WAD }),
      placed({ orderId: sell, amount: -3n * WAD }),
    )
    expect(await order(buy)).toMatchObject({
      userAddress: ALICE,
      token: AAPL,
      ticker: 'AAPL',
      side: 'Buy',
      orderType: 'Market',
      amountWad: 100n * WAD,
      limitPriceWad: null,
      timeInForce: null,
      cancelRequested: false,
      cancelTxHash: null,
      depositOperationId: null,
      deadlineSec: 2_000_000_000n,
      status: 'open',
      filledQuantityWad: 0n,
      createTxHash: hash,
      createdAtSec: headSec(),
      lastSettleTxHash: null,
      closedAtSec: null,
    })
    expect(await order(sell)).toMatchObject({ side: 'Sell', amountWad: 3n * WAD })
  })

  it('sum fills: a buy’s notional rounded up, a sell’s down', async () => {
    const [buy, sell] = [randomHash(), randomHash()]
    await chain.emit(placed({ orderId: buy, amount: 100n * WAD }), placed({ orderId: sell, amount: -WAD }))
    const fees = [3n, 2n] as const
    const hash = await chain.emit(
      filled({ orderId: buy, quantity: 333_333_333_333_333_333n, price: WAD + 1n, fees }),
      filled({ orderId: buy, quantity: 1n, price: WAD + 1n, fees }),
      filled({ orderId: sell, quantity: -1n, price: WAD + 1n, fees }),
      closed(buy, 'filled', 7n),
    )
    expect(await order(buy)).toMatchObject({
      status: 'filled',
      filledQuantityWad: 333_333_333_333_333_334n,
      filledNotionalWad: 333_333_333_333_333_334n + 2n,
      thirdPartyFeeWad: 6n,
      protocolFeeWad: 4n,
      refundWad: 7n,
      lastSettleTxHash: hash,
      closedAtSec: headSec(),
    })
    expect(await order(sell)).toMatchObject({ status: 'open', filledQuantityWad: 1n, filledNotionalWad: 1n })
    const fills = await sql`select order_id, notional_wad from stock_fills order by index_in_tx`
    expect(fills.map((fill) => fill.notional_wad)).toEqual([333_333_333_333_333_334n, 2n, 1n])
  })

  it.each([
    ['filled', 'filled'],
    ['partiallyFilled', 'partially_filled'],
    ['rejected', 'rejected'],
    ['takenBack', 'taken_back'],
  ] as const)('close an order as %s', async (status, stored) => {
    const orderId = randomHash()
    await chain.emit(placed({ orderId, amount: WAD }))
    await chain.emit(closed(orderId, status, 5n, 9))
    expect(await order(orderId)).toMatchObject({ status: stored, refundWad: 5n, reasonCode: 9, closedAtSec: headSec() })
  })

  it('place limit orders by quantity, at a price', async () => {
    const [buy, sell] = [randomHash(), randomHash()]
    await chain.emit(
      placedLimit({ orderId: buy, quantity: 3n * WAD, price: 180n * WAD }),
      placedLimit({ orderId: sell, quantity: -WAD, price: 1n, stockToken: MSFT }),
    )
    const terms = { orderType: 'Limit', timeInForce: 0, status: 'open', cancelRequested: false }
    expect(await order(buy)).toMatchObject({
      ...terms,
      side: 'Buy',
      amountWad: 3n * WAD,
      limitPriceWad: 180n * WAD,
      userAddress: ALICE,
      ticker: 'AAPL',
      deadlineSec: 2_000_000_000n,
      filledQuantityWad: 0n,
    })
    expect(await order(sell)).toMatchObject({
      ...terms,
      side: 'Sell',
      amountWad: WAD,
      limitPriceWad: 1n,
      ticker: 'MSFT',
    })
  })

  it('cut a limit buy’s notional to what the notional at its price has left', async () => {
    // 3 units of 1e-18 at 0.5 are 1.5e-18 USD: 2e-18 locked, though three fills of one unit round up to 3e-18.
    const [buy, sell] = [randomHash(), randomHash()]
    const price = WAD / 2n
    await chain.emit(
      placedLimit({ orderId: buy, quantity: 3n, price }),
      placedLimit({ orderId: sell, quantity: -3n, price }),
    )
    for (const spent of [1n, 2n, 2n]) {
      await chain.emit(limitFilled({ orderId: buy, quantity: 1n, price }))
      expect(await order(buy)).toMatchObject({ filledNotionalWad: spent, status: 'open' })
    }
    await chain.emit(limitFilled({ orderId: sell, quantity: -3n, price }), closed(sell, 'filled'))
    expect(await order(sell)).toMatchObject({ filledNotionalWad: 1n, filledQuantityWad: 3n, status: 'filled' })
  })

  it('the notional at the price is exact to the last digit, however large', async () => {
    const buy = randomHash()
    const [quantity, price] = [39_614_081_257_132_168_796_771_975_167n, 2_000_000_000_000_000_001n]
    await chain.emit(placedLimit({ orderId: buy, quantity, price }), limitFilled({ orderId: buy, quantity, price }))
    expect((await order(buy))?.filledNotionalWad).toBe((quantity * price + WAD - 1n) / WAD)
  })

  it('request a cancellation, fill a part after it, and end', async () => {
    const orderId = randomHash()
    await chain.emit(placedLimit({ orderId, quantity: 2n * WAD, price: 10n * WAD }))
    const request = await chain.emit(cancelRequested(orderId))
    const canceling = { cancelRequested: true, cancelTxHash: request }
    expect(await order(orderId)).toMatchObject({ ...canceling, status: 'open', lastSettleTxHash: null })
    const settled = await chain.emit(
      limitFilled({ orderId, quantity: WAD, price: 9n * WAD, fees: [2n, 1n] }),
      ...cancelSettled(orderId, 'canceled', 11n * WAD, 2),
    )
    expect(await order(orderId)).toMatchObject({
      ...canceling,
      status: 'canceled',
      filledQuantityWad: WAD,
      filledNotionalWad: 9n * WAD,
      refundWad: 11n * WAD,
      thirdPartyFeeWad: 2n,
      protocolFeeWad: 1n,
      reasonCode: 2,
      lastSettleTxHash: settled,
      closedAtSec: headSec(),
    })
  })

  it.each([
    ['expired', 'expired'],
    ['rejected', 'rejected'],
    ['partiallyFilled', 'partially_filled'],
  ] as const)('let the broker end a limit order as %s', async (status, stored) => {
    const orderId = randomHash()
    await chain.emit(placedLimit({ orderId, quantity: WAD, price: WAD }))
    await chain.emit(...cancelSettled(orderId, status, WAD, 3))
    const ended = { status: stored, reasonCode: 3, refundWad: WAD, cancelRequested: false, cancelTxHash: null }
    expect(await order(orderId)).toMatchObject(ended)
  })

  it('leave what concerns no row of ours alone', async () => {
    await chain.emit([
      'FillSkipped',
      { orderId: randomHash(), settler: ALICE, reason: 1, filledBefore: 0n, quantity: 1n },
    ])
    await chain.emit(cancelRequested(randomHash()), ...cancelSettled(randomHash(), 'canceled'))
    await chain.emit(['CancellationSkipped', { orderId: randomHash(), settler: ALICE, reason: 7, filledBefore: 0n }])
    expect(await sql`select 1 from stock_orders`).toHaveLength(0)
  })
})

describe('cash events', () => {
  const id = randomHash()
  beforeEach(() => chain.emit(...setUp()))

  it('an instant deposit is settled at once', async () => {
    const hash = await chain.emit(deposited(id, 5n))
    expect(await operation(id)).toEqual({
      operationId: id,
      kind: 'deposit',
      userAddress: ALICE,
      token: USDC,
      tokenDecimals: 6,
      status: 'settled',
      isInstant: true,
      amountRaw: 5_000_000n,
      amountWad: 5n * WAD,
      feeWad: 0n,
      orderId: null,
      createTxHash: hash,
      createdAtSec: headSec(),
      settleTxHash: hash,
      settledAtSec: headSec(),
    })
  })

  it('a queued deposit is credited when it is settled', async () => {
    const hash = await chain.emit(depositQueued(id, 5n))
    expect(await operation(id)).toMatchObject({
      status: 'queued',
      isInstant: false,
      amountRaw: 5_000_000n,
      amountWad: null,
    })
    const settled = await chain.emit(depositSettled(id, 5n))
    const expected = { status: 'settled', amountWad: 5n * WAD, createTxHash: hash, settleTxHash: settled }
    expect(await operation(id)).toMatchObject({ ...expected, settledAtSec: headSec() })
  })

  it('a queued deposit that is taken back was never credited', async () => {
    await chain.emit(depositQueued(id, 5n))
    await chain.emit(['DepositTakenBack', { opId: id, user: ALICE, token: USDC, amount: 5_000_000n }])
    expect(await operation(id)).toMatchObject({ status: 'taken_back', amountRaw: 5_000_000n, amountWad: null })
  })

  it('withdrawals, instant, queued and settled, or taken back', async () => {
    const [queued, back] = [randomHash(), randomHash()]
    await chain.emit(
      [
        'InstantWithdrawal',
        { opId: id, user: ALICE, token: USDC, amountWad: 10n * WAD, amount: 9_979_000n, feeWad: WAD / 50n },
      ],
      withdrawalQueued(queued, 10n, 21n),
      withdrawalQueued(back, 4n, 1n),
    )
    expect(await operation(id)).toMatchObject({
      kind: 'withdraw',
      status: 'settled',
      isInstant: true,
      amountRaw: 9_979_000n,
      amountWad: 10n * WAD,
      feeWad: WAD / 50n,
    })
    expect(await operation(queued)).toMatchObject({
      status: 'queued',
      amountRaw: null,
      amountWad: 10n * WAD,
      feeWad: 21n,
    })
    await chain.emit(
      ['WithdrawalSettled', { opId: queued, user: ALICE, token: USDC, amountWad: 10n * WAD, amount: 9n, feeWad: 22n }],
      ['WithdrawalTakenBack', { opId: back, user: ALICE, token: USDC, amountWad: 4n * WAD }],
    )
    expect(await operation(queued)).toMatchObject({
      status: 'settled',
      amountRaw: 9n,
      amountWad: 10n * WAD,
      feeWad: 22n,
    })
    expect(await operation(back)).toMatchObject({
      status: 'taken_back',
      amountRaw: null,
      amountWad: 4n * WAD,
      feeWad: 0n,
    })
  })
})

describe('stock events', () => {
  const operations = () => sql<{ operation_id: Hex; kind: string; nth_in_tx: number; order_id: Hex | null }[]>`
    select operation_id, kind, nth_in_tx, order_id from stock_operations order by created_at_sec, index_in_tx`
  beforeEach(() => chain.emit(...setUp()))

  it('move stock between wallet and exchange, under ids of the venue', async () => {
    const hash = await chain.emit(stockDeposited(5n * WAD), stockDeposited(1n), stockWithdrawn(WAD))
    const id = (index: number) =>
      stockOperationId({ chainId: CHAIN_ID, transactionHash: hash, indexInTransaction: index })
    expect([...(await operations())]).toEqual([
      { operation_id: id(0), kind: 'deposit', nth_in_tx: 0, order_id: null },
      { operation_id: id(1), kind: 'deposit', nth_in_tx: 1, order_id: null },
      { operation_id: id(2), kind: 'withdraw', nth_in_tx: 0, order_id: null },
    ])
    expect(await findStockOperations(sql, CHAIN_ID, [id(2), randomHash()])).toEqual([
      {
        operationId: id(2),
        kind: 'withdraw',
        userAddress: ALICE,
        token: AAPL,
        ticker: 'AAPL',
        amountWad: WAD,
        orderId: null,
        createTxHash: hash,
        createdAtSec: headSec(),
        exitAtSec: null,
        status: 'settled',
      },
    ])
  })

  it('keep the id of an operation whose transaction is mined again elsewhere', async () => {
    const hash = randomHash()
    const events = [stockDeposited(WAD), placedLimit({ orderId: randomHash(), quantity: -WAD, price: WAD })]
    await chain.block({ hash, events })
    const [before] = await operations()
    await chain.undo(1)
    expect([...(await operations())]).toEqual([])
    await chain.block({ events: [stockDeposited(7n, BOB)] }, { events: [stockWithdrawn(7n, BOB)] }, { hash, events })
    expect((await operations()).map((row) => row.operation_id)).toContain(before?.operation_id)
  })

  it('an id binds chain, transaction and position', () => {
    const place = { chainId: 1, transactionHash: `0x${'ab'.repeat(32)}` as Hex, indexInTransaction: 0 }
    const id = stockOperationId(place)
    expect(id).toBe('0xb3810361ee5c3645bf060ff8d7940b14dfcaa0034cc6550b43d2ee37be85ebbd')
    const others = [
      { ...place, chainId: 2 },
      { ...place, transactionHash: `0x${'ac'.repeat(32)}` as Hex },
      { ...place, indexInTransaction: 1 },
    ]
    expect(new Set([id, ...others.map(stockOperationId)]).size).toBe(4)
  })

  it('link an order to the cash deposit of the same step', async () => {
    const [opId, orderId, other] = [randomHash(), randomHash(), randomHash()]
    await chain.emit(deposited(other, 1n), ...depositAndBuy(opId, orderId))
    expect(await order(orderId)).toMatchObject({ depositOperationId: opId, orderType: 'Market', status: 'open' })
    expect([(await operation(opId))?.orderId, (await operation(other))?.orderId]).toEqual([orderId, null])
  })

  it('link an order to the stock deposit of the same step, and to no other of the transaction', async () => {
    const [mine, bobs] = [randomHash(), randomHash()]
    await chain.emit(
      stockDeposited(2n * WAD),
      ...depositAndSell(bobs, BOB),
      ...depositAndSell(mine),
      stockDeposited(WAD),
    )
    const linked = (await operations()).map((row) => row.order_id)
    expect(linked).toEqual([null, bobs, mine, null])
    const ids = (await operations()).map((row) => row.operation_id)
    expect((await order(mine))?.depositOperationId).toBe(ids[2])
    expect((await order(bobs))?.depositOperationId).toBe(ids[1])
  })
})

describe('transactions', () => {
  it('are kept, also reverted ones, when they touch the venue', async () => {
    await chain.block({ succeeded: false, input: '0x12' }, { to: null }, { to: ROUTER_LIKE })
    const rows = await sql`select to_address, succeeded from stock_transactions order by succeeded, to_address`
    expect([...rows]).toEqual([{ to_address: `0x${'1'.repeat(40)}`, succeeded: false }])
  })
  const ROUTER_LIKE = `0x${'8'.repeat(40)}` as const

  it('number the operations of a kind within one transaction', async () => {
    await chain.emit(...setUp())
    const [a, b, c, d] = [randomHash(), randomHash(), randomHash(), randomHash()]
    await chain.emit(
      placed({ orderId: a, amount: WAD }),
      deposited(c, 1n),
      placed({ orderId: b, amount: WAD }),
      deposited(d, 1n),
    )
    const orders = await sql`select nth_in_tx, index_in_tx from stock_orders order by index_in_tx`
    expect([...orders]).toEqual([
      { nth_in_tx: 0, index_in_tx: 0 },
      { nth_in_tx: 1, index_in_tx: 2 },
    ])
    const cash = await sql`select nth_in_tx from cash_operations order by index_in_tx`
    expect(cash.map((row) => row.nth_in_tx)).toEqual([0, 1])
  })
})
