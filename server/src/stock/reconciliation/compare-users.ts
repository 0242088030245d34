import type { Hex } from '../../chain/types.ts'
import type { Line } from '../../reconciliation/lines.ts'
import { type ChainFigures, stockKey } from './chain-figures.ts'
import { ordersThatDiffer } from './compare-orders.ts'
import type { DatabaseFigures } from './database-figures.ts'
import { line, sum } from './lines.ts'

// The rule for users one by one: free and locked, cash and stock.

/** One balance of a user; `wrong` says what differs, and is null where nothing does. */
interface Check {
  readonly user: Hex
  readonly wrong: string | null
}

/** What was looked at of users, line by line. */
export const compareUsers = (database: DatabaseFigures, chain: ChainFigures): Line[] => [
  userLine('cash', checkCash(database, chain)),
  userLine('stock', checkStocks(database, chain)),
]

/** Users of whom a balance or an open order differs. */
export function usersThatDiffer(database: DatabaseFigures, chain: ChainFigures): readonly Hex[] {
  const balances = [...checkCash(database, chain), ...checkStocks(database, chain)].filter(
    ({ wrong }) => wrong !== null,
  )
  return [...new Set([...balances, ...ordersThatDiffer(database, chain)].map(({ user }) => user))]
}

const checkCash = (database: DatabaseFigures, chain: ChainFigures): Check[] =>
  database.userCash.map(({ user, cashWad }) => {
    const onChain = (chain.userCashWad.get(user) ?? 0n) + locked(database, chain, { user, side: 'Buy' })
    return { user, wrong: onChain === cashWad ? null : `${user} has ${cashWad} here and ${onChain} on chain` }
  })

const checkStocks = (database: DatabaseFigures, chain: ChainFigures): Check[] =>
  database.userStocks.map(({ user, token, ticker, quantityWad }) => {
    const free = chain.userStockWad.get(stockKey({ user, token })) ?? 0n
    const onChain = free + locked(database, chain, { user, side: 'Sell', token })
    const isRight = onChain === quantityWad
    return { user, wrong: isRight ? null : `${user} has ${quantityWad} ${ticker} here and ${onChain} on chain` }
  })

/** What the exchange has locked for the user's open orders of one side. */
const locked = (
  { orders }: DatabaseFigures,
  { openOrders }: ChainFigures,
  { user, side, token }: { readonly user: Hex; readonly side: 'Buy' | 'Sell'; readonly token?: Hex },
): bigint =>
  sum(
    orders
      .filter((order) => order.user === user && order.side === side && (token === undefined || order.token === token))
      .map(({ orderId }) => openOrders.get(orderId)?.lockedWad ?? 0n),
  )

function userLine(subject: string, checks: readonly Check[]): Line {
  const wrong = checks.flatMap((check) => check.wrong ?? [])
  const [database, difference] = [BigInt(checks.length), BigInt(wrong.length)]
  return line({
    section: 'users',
    subject,
    comparison: 'balances',
    unit: 'balances',
    decimals: 0,
    database,
    chain: database - difference,
    difference,
    cause: 'user_books',
    details: wrong,
  })
}
