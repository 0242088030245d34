import type { Route } from '../../../http/product.ts'
import type { StockContext } from '../../context.ts'
import { getStockDeposit } from './deposit.ts'
import { postStockDepositCalldata } from './deposit-calldata.ts'
import { postStockDepositSend } from './deposit-send.ts'
import { postStockDepositTx } from './deposit-tx.ts'
import { getStockDeposits } from './deposits.ts'
import { getStockWithdrawal } from './withdrawal.ts'
import { postStockWithdrawalCalldata } from './withdrawal-calldata.ts'
import { postStockWithdrawalSend } from './withdrawal-send.ts'
import { postStockWithdrawalTx } from './withdrawal-tx.ts'
import { getStockWithdrawals } from './withdrawals.ts'

/** Deposits and withdrawals of stock (stock-api 2.5). */
export const stockMoveRoutes = (context: StockContext): readonly Route[] => [
  postStockDepositCalldata(context),
  postStockDepositSend(context),
  postStockDepositTx(context),
  getStockDeposits(context),
  getStockDeposit(context),
  postStockWithdrawalCalldata(context),
  postStockWithdrawalSend(context),
  postStockWithdrawalTx(context),
  getStockWithdrawals(context),
  getStockWithdrawal(context),
]
