import type { Hex } from '../../chain/types.ts'
import type { Tx } from '../../db/pool.ts'
import { AtBlock } from '../../http/product.ts'
import { AppError } from '../../lib/errors.ts'
import type { PerpContext } from '../context.ts'
import { type Instruments, instrumentOf, type ListedInstrument, PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { type NamedBlock, unreachable } from '../listing/pair.ts'
import { perpReasons } from '../reasons.ts'
import { executionView } from './execution-view.ts'
import { type Indexed, readIndexed } from './indexed.ts'
import { movementView, pairMovementView } from './ledger-view.ts'
import { liquidityEventView, rangeView } from './liquidity-view.ts'
import { takenOf } from './open-orders.ts'
import { closedOrderView, type OrderView, orderView } from './order-view.ts'
import { checkPage, type Page, type PageQuery } from './page.ts'
import { positionView } from './position-view.ts'
import { measurePositions } from './positions.ts'
import * as rows from './record-store.ts'
import { type KnownToken, listedAt, silentToken, tokenBook } from './tokens.ts'
import { volumesView } from './volume-view.ts'

// What is told of an account, whoever may ask: each answer is of the block up to which the chain is indexed.

/** An account, and what of it is asked for: an instrument’s pair, the perpetual unless it says otherwise, or all pairs of an expiry. */
export interface Asked {
  readonly trader: Hex
  readonly symbol?: string | undefined
  /** In the symbol's place. */
  readonly instrumentAddress?: string | undefined
  readonly expiry?: number | undefined
}

type Read = Pick<PerpContext, 'venue' | 'chainId' | 'instruments'>
type Newest = Pick<PerpContext, 'atNewest'>

const atBlock = ({ height, timestampSec }: NamedBlock, data: unknown) => new AtBlock({ height, timestampSec }, data)

/** Instruments, and rows of an account with the block that they are of. Throws `instrument_unknown` and `perp_not_indexed`. */
async function read<T>(
  { venue, chainId, instruments }: Read,
  { trader, ...asked }: Asked,
  from: (tx: Tx, scope: rows.Scope) => Promise<T>,
): Promise<Indexed<T> & { readonly listed: Instruments }> {
  const listed = await instruments()
  const pairs = pairsOf(listed, asked)
  const indexed = await readIndexed(venue, (tx) => from(tx, { chainId, trader, pairs }))
  return { ...indexed, listed }
}

/** The same of a page. Throws `perp_range_invalid` too. */
async function readPage<T>(
  context: Read,
  asked: Asked,
  page: PageQuery,
  from: (tx: Tx, scope: rows.Scope, page: PageQuery) => Promise<T>,
): Promise<Indexed<T> & { readonly listed: Instruments }> {
  checkPage(page)
  return await read(context, asked, (tx, scope) => from(tx, scope, page))
}

/** The key under which an answer of an account is kept. */
export const keyOf = (what: string, { trader, symbol, instrumentAddress, expiry }: Asked): string =>
  [what, trader, symbol, instrumentAddress?.toLowerCase(), expiry].join(' ')

/** The pairs that are asked for; null for all. Throws `instrument_unknown`. */
export function pairsOf(
  listed: Instruments,
  { symbol, instrumentAddress, expiry }: Omit<Asked, 'trader'>,
): rows.Scope['pairs'] {
  if (symbol === undefined && instrumentAddress === undefined && expiry === undefined) return null
  return {
    instruments: instrumentsOf(listed, symbol, instrumentAddress),
    expiry: expiry ?? PERPETUAL_EXPIRY,
  }
}

function instrumentsOf(listed: Instruments, symbol: string | undefined, address: string | undefined): readonly Hex[] {
  if (symbol !== undefined) return [instrumentOf(listed, symbol).address]
  if (address !== undefined) return [knownAddress(listed, address)]
  return listed.list.map((instrument) => instrument.address)
}

function knownAddress({ list }: Instruments, address: string): Hex {
  const found = list.find((instrument) => instrument.address === address.toLowerCase())
  if (found) return found.address
  throw new AppError(perpReasons.instrument_unknown, `there is no instrument at ${address}`)
}

/** A page of rows, each with its instrument. */
const pageOf = <Row extends { readonly instrument: Hex }, View>(
  { block, rows: page, listed }: Indexed<Page<Row>> & { readonly listed: Instruments },
  view: (row: Row, instrument: ListedInstrument) => View,
) =>
  atBlock(block, {
    list: page.list.map((row) => view(row, listedAt(listed, row.instrument))),
    totalCount: page.totalCount,
  })

/** Read once a block: what is taken of an order is known to the chain alone. */
export const openOrders = (context: Read & Newest, asked: Asked): Promise<AtBlock> =>
  context.atNewest(keyOf('orders', asked), () => readOpenOrders(context, asked))

async function readOpenOrders(context: Read, asked: Asked): Promise<AtBlock> {
  const { block, rows: orders, listed } = await read(context, asked, rows.listOpenOrders)
  const taken = await takenOf(context.venue, block, asked.trader, orders)
  const view = (order: rows.OrderRow, index: number) =>
    orderView(order, listedAt(listed, order.instrument), taken[index] ?? 0n)
  return atBlock(block, orders.map(view))
}

/** Throws `order_unknown`. */
export async function orderById(context: Read, trader: Hex, orderId: string): Promise<AtBlock> {
  const found = await read(context, { trader }, (tx, scope) => rows.findOrder(tx, scope, BigInt(orderId)))
  const { block, rows: order, listed } = found
  if (order === null) throw new AppError(perpReasons.order_unknown, `the wallet has no order ${orderId}`)
  const [taken = 0n] =
    order.status === 'open' ? await takenOf(context.venue, block, trader, [order]) : [order.filledSizeWad]
  const view: OrderView = orderView(order, listedAt(listed, order.instrument), taken)
  return atBlock(block, view)
}

export const closedOrders = async (context: Read, asked: Asked, page: PageQuery): Promise<AtBlock> =>
  pageOf(await readPage(context, asked, page, rows.pageOfClosedOrders), closedOrderView)

export const executions = async (context: Read, asked: Asked, page: PageQuery): Promise<AtBlock> =>
  pageOf(await readPage(context, asked, page, rows.pageOfExecutions), executionView)

/** Read once a block: what a position is worth is known to the chain alone. */
export const positions = (context: Read & Newest, asked: Asked): Promise<AtBlock> =>
  context.atNewest(keyOf('positions', asked), () => readPositions(context, asked))

async function readPositions(context: Read, asked: Asked): Promise<AtBlock> {
  const { block, rows: held, listed } = await read(context, asked, rows.listPositions)
  const measured = await measurePositions(context.venue, block, asked.trader, held)
  const views = measured.map((one, index) => {
    const row = held[index] as rows.PositionRow
    return positionView(row, listedAt(listed, row.instrument), one)
  })
  return atBlock(block, views)
}

export async function ranges(context: Read, asked: Asked): Promise<AtBlock> {
  const { block, rows: held, listed } = await read(context, asked, rows.listRanges)
  return atBlock(
    block,
    held.map((row) => rangeView(row, listedAt(listed, row.instrument), asked.trader)),
  )
}

export const liquidityEvents = async (context: Read, asked: Asked, page: PageQuery): Promise<AtBlock> =>
  pageOf(await readPage(context, asked, page, rows.pageOfLiquidity), liquidityEventView)

type LedgerPage = (tx: Tx, scope: rows.Scope, page: PageQuery) => Promise<Page<rows.LedgerRow>>

/** Read once a block: all that an account ever did is added up. */
export const volumes = (context: Read & Newest, asked: Asked): Promise<AtBlock> =>
  context.atNewest(keyOf('volumes', asked), async () => {
    const { block, rows: traded, listed } = await read(context, asked, rows.volumesOf)
    return atBlock(block, volumesView(listed, traded))
  })

/**
 * Movements of an account's money, with the tokens that they are of: all, or those of a pair with its instrument. Throws
 * `perp_chain_unreachable` where the node does not tell what one of the tokens is; one that it refuses to run says nothing in that answer, since a
 * page that cannot be shown for one token would never be.
 */
export function ledgerOf(context: Read) {
  const tokens = tokenBook(context.venue.rpc)
  async function page(asked: Asked, query: PageQuery, from: LedgerPage) {
    const found = await readPage(context, asked, query, from)
    const { list, totalCount } = found.rows
    const { known, failures, refused } = await tokens(
      found.block,
      found.listed,
      list.map(({ token }) => token),
    )
    const tokenOf = (address: Hex): KnownToken => {
      const token = known.get(address) ?? (refused.has(address) ? silentToken(address) : null)
      if (token === null) throw unreachable(failures.get(address))
      return token
    }
    const withToken = list.map((row) => ({ row, token: tokenOf(row.token) }))
    return { ...found, withToken, totalCount }
  }
  return {
    async movements(asked: Asked, which: Parameters<typeof rows.pageOfLedger>[2], query: PageQuery): Promise<AtBlock> {
      const from: LedgerPage = (tx, scope, of) => rows.pageOfLedger(tx, scope, which, of)
      const { block, withToken, totalCount } = await page(asked, query, from)
      return atBlock(block, { list: withToken.map(({ row, token }) => movementView(row, token)), totalCount })
    },
    async pairMovements(asked: Asked, which: 'funding' | 'pair', query: PageQuery): Promise<AtBlock> {
      const from: LedgerPage = (tx, scope, of) => rows.pageOfPairLedger(tx, scope, which, of)
      const { block, listed, withToken, totalCount } = await page(asked, query, from)
      const list = withToken.map(({ row, token }) =>
        pairMovementView(row, token, listedAt(listed, row.instrument as Hex)),
      )
      return atBlock(block, { list, totalCount })
    },
  }
}

export type Ledger = ReturnType<typeof ledgerOf>
