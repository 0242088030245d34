import type { Route } from '../../../http/product.ts'
import type { StockContext } from '../../context.ts'
import { getCashDeposit } from './deposit.ts'
import { postCashDepositCalldata } from './deposit-calldata.ts'
import { postCashDepositSend } from './deposit-send.ts'
import { postCashDepositTx } from './deposit-tx.ts'
import { getCashDeposits } from './deposits.ts'
import { getCashWithdrawal } from './withdrawal.ts'
import { postCashWithdrawalCalldata } from './withdrawal-calldata.ts'
import { postCashWithdrawalSend } from './withdrawal-send.ts'
import { postCashWithdrawalTx } from './withdrawal-tx.ts'
import { getCashWithdrawals } from './withdrawals.ts'

/** Deposits and withdrawals of cash (stock-api 2.4). */
export const cashMoveRoutes = (context: StockContext): readonly Route[] => [
  postCashDepositCalldata(context),
  postCashDepositSend(context),
  postCashDepositTx(context),
  getCashDeposits(context),
  getCashDeposit(context),
  postCashWithdrawalCalldata(context),
  postCashWithdrawalSend(context),
  postCashWithdrawalTx(context),
  getCashWithdrawals(context),
  getCashWithdrawal(context),
]
