import { cashierAbi } from '../chain/abi/cashier.ts'
import { stockAbi } from '../chain/abi/stock.ts'
import { stockOracleAbi } from '../chain/abi/stock-oracle.ts'
import { stockRouterAbi } from '../chain/abi/stock-router.ts'
import { contractAddress } from '../chain/deployment.ts'
import {
  type EventArguments,
  type EventHandlers,
  handleEvent,
  type TypedEvent,
} from '../chain/follow/event-handlers.ts'
import type { EventModule } from '../chain/follow/event-module.ts'
import type { ChainBlock } from '../chain/types.ts'
import type { Tx } from '../db/pool.ts'
import * as rows from './chain-store.ts'
import { increasePosition, publishedPrice8, reducePosition } from './portfolio/position-store.ts'
import {
  finishStockWithdrawal,
  insertStockOperation,
  linkCashDeposit,
  linkStockDeposit,
} from './portfolio/stock-operation-store.ts'
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
    for (const event of events) await handleEvent(handlers, tx, block, event)
  },
}

type StockAbi = typeof stockRouterAbi | typeof cashierAbi | typeof stockAbi | typeof stockOracleAbi
type Fill = EventArguments<StockAbi, 'MarketOrderSettled' | 'LimitOrderSettled'>

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
async function applyFill(
  tx: Tx,
  block: ChainBlock,
  event: TypedEvent<Fill>,
  maxNotionalWad: bigint | null,
): Promise<void> {
  const { orderId, user, stockToken, quantity, price, thirdPartyFee, protocolFee } = event.args
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
  const change = { userAddress: user, token: stockToken, quantityWad }
  if (side === 'Buy') await increasePosition(tx, block, change, price)
  else await reducePosition(tx, block, change)
}

