import { type BlockRef, loadIndexedTip } from '../../chain/follow/store.ts'
import { signersEver } from '../../chain/send/status.ts'
import type { Hex } from '../../chain/types.ts'
import type { Tx } from '../../db/pool.ts'
import { listShareChanges, marketPlaysSplits, type ShareChange } from '../../market/applied-splits.ts'
import { readExecutionsCursor } from '../../market/broker-store.ts'
import { FIRST_TURN, type Turn } from '../../reconciliation/turn.ts'
import { SETTLE } from '../keeper/settlement-intent.ts'
import { readShareRatios, type ShareRatios } from '../listing/shares.ts'
import {
  type CashBooks,
  type CashTokenBooks,
  cashBooks,
  cashTokenBooks,
  type UserCash,
  type UserStock,
  userCash,
  userStocks,
  usersAfter,
} from './cash-books-store.ts'
import {
  type BookedOrder,
  bookedOrders,
  type ChainOrder,
  countOpenOrders,
  newestExecution,
  type OpenOrderCounts,
  openOrdersAfter,
  openOrdersOf,
} from './order-books-store.ts'
import {
  type ExecutedShares,
  executedShares,
  splitsUnderWay,
  type TokenBooks,
  tokenBooks,
} from './stock-books-store.ts'

/** Users and open orders that a reading looks at one by one; the next reading goes on with the next. */
export const USERS = 25
const ORDERS = 100

/** Where the next reading goes on. */
export interface Window {
  readonly users: Turn<Hex>
  readonly afterOrder: string
}

export const FIRST_WINDOW: Window = { users: FIRST_TURN, afterOrder: '' }

/** The database's own figures, all of one snapshot; those of the chain as of `block`. */
export interface DatabaseFigures {
  readonly block: BlockRef
  /** How far the broker's executions are collected. */
  readonly cursor: string | null
  readonly newestExecution: bigint
  readonly executed: readonly ExecutedShares[]
  /** By when the market's shares became others. */
  readonly splits: readonly ShareChange[]
  /** Whether the broker's positions change with them at once: a real broker takes its time. */
  readonly playsSplits: boolean
  readonly ratios: ShareRatios
  readonly splitsUnderWay: ReadonlySet<string>
  readonly tokens: readonly TokenBooks[]
  readonly settlers: readonly Hex[]
  readonly cash: CashBooks
  readonly cashTokens: readonly CashTokenBooks[]
  readonly bookedOrders: readonly BookedOrder[]
  readonly openOrders: OpenOrderCounts
  /** Users whose turn it is; the others that are looked at differed in the last reading. */
  readonly turn: readonly Hex[]
  /** Open orders of the window, and every one of the users that are looked at. */
  readonly orders: readonly ChainOrder[]
  readonly userCash: readonly UserCash[]
  readonly userStocks: readonly UserStock[]
  /** Where the next reading goes on among the open orders. */
  readonly nextOrder: string
}

/** Reads the database in a transaction that sees one snapshot; null before the first block is indexed. */
export async function readDatabase(
  tx: Tx,
  chainId: number,
  broker: string,
  window: Window,
): Promise<DatabaseFigures | null> {
  const block = await loadIndexedTip(tx, chainId)
  if (block === null) return null
  const turn = await usersAfter(tx, chainId, window.users.after ?? '', USERS)
  const users = [...new Set([...turn, ...window.users.again])]
  const orders = await openOrdersAfter(tx, chainId, window.afterOrder, ORDERS)
  const ofUsers = await openOrdersOf(tx, chainId, users)
  return {
    block,
    cursor: await readExecutionsCursor(tx, chainId, broker),
    newestExecution: await newestExecution(tx),
    executed: await executedShares(tx, broker),
    splits: await listShareChanges(tx),
    playsSplits: await marketPlaysSplits(tx),
    ratios: await readShareRatios(tx, chainId),
    splitsUnderWay: await splitsUnderWay(tx, chainId),
    tokens: await tokenBooks(tx, chainId),
    settlers: await signersEver(tx, chainId, SETTLE),
    cash: await cashBooks(tx, chainId),
    cashTokens: await cashTokenBooks(tx, chainId),
    bookedOrders: await bookedOrders(tx, broker),
    openOrders: await countOpenOrders(tx, chainId),
    turn,
    orders: [...new Map([...orders, ...ofUsers].map((order) => [order.orderId, order])).values()],
    userCash: await userCash(tx, chainId, users),
    userStocks: await userStocks(tx, chainId, users),
    nextOrder: orders.at(-1)?.orderId ?? '',
  }
}
