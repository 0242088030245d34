import { cashierAbi } from '../chain/abi/cashier.ts'
import { stockAbi } from '../chain/abi/stock.ts'
import { stockOracleAbi } from '../chain/abi/stock-oracle.ts'
import { stockRouterAbi } from '../chain/abi/stock-router.ts'
import type { ChainEvent, EventModule } from '../chain/follow/event-module.ts'
import type { ChainBlock, Hex } from '../chain/types.ts'
import type { Tx } from '../db/pool.ts'
import * as rows from './chain-store.ts'
import { contractAddress } from './contracts.ts'
import { increasePosition, publishedPrice8, reducePosition } from './portfolio/position-store.ts'
import { insertStockOperation, linkCashDeposit, linkStockDeposit } from './portfolio/stock-operation-store.ts'
import { notionalWad, priceWad } from './units.ts'

const ABI_VERSION = 1

/** Chain events of the stock product to rows: the only writer of the tables of migrations 030 and 056. */
export const stockEvents: EventModule = {
  name: 'stock',
  sources: (deployment) => [
    { address: contractAddress(deployment, 'StockRouter'), abi: stockRouterAbi, abiVersion: ABI_VERSION },
    { address: contractAddress(deployment, 'Cashier'), abi: cashierAbi, abiVersion: ABI_VERSION },
    { address: contractAddress(deployment, 'Stock'), abi: stockAbi, abiVersion: ABI_VERSION },
    { address: contractAddress(deployment, 'StockOracle'), abi: stockOracleAbi, abiVersion: ABI_VERSION },
  ],
  tables: [
    'stock_tokens',
    'cash_tokens',
    'stock_settings',
    'stock_transactions',
    'stock_orders',
    'stock_fills',
    'cash_operations',
    'stock_operations',
    'stock_positions',
    'oracle_prices',
  ],
  async apply(tx, block, events, transactions) {
    for (const transaction of transactions) await rows.insertTransaction(tx, block, transaction)
    for (const event of events) await handlers[event.name]?.(tx, block, event)
  },
}

type Handler = (tx: Tx, block: ChainBlock, event: ChainEvent) => Promise<void>

/** The arguments of a decoded event; viem has checked their types against the ABI. */
// biome-ignore lint/suspicious/noExplicitAny: the shape is the ABI's, one line below each use names it
const args = (event: ChainEvent): any => event.args
const lower = (text: string): Hex => text.toLowerCase() as Hex

const ORDER_STATUS = [
  'none',
  'open',
  'filled',
  'partially_filled',
  'rejected',
  'taken_back',
  'canceled',
  'expired',
] as const

const absolute = (amount: bigint): bigint => (amount < 0n ? -amount : amount)

/** A fill of a market or limit order: to the order, and to what its user holds. */
async function applyFill(tx: Tx, block: ChainBlock, event: ChainEvent, maxNotionalWad: bigint | null): Promise<void> {
  const { orderId, user, stockToken, quantity, price, thirdPartyFee, protocolFee } = args(event)
  const side = quantity > 0n ? 'Buy' : 'Sell'
  const quantityWad = absolute(quantity)
  const notional = notionalWad(quantityWad, price, side)
  await rows.insertFill(tx, block, event, {
    orderId,
    quantityWad,
    priceWad: price,
    notionalWad: maxNotionalWad !== null && maxNotionalWad < notional ? maxNotionalWad : notional,
    thirdPartyFeeWad: thirdPartyFee,
    protocolFeeWad: protocolFee,
  })
  const change = { userAddress: lower(user), token: lower(stockToken), quantityWad }
  if (side === 'Buy') await increasePosition(tx, block, change, price)
  else await reducePosition(tx, block, change)
}