const handlers: EventHandlers<StockAbi> = {
  // Orders
  async MarketOrderPlaced(tx, block, event) {
    const { orderId, user, stockToken, amount, lockedAmount, deadline, exitAt } = event.args
    await rows.insertOrder(tx, block, event, {
      orderId,
      userAddress: user,
      token: stockToken,
      side: amount > 0n ? 'Buy' : 'Sell',
      amountWad: amount > 0n ? amount : -amount,
      lockedWad: lockedAmount,
      deadlineSec: deadline,
      exitAtSec: exitAt,
      limit: null,
    })
  },
  async LimitOrderPlaced(tx, block, event) {
    const { orderId, user, stockToken, quantity, price, tif, lockedAmount, deadline, exitAt } = event.args
    await rows.insertOrder(tx, block, event, {
      orderId,
      userAddress: user,
      token: stockToken,
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
    const { orderId, quantity } = event.args
    await applyFill(tx, block, event, quantity > 0n ? await rows.limitNotionalLeft(tx, block, orderId) : null)
  },
  async CancelRequested(tx, block, event) {
    await rows.requestCancellation(tx, block, event, event.args.orderId)
  },
  async OrderClosed(tx, block, event) {
    const { orderId, status, refund, reasonCode } = event.args
    const name = ORDER_STATUS[status]
    await rows.closeOrder(tx, block, event, { orderId, status: name ?? 'none', refundWad: refund, reasonCode })
  },

  // Orders with a deposit: both have been indexed by their own events, which come before
  async DepositAndMarketBuy(tx, block, event) {
    await linkCashDeposit(tx, block, event.args.orderId, event.args.depositOpId)
  },
  async DepositAndLimitBuy(tx, block, event) {
    await linkCashDeposit(tx, block, event.args.orderId, event.args.depositOpId)
  },
  async DepositStockAndMarketSell(tx, block, event) {
    await linkStockDeposit(tx, block, event.args.orderId)
  },
  async DepositStockAndLimitSell(tx, block, event) {
    await linkStockDeposit(tx, block, event.args.orderId)
  },

  // Stock
  async StockDeposited(tx, block, event) {
    const change = { userAddress: event.args.user, token: event.args.token }
    const quantityWad = event.args.amount
    await insertStockOperation(tx, block, event, { ...change, amountWad: quantityWad, kind: 'deposit' })
    const price8 = await publishedPrice8(tx, block, change.token)
    await increasePosition(tx, block, { ...change, quantityWad }, price8 === null ? null : priceWad(price8))
  },
  async StockWithdrawn(tx, block, event) {
    const change = { userAddress: event.args.user, token: event.args.token }
    const quantityWad = event.args.amount
    await insertStockOperation(tx, block, event, { ...change, amountWad: quantityWad, kind: 'withdraw' })
    await reducePosition(tx, block, { ...change, quantityWad })
  },
  async StockWithdrawalRequested(tx, block, event) {
    const { opId, token, user, amount, exitAt } = event.args
    const queued = { operationId: opId, exitAtSec: exitAt }
    const operation = { userAddress: user, token, amountWad: amount, queued }
    await insertStockOperation(tx, block, event, { ...operation, kind: 'withdraw' })
  },
  async StockWithdrawalSettled(tx, block, event) {
    const { opId, token, user, amount } = event.args
    await finishStockWithdrawal(tx, block, event, opId, 'settled')
    await reducePosition(tx, block, { userAddress: user, token, quantityWad: amount })
  },
  async StockWithdrawalTakenBack(tx, block, event) {
    await finishStockWithdrawal(tx, block, event, event.args.opId, 'taken_back')
  },

  // Cash
  async InstantDeposit(tx, block, event) {
    const { opId, user, token, amount, creditWad, feeWad } = event.args
    const operation = { operationId: opId, userAddress: user, token, exitAtSec: null }
    const amounts = { amountRaw: amount, amountWad: creditWad, feeWad }
    await rows.insertCashOperation(tx, block, event, { ...operation, ...amounts, kind: 'deposit', isInstant: true })
  },
  async DepositRequested(tx, block, event) {
    const { opId, user, token, amount, exitAt } = event.args
    const operation = { operationId: opId, userAddress: user, token, exitAtSec: exitAt }
    const amounts = { amountRaw: amount, amountWad: null, feeWad: 0n }
    await rows.insertCashOperation(tx, block, event, { ...operation, ...amounts, kind: 'deposit', isInstant: false })
  },
  async InstantWithdrawal(tx, block, event) {
    const { opId, user, token, amountWad, amount, feeWad } = event.args
    const operation = { operationId: opId, userAddress: user, token, exitAtSec: null }
    const amounts = { amountRaw: amount, amountWad, feeWad }
    await rows.insertCashOperation(tx, block, event, { ...operation, ...amounts, kind: 'withdraw', isInstant: true })
  },
  async WithdrawalRequested(tx, block, event) {
    const { opId, user, token, amountWad, feeWad, exitAt } = event.args
    const operation = { operationId: opId, userAddress: user, token, exitAtSec: exitAt }
    const amounts = { amountRaw: null, amountWad, feeWad }
    await rows.insertCashOperation(tx, block, event, { ...operation, ...amounts, kind: 'withdraw', isInstant: false })
  },
  async DepositSettled(tx, block, event) {
    const { opId, amount, creditWad, feeWad } = event.args
    const amounts = { amountRaw: amount, amountWad: creditWad, feeWad }
    await rows.finishCashOperation(tx, block, event, { operationId: opId, status: 'settled', ...amounts })
  },
  async WithdrawalSettled(tx, block, event) {
    const { opId, amount, amountWad, feeWad } = event.args
    const amounts = { amountRaw: amount, amountWad, feeWad }
    await rows.finishCashOperation(tx, block, event, { operationId: opId, status: 'settled', ...amounts })
  },
  async DepositTakenBack(tx, block, event) {
    const { opId, amount } = event.args
    const amounts = { amountRaw: amount, amountWad: null, feeWad: 0n }
    await rows.finishCashOperation(tx, block, event, { operationId: opId, status: 'taken_back', ...amounts })
  },
  async WithdrawalTakenBack(tx, block, event) {
    const { opId, amountWad } = event.args
    const amounts = { amountRaw: null, amountWad, feeWad: 0n }
    await rows.finishCashOperation(tx, block, event, { operationId: opId, status: 'taken_back', ...amounts })
  },

  // Configuration
  async CreditBufferWadUpdated(tx, block, event) {
    await rows.updateSettings(tx, block, { creditBufferWad: event.args.newAmountWad })
  },
  async CreditBufferCapacityWadUpdated(tx, block, event) {
    await rows.updateSettings(tx, block, { creditBufferCapacityWad: event.args.newCapacityWad })
  },
  async InstantThresholdDivisorUpdated(tx, block, event) {
    await rows.updateSettings(tx, block, { instantThresholdDivisor: event.args.newDivisor })
  },
  async CashFeesUpdated(tx, block, event) {
    const { depositFeePpm, withdrawFeePpm } = event.args
    await rows.updateSettings(tx, block, { depositFeePpm, withdrawFeePpm })
  },
  async FeeRatesUpdated(tx, block, event) {
    await rows.updateSettings(tx, block, event.args.rates)
  },
  async TokenSupportUpdated(tx, block, event) {
    const { token, supported, symbol, decimals } = event.args
    await rows.upsertCashToken(tx, block, { token, supported, symbol, decimals })
  },
  async TokenConfigUpdated(tx, block, event) {
    await rows.updateCashToken(tx, block, event.args.token, event.args.config)
  },
  async WithdrawBufferUpdated(tx, block, event) {
    await rows.updateWithdrawBuffer(tx, block, event.args.token, event.args.newAmount)
  },
  async StockListed(tx, block, event) {
    const { token, tokenIndex, ticker, symbol, name } = event.args
    await rows.insertStockToken(tx, block, { token, tokenIndex, ticker, symbol, name })
  },
  async ListingUpdated(tx, block, event) {
    await rows.updateStockToken(tx, block, event.args.token, event.args.terms.tradable)
  },
  async StockPauseUpdated(tx, block, event) {
    const { token, depositPaused, withdrawPaused } = event.args
    await rows.updateStockPause(tx, block, token, { depositPaused, withdrawPaused })
  },
  async PricePublished(tx, block, event) {
    const { priceId, price, feedUpdateTimestamp, publishedAt, session } = event.args
    await rows.upsertOraclePrice(tx, block, { priceId, price, feedUpdateTimestamp, publishedAt, session })
  },
  async FeedReset(tx, block, event) {
    await rows.deleteOraclePrice(tx, block, event.args.priceId)
  },
}
