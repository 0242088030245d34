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
import { abs } from '../lib/bigints.ts'
import { addCashOperation, finishCashOperation } from './indexing/cash-operations.ts'
import {
  changeCashToken,
  changeSettings,
  changeStock,
  changeWithdrawBuffer,
  forgetPrice,
  listStock,
  publishPrice,
  supportCashToken,
} from './indexing/configuration.ts'
import {
  closeOrder,
  fillOrder,
  limitNotionalLeft,
  linkCashDeposit,
  linkStockDeposit,
  placeOrder,
  requestCancellation,
} from './indexing/orders.ts'
import { increasePosition, publishedPrice8, reducePosition } from './indexing/positions.ts'
import { StockChanges } from './indexing/stock-changes.ts'
import { addStockOperation, finishStockWithdrawal } from './indexing/stock-operations.ts'
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
  async apply(tx, blocks) {
    const changes = await StockChanges.of(tx, blocks)
    for (const { block, events, transactions } of blocks) {
      changes.enter(block)
      for (const transaction of transactions) changes.addTransaction(transaction)
      for (const event of events) handleEvent(handlers, changes, event)
    }
    await changes.write(tx)
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

/** A fill of a market or limit order: to the order, and to what its user holds. */
function applyFill(changes: StockChanges, event: TypedEvent<Fill>, maxNotionalWad: bigint | null): void {
  const { orderId, user, stockToken, quantity, price, thirdPartyFee, protocolFee } = event.args
  const side = quantity > 0n ? 'Buy' : 'Sell'
  const quantityWad = abs(quantity)
  const notional = notionalWad(quantityWad, price, side)
  fillOrder(changes, event, {
    orderId,
    quantityWad,
    priceWad: price,
    notionalWad: maxNotionalWad !== null && maxNotionalWad < notional ? maxNotionalWad : notional,
    thirdPartyFeeWad: thirdPartyFee,
    protocolFeeWad: protocolFee,
  })
  const change = { userAddress: user, token: stockToken, quantityWad }
  if (side === 'Buy') increasePosition(changes, change, price)
  else reducePosition(changes, change)
}

const handlers: EventHandlers<StockAbi, [changes: StockChanges]> = {
  // Orders
  MarketOrderPlaced(changes, event) {
    const { orderId, user, stockToken, amount, lockedAmount, deadline, exitAt } = event.args
    placeOrder(changes, event, {
      orderId,
      userAddress: user,
      token: stockToken,
      side: amount > 0n ? 'Buy' : 'Sell',
      amountWad: abs(amount),
      lockedWad: lockedAmount,
      deadlineSec: deadline,
      exitAtSec: exitAt,
      limit: null,
    })
  },
  LimitOrderPlaced(changes, event) {
    const { orderId, user, stockToken, quantity, price, tif, lockedAmount, deadline, exitAt } = event.args
    placeOrder(changes, event, {
      orderId,
      userAddress: user,
      token: stockToken,
      side: quantity > 0n ? 'Buy' : 'Sell',
      amountWad: abs(quantity),
      lockedWad: lockedAmount,
      deadlineSec: deadline,
      exitAtSec: exitAt,
      limit: { priceWad: price, timeInForce: tif },
    })
  },
  MarketOrderSettled: (changes, event) => applyFill(changes, event, null),
  LimitOrderSettled(changes, event) {
    const { orderId, quantity } = event.args
    applyFill(changes, event, quantity > 0n ? limitNotionalLeft(changes, orderId) : null)
  },
  CancelRequested(changes, event) {
    requestCancellation(changes, event, event.args.orderId)
  },
  OrderClosed(changes, event) {
    const { orderId, status, refund, reasonCode } = event.args
    const name = ORDER_STATUS[status]
    closeOrder(changes, event, { orderId, status: name ?? 'none', refundWad: refund, reasonCode })
  },

  // Orders with a deposit: both have been indexed by their own events, which come before
  DepositAndMarketBuy(changes, event) {
    linkCashDeposit(changes, event.args.orderId, event.args.depositOpId)
  },
  DepositAndLimitBuy(changes, event) {
    linkCashDeposit(changes, event.args.orderId, event.args.depositOpId)
  },
  DepositStockAndMarketSell(changes, event) {
    linkStockDeposit(changes, event.args.orderId)
  },
  DepositStockAndLimitSell(changes, event) {
    linkStockDeposit(changes, event.args.orderId)
  },

  // Stock
  StockDeposited(changes, event) {
    const change = { userAddress: event.args.user, token: event.args.token }
    const quantityWad = event.args.amount
    addStockOperation(changes, event, { ...change, amountWad: quantityWad, kind: 'deposit' })
    const price8 = publishedPrice8(changes, change.token)
    increasePosition(changes, { ...change, quantityWad }, price8 === null ? null : priceWad(price8))
  },
  StockWithdrawn(changes, event) {
    const change = { userAddress: event.args.user, token: event.args.token }
    const quantityWad = event.args.amount
    addStockOperation(changes, event, { ...change, amountWad: quantityWad, kind: 'withdraw' })
    reducePosition(changes, { ...change, quantityWad })
  },
  StockWithdrawalRequested(changes, event) {
    const { opId, token, user, amount, exitAt } = event.args
    const queued = { operationId: opId, exitAtSec: exitAt }
    const operation = { userAddress: user, token, amountWad: amount, queued }
    addStockOperation(changes, event, { ...operation, kind: 'withdraw' })
  },
  StockWithdrawalSettled(changes, event) {
    const { opId, token, user, amount } = event.args
    finishStockWithdrawal(changes, event, opId, 'settled')
    reducePosition(changes, { userAddress: user, token, quantityWad: amount })
  },
  StockWithdrawalTakenBack(changes, event) {
    finishStockWithdrawal(changes, event, event.args.opId, 'taken_back')
  },

  // Cash
  InstantDeposit(changes, event) {
    const { opId, user, token, amount, creditWad, feeWad } = event.args
    const operation = { operationId: opId, userAddress: user, token, exitAtSec: null }
    const amounts = { amountRaw: amount, amountWad: creditWad, feeWad }
    addCashOperation(changes, event, { ...operation, ...amounts, kind: 'deposit', isInstant: true })
  },
  DepositRequested(changes, event) {
    const { opId, user, token, amount, exitAt } = event.args
    const operation = { operationId: opId, userAddress: user, token, exitAtSec: exitAt }
    const amounts = { amountRaw: amount, amountWad: null, feeWad: 0n }
    addCashOperation(changes, event, { ...operation, ...amounts, kind: 'deposit', isInstant: false })
  },
  InstantWithdrawal(changes, event) {
    const { opId, user, token, amountWad, amount, feeWad } = event.args
    const operation = { operationId: opId, userAddress: user, token, exitAtSec: null }
    const amounts = { amountRaw: amount, amountWad, feeWad }
    addCashOperation(changes, event, { ...operation, ...amounts, kind: 'withdraw', isInstant: true })
  },
  WithdrawalRequested(changes, event) {
    const { opId, user, token, amountWad, feeWad, exitAt } = event.args
    const operation = { operationId: opId, userAddress: user, token, exitAtSec: exitAt }
    const amounts = { amountRaw: null, amountWad, feeWad }
    addCashOperation(changes, event, { ...operation, ...amounts, kind: 'withdraw', isInstant: false })
  },
  DepositSettled(changes, event) {
    const { opId, amount, creditWad, feeWad } = event.args
    const amounts = { amountRaw: amount, amountWad: creditWad, feeWad }
    finishCashOperation(changes, event, { operationId: opId, status: 'settled', ...amounts })
  },
  WithdrawalSettled(changes, event) {
    const { opId, amount, amountWad, feeWad } = event.args
    const amounts = { amountRaw: amount, amountWad, feeWad }
    finishCashOperation(changes, event, { operationId: opId, status: 'settled', ...amounts })
  },
  DepositTakenBack(changes, event) {
    const { opId, amount } = event.args
    const amounts = { amountRaw: amount, amountWad: null, feeWad: 0n }
    finishCashOperation(changes, event, { operationId: opId, status: 'taken_back', ...amounts })
  },
  WithdrawalTakenBack(changes, event) {
    const { opId, amountWad } = event.args
    const amounts = { amountRaw: null, amountWad, feeWad: 0n }
    finishCashOperation(changes, event, { operationId: opId, status: 'taken_back', ...amounts })
  },

  // Configuration
  CreditBufferWadUpdated(changes, event) {
    changeSettings(changes, { credit_buffer_wad: event.args.newAmountWad })
  },
  CreditBufferCapacityWadUpdated(changes, event) {
    changeSettings(changes, { credit_buffer_capacity_wad: event.args.newCapacityWad })
  },
  InstantThresholdDivisorUpdated(changes, event) {
    changeSettings(changes, { instant_threshold_divisor: event.args.newDivisor })
  },
  CashFeesUpdated(changes, event) {
    const { depositFeePpm, withdrawFeePpm } = event.args
    changeSettings(changes, { deposit_fee_ppm: depositFeePpm, withdraw_fee_ppm: withdrawFeePpm })
  },
  FeeRatesUpdated(changes, event) {
    const { buyThirdPartyPpm, buyProtocolPpm, sellThirdPartyPpm, sellProtocolPpm } = event.args.rates
    changeSettings(changes, {
      buy_third_party_ppm: buyThirdPartyPpm,
      buy_protocol_ppm: buyProtocolPpm,
      sell_third_party_ppm: sellThirdPartyPpm,
      sell_protocol_ppm: sellProtocolPpm,
    })
  },
  TokenSupportUpdated(changes, event) {
    const { token, supported, symbol, decimals } = event.args
    supportCashToken(changes, { token, supported, symbol, decimals })
  },
  TokenConfigUpdated(changes, event) {
    changeCashToken(changes, event.args.token, event.args.config)
  },
  WithdrawBufferUpdated(changes, event) {
    changeWithdrawBuffer(changes, event.args.token, event.args.newAmount)
  },
  StockListed(changes, event) {
    const { token, tokenIndex, ticker, symbol, name } = event.args
    listStock(changes, { token, tokenIndex, ticker, symbol, name })
  },
  ListingUpdated(changes, event) {
    changeStock(changes, event.args.token, { tradable: event.args.terms.tradable })
  },
  StockPauseUpdated(changes, event) {
    const { token, depositPaused, withdrawPaused } = event.args
    changeStock(changes, token, { deposit_paused: depositPaused, withdraw_paused: withdrawPaused })
  },
  PricePublished(changes, event) {
    const { priceId, price, feedUpdateTimestamp, publishedAt, session } = event.args
    publishPrice(changes, { priceId, price, feedUpdateTimestamp, publishedAt, session })
  },
  FeedReset(changes, event) {
    forgetPrice(changes, event.args.priceId)
  },
}