const handlers: Readonly<Record<string, Handler>> = {
  // Orders
  async MarketOrderPlaced(tx, block, event) {
    const { orderId, user, stockToken, amount, lockedAmount, deadline, exitAt } = args(event)
    await rows.insertOrder(tx, block, event, {
      orderId,
      userAddress: lower(user),
      token: lower(stockToken),
      side: amount > 0n ? 'Buy' : 'Sell',
      amountWad: amount > 0n ? amount : -amount,
      lockedWad: lockedAmount,
      deadlineSec: deadline,
      exitAtSec: exitAt,
      limit: null,
    })
  },
  async LimitOrderPlaced(tx, block, event) {
    const { orderId, user, stockToken, quantity, price, tif, lockedAmount, deadline, exitAt } = args(event)
    await rows.insertOrder(tx, block, event, {
      orderId,
      userAddress: lower(user),
      token: lower(stockToken),
      side: quantity > 0n ? 'Buy' : 'Sell',
      amountWad: absolute(quantity),
      lockedWad: lockedAmount,
      deadlineSec: deadline,
      exitAtSec: exitAt,
      limit: { priceWad: price, timeInForce: tif },
    })
  },
  MarketOrderSettled: (tx, block, event) => applyFill(tx, block, event, null),
  async LimitOrderSettled(tx, block, event) {
    const { orderId, quantity } = args(event)
    await applyFill(tx, block, event, quantity > 0n ? await rows.limitNotionalLeft(tx, block, orderId) : null)
  },
  async CancelRequested(tx, block, event) {
    await rows.requestCancellation(tx, block, event, args(event).orderId)
  },
  async OrderClosed(tx, block, event) {
    const { orderId, status, refund, reasonCode } = args(event)
    const name = ORDER_STATUS[status]
    await rows.closeOrder(tx, block, event, { orderId, status: name ?? 'none', refundWad: refund, reasonCode })
  },

  // Orders with a deposit: both have been indexed by their own events, which come before
  async DepositAndMarketBuy(tx, block, event) {
    await linkCashDeposit(tx, block, args(event).orderId, args(event).depositOpId)
  },
  async DepositAndLimitBuy(tx, block, event) {
    await linkCashDeposit(tx, block, args(event).orderId, args(event).depositOpId)
  },
  async DepositStockAndMarketSell(tx, block, event) {
    await linkStockDeposit(tx, block, args(event).orderId)
  },
  async DepositStockAndLimitSell(tx, block, event) {
    await linkStockDeposit(tx, block, args(event).orderId)
  },

  // Stock
  async StockDeposited(tx, block, event) {
    const change = { userAddress: lower(args(event).user), token: lower(args(event).token) }
    const quantityWad: bigint = args(event).amount
    await insertStockOperation(tx, block, event, { ...change, amountWad: quantityWad, kind: 'deposit' })
    const price8 = await publishedPrice8(tx, block, change.token)
    await increasePosition(tx, block, { ...change, quantityWad }, price8 === null ? null : priceWad(price8))
  },
  async StockWithdrawn(tx, block, event) {
    const change = { userAddress: lower(args(event).user), token: lower(args(event).token) }
    const quantityWad: bigint = args(event).amount
    await insertStockOperation(tx, block, event, { ...change, amountWad: quantityWad, kind: 'withdraw' })
    await reducePosition(tx, block, { ...change, quantityWad })
  },

  // Cash
  async InstantDeposit(tx, block, event) {
    const { opId, user, token, amount, creditWad, feeWad } = args(event)
    const operation = { operationId: opId, userAddress: lower(user), token: lower(token), exitAtSec: null }
    const amounts = { amountRaw: amount, amountWad: creditWad, feeWad }
    await rows.insertCashOperation(tx, block, event, { ...operation, ...amounts, kind: 'deposit', isInstant: true })
  },
  async DepositRequested(tx, block, event) {
    const { opId, user, token, amount, exitAt } = args(event)
    const operation = { operationId: opId, userAddress: lower(user), token: lower(token), exitAtSec: exitAt }
    const amounts = { amountRaw: amount, amountWad: null, feeWad: 0n }
    await rows.insertCashOperation(tx, block, event, { ...operation, ...amounts, kind: 'deposit', isInstant: false })
  },
  async InstantWithdrawal(tx, block, event) {
    const { opId, user, token, amountWad, amount, feeWad } = args(event)
    const operation = { operationId: opId, userAddress: lower(user), token: lower(token), exitAtSec: null }
    const amounts = { amountRaw: amount, amountWad, feeWad }
    await rows.insertCashOperation(tx, block, event, { ...operation, ...amounts, kind: 'withdraw', isInstant: true })
  },
  async WithdrawalRequested(tx, block, event) {
    const { opId, user, token, amountWad, feeWad, exitAt } = args(event)
    const operation = { operationId: opId, userAddress: lower(user), token: lower(token), exitAtSec: exitAt }
    const amounts = { amountRaw: null, amountWad, feeWad }
    await rows.insertCashOperation(tx, block, event, { ...operation, ...amounts, kind: 'withdraw', isInstant: false })
  },
  async DepositSettled(tx, block, event) {
    const { opId, amount, creditWad, feeWad } = args(event)
    const amounts = { amountRaw: amount, amountWad: creditWad, feeWad }
    await rows.finishCashOperation(tx, block, event, { operationId: opId, status: 'settled', ...amounts })
  },
  async WithdrawalSettled(tx, block, event) {
    const { opId, amount, amountWad, feeWad } = args(event)
    const amounts = { amountRaw: amount, amountWad, feeWad }
    await rows.finishCashOperation(tx, block, event, { operationId: opId, status: 'settled', ...amounts })
  },
  async DepositTakenBack(tx, block, event) {
    const { opId, amount } = args(event)
    const amounts = { amountRaw: amount, amountWad: null, feeWad: 0n }
    await rows.finishCashOperation(tx, block, event, { operationId: opId, status: 'taken_back', ...amounts })
  },
  async WithdrawalTakenBack(tx, block, event) {
    const { opId, amountWad } = args(event)
    const amounts = { amountRaw: null, amountWad, feeWad: 0n }
    await rows.finishCashOperation(tx, block, event, { operationId: opId, status: 'taken_back', ...amounts })
  },

  // Configuration
  async CreditBufferWadUpdated(tx, block, event) {
    await rows.updateSettings(tx, block, { creditBufferWad: args(event).newAmountWad })
  },
  async CreditBufferCapacityWadUpdated(tx, block, event) {
    await rows.updateSettings(tx, block, { creditBufferCapacityWad: args(event).newCapacityWad })
  },
  async InstantThresholdDivisorUpdated(tx, block, event) {
    await rows.updateSettings(tx, block, { instantThresholdDivisor: args(event).newDivisor })
  },
  async CashFeesUpdated(tx, block, event) {
    const { depositFeePpm, withdrawFeePpm } = args(event)
    await rows.updateSettings(tx, block, { depositFeePpm, withdrawFeePpm })
  },
  async FeeRatesUpdated(tx, block, event) {
    await rows.updateSettings(tx, block, args(event).rates)
  },
  async TokenSupportUpdated(tx, block, event) {
    const { token, supported, symbol, decimals } = args(event)
    await rows.upsertCashToken(tx, block, { token: lower(token), supported, symbol, decimals })
  },
  async TokenConfigUpdated(tx, block, event) {
    await rows.updateCashToken(tx, block, lower(args(event).token), args(event).config)
  },
  async WithdrawBufferUpdated(tx, block, event) {
    await rows.updateWithdrawBuffer(tx, block, lower(args(event).token), args(event).newAmount)
  },
  async StockListed(tx, block, event) {
    const { token, tokenIndex, ticker, symbol, name } = args(event)
    await rows.insertStockToken(tx, block, { token: lower(token), tokenIndex, ticker, symbol, name })
  },
  async ListingUpdated(tx, block, event) {
    await rows.updateStockToken(tx, block, lower(args(event).token), args(event).tradable)
  },
  async StockPauseUpdated(tx, block, event) {
    const { token, depositPaused, withdrawPaused } = args(event)
    await rows.updateStockPause(tx, block, lower(token), { depositPaused, withdrawPaused })
  },
  async PricePublished(tx, block, event) {
    const { priceId, price, feedUpdateTimestamp, publishedAt, session } = args(event)
    await rows.upsertOraclePrice(tx, block, { priceId, price, feedUpdateTimestamp, publishedAt, session })
  },
  async FeedReset(tx, block, event) {
    await rows.deleteOraclePrice(tx, block, args(event).priceId)
  },
}
