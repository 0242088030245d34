// Cash and stock into the venue and back to the wallet.
import {
  buildCashDeposit,
  buildCashWithdrawal,
  buildStockDeposit,
  buildStockWithdrawal,
  depositCash,
  depositStock,
  withdrawCash,
  withdrawStock,
} from '@bourse/sdk/stock'
import { clearAllowance, setAllowance } from '@bourse/sdk/wallet'
import { setup } from '../app-state.ts'
import { compare, toUnits } from '../lib/decimal.ts'
import type { Message } from '../lib/message.ts'
import { sendOnce } from '../lib/send-once.ts'
import { walletWords } from '../strings.ts'
import { afterStep } from '../wallet/after-step.ts'
import { sendByWallet, walletOf } from './actions.ts'
import { balance } from './balance.ts'
import { oneClickOn, sendByVenue } from './one-click.ts'
import type { words } from './strings.ts'
import { type Trader, trader } from './venue.ts'

export type Direction = 'deposit' | 'withdraw'
export type What = 'cash' | 'stock'

export interface Transfer {
  readonly direction: Direction
  readonly what: What
  readonly token: { readonly address: string; readonly decimals: number }
  readonly amount: string
}

const CALLS = {
  cash: {
    deposit: { build: buildCashDeposit, send: depositCash, kind: 'cashDeposit' },
    withdraw: { build: buildCashWithdrawal, send: withdrawCash, kind: 'cashWithdrawal' },
  },
  stock: {
    deposit: { build: buildStockDeposit, send: depositStock, kind: 'stockDeposit' },
    withdraw: { build: buildStockWithdrawal, send: withdrawStock, kind: 'stockWithdrawal' },
  },
} as const

export async function transfer(
  { direction, what, token, amount }: Transfer,
  at: (step: keyof typeof words.steps) => void,
): Promise<Message | null> {
  const by = trader()
  const { client, user } = by
  const { build, send, kind } = CALLS[what][direction]
  const fields = { tokenAddress: token.address, tokenAmount: amount }
  const move = async (): Promise<Message | null> => {
    if (!oneClickOn.peek()) return sendByWallet(kind, await build(client, { ...fields, userAddress: user }), by, at)
    await sendByVenue(() => sendOnce(client, (sender, options) => send(sender, fields, options), at))
    return null
  }
  const isApproved = direction === 'deposit' && (await allow(token, amount, by, at))
  return isApproved ? afterStep(walletWords.approvalStands, move) : move()
}

/** Approves exactly what is deposited, unless as much is approved already. Tells whether the wallet has sent an approval. */
async function allow(
  token: Transfer['token'],
  amount: string,
  by: Trader,
  at: (step: keyof typeof words.steps) => void,
): Promise<boolean> {
  const spender = setup.peek()?.contracts.StockRouter
  if (!spender) throw new Error('this venue has no StockRouter')
  await balance.refresh()
  const known = balance.data
    .peek()
    ?.tokenBalances.find(({ address }) => address.toLowerCase() === token.address.toLowerCase())
  if (known && compare(known.walletAllowance, amount) >= 0) return false
  at('approving')
  const { chainId } = by.client.options
  const wallet = walletOf(by)
  const approval = { chainId, token: token.address, spender, amount: toUnits(amount, token.decimals) }
  const allowIt = () => setAllowance(wallet, approval)
  await ((await clearAllowance(wallet, approval)) ? afterStep(walletWords.approvalCleared, allowIt) : allowIt())
  return true
}
