import type { Static } from 'typebox'
import type { Hex } from '../../chain/types.ts'
import type { Tx } from '../../db/pool.ts'
import { abs } from '../../lib/bigints.ts'
import type { Publication, Rendering, Subject } from '../../push/publish.ts'
import type { PerpContext } from '../context.ts'
import { keptOfIds } from '../kept/kept-store.ts'
import { keptOrderView } from '../kept/kept-view.ts'
import type { ListedInstrument } from '../listing/catalogue.ts'
import type { NamedBlock } from '../listing/pair.ts'
import { indexedBlock } from '../market-data/indexed-block.ts'
import { divWad } from '../maths/wad.ts'
import { executionView } from '../portfolio/execution-view.ts'
import { movementView } from '../portfolio/ledger-view.ts'
import { rangeView } from '../portfolio/liquidity-view.ts'
import { takenOfAll } from '../portfolio/open-orders.ts'
import { orderView, sideOf } from '../portfolio/order-view.ts'
import type { LedgerRow, OrderRow } from '../portfolio/record-store.ts'
import { type KnownTokens, listedAt, silentToken, tokenBook } from '../portfolio/tokens.ts'
import { failedSendView } from '../sending/failed-send.ts'
import { failedSends } from '../sending/send-store.ts'
import { BLOCKS_HINT } from './indexed-tip.ts'
import { instrumentBook } from './instrument-book.ts'
import { hasMarks, type Mark, type MarkedRecord, putBack, type RecordName, takeMarks } from './mark-store.ts'
import { CHANNEL_OF_KIND, PAYLOAD_VERSION, PUSHED_AS, type RecordKind } from './private-channels.ts'
import * as reads from './record-reads.ts'
import type { toldPositionSchema } from './told-position.ts'

const BATCH_MARKS = 1000
/**
 * Told before the others of a block: an execution is rendered from its row alone, where an order waits for the node, and it is what a
 * trader waits for.
 */
const QUICK: RecordKind = 'execution'
/** Records of each growing kind with which a wallet's first key begins; as many as a snapshot holds. */
const FIRST_RECORDS = 200

type Context = Pick<PerpContext, 'venue' | 'chainId' | 'productType' | 'instruments'>

/** A record as it is told. */
interface Told {
  readonly payload: string
  readonly sortAt: Date
}

/** So many contracts that are not known one transaction asks, while everybody waits for it: they are strangers', and may be slow on purpose. */
const MOST_ASKED = 20
/** A movement whose token the node refuses to run waits for so long: six rounds, in which a fault of the node's own may pass. */
const MOST_REFUSED_SEC = 60

/** In the place of a record that cannot be told yet: it is marked again. */
const LATER = Symbol('later')
/** The same of one whose token there was no time to ask about: the next time it comes before those. */
const IN_TURN = Symbol('in turn')

/** Reads and renders all of one kind, by `keyOf`. */
type Renderer = (
  tx: Tx,
  names: readonly MarkedRecord[],
) => Promise<readonly (readonly [string, Told | typeof LATER | typeof IN_TURN])[]>

const keyOf = ({ trader, subject }: { readonly trader: string; readonly subject: string }) => `${trader} ${subject}`

/** What wallets with API keys see of their orders, executions, positions, ranges and money, rendered anew for every mark. */
export function perpPublication(context: Context): Publication {
  const { chainId, productType } = context
  const renderers = renderersOf(context)
  return {
    product: PUSHED_AS,
    hint: BLOCKS_HINT,
    hasChanges: (db) => hasMarks(db, chainId),
    async takeChanges(tx, isQuick) {
      const marks = await takeMarks(tx, chainId, productType, { limit: BATCH_MARKS, first: isQuick ? QUICK : null })
      const names = await namesOf(tx, chainId, marks)
      return { subjects: names.map(subjectOf), render: () => render(tx, chainId, renderers, names) }
    },
  }
}

/** Every record that is marked, once, in the order of the first marks. */
async function namesOf(tx: Tx, chainId: number, marks: readonly Mark[]): Promise<readonly MarkedRecord[]> {
  const names = new Map<string, MarkedRecord>()
  for (const mark of marks) {
    const marked = mark.kind === null ? await reads.namesOfWallet(tx, chainId, mark.trader, FIRST_RECORDS) : [mark]
    for (const name of marked) {
      const key = `${name.kind} ${keyOf(name)}`
      names.set(key, { ...name, waitedSec: Math.max(mark.waitedSec, names.get(key)?.waitedSec ?? 0) })
    }
  }
  return [...names.values()]
}

async function render(
  tx: Tx,
  chainId: number,
  renderers: Readonly<Record<RecordKind, Renderer>>,
  names: readonly MarkedRecord[],
): Promise<readonly Rendering[]> {
  const kinds = [...Map.groupBy(names, ({ kind }) => kind)]
  const told = new Map(
    await Promise.all(kinds.map(async ([kind, ofKind]) => [kind, new Map(await renderers[kind](tx, ofKind))] as const)),
  )
  const toldOf = (name: RecordName) => told.get(name.kind)?.get(keyOf(name)) ?? null
  const waiting = [IN_TURN, LATER].flatMap((why) => names.filter((name) => toldOf(name) === why))
  await putBack(tx, chainId, waiting)
  return names.flatMap((name) => {
    const one = toldOf(name)
    return one === IN_TURN || one === LATER ? [] : [renderingOf(name, one)]
  })
}

const subjectOf = ({ trader, kind, subject }: RecordName): Subject => ({
  owner: trader,
  channel: CHANNEL_OF_KIND[kind],
  subject,
})

/** Without a payload where there is no such record, or no longer. */
const renderingOf = (name: RecordName, told: Told | null): Rendering => ({
  ...subjectOf(name),
  event: name.kind,
  version: PAYLOAD_VERSION,
  sortAt: told?.sortAt ?? new Date(0),
  payloads: told ? [told.payload] : [],
})

const told = (payload: unknown, atSec: bigint): Told => ({
  payload: JSON.stringify(payload),
  sortAt: new Date(Number(atSec) * 1000),
})

function renderersOf(context: Context): Readonly<Record<RecordKind, Renderer>> {
  const { chainId } = context
  const listed = instrumentBook(context.instruments)
  const logWrongOrder = wrongOrderLog(context)
  const tokens = tokenBook(context.venue.rpc)
  /** A kind whose rows are of an instrument. */
  const ofPairs =
    <Row extends { readonly instrument: Hex }>(
      read: (tx: Tx, chain: number, names: readonly RecordName[]) => Promise<reads.Named<Row>[]>,
      view: (row: reads.Named<Row>, instrument: ListedInstrument) => Told,
    ): Renderer =>
    async (tx, names) => {
      const rows = await read(tx, chainId, names)
      const list = await listed(rows.map(({ instrument }) => instrument))
      return rows.map((row) => [keyOf(row), view(row, listedAt(list, row.instrument))])
    }
  return {
    order: ofPairs(
      async (tx, chain, names) => {
        const [rows, block] = await Promise.all([reads.readOrders(tx, chain, names), indexedBlock(tx, chain)])
        return withTaken(context, block, rows, logWrongOrder)
      },
      (row, instrument) => told(orderView(row, instrument, row.taken), row.closedAtSec ?? row.placedAtSec),
    ),
    execution: ofPairs(reads.readExecutions, (row, instrument) => told(executionView(row, instrument), row.atSec)),
    position: ofPairs(reads.readPositions, (row, instrument) =>
      told(toldPositionView(row, instrument), row.updatedAtSec),
    ),
    range: ofPairs(reads.readRanges, (row, instrument) =>
      told(rangeView(row, instrument, row.trader), row.updatedAtSec),
    ),
    async movement(tx, names) {
      const found = new Map((await reads.readMovements(tx, chainId, names)).map((row) => [keyOf(row), row]))
      // In the order of the marks: whoever has waited longest is asked about first.
      const rows = names.flatMap((name) => {
        const row = found.get(keyOf(name))
        return row ? [{ row, waitedSec: name.waitedSec }] : []
      })
      const list = await listed(rows.flatMap(({ row }) => row.instrument ?? []))
      const answer = await tokens(
        await indexedBlock(tx, chainId),
        list,
        rows.map(({ row }) => row.token),
        MOST_ASKED,
      )
      // A token is anybody's contract: where the node does not tell what one is, its movements alone wait.
      const [err] = answer.failures.values()
      if (err !== undefined) context.venue.log.warn({ err }, 'movements of tokens that are not known are told later')
      return rows.map(({ row, waitedSec }) => [keyOf(row), toldMovement(row, waitedSec, answer)])
    },
    async keptOrder(tx, names) {
      const ids = names.map(({ subject }) => subject)
      return (await keptOfIds(tx, chainId, ids)).map((row) => [
        keyOf({ trader: row.user, subject: row.keptId }),
        { payload: JSON.stringify(keptOrderView(row)), sortAt: row.endedAt ?? row.createdAt },
      ])
    },
    async send(tx, names) {
      const ids = names.map(({ subject }) => subject)
      return (await failedSends(tx, chainId, ids)).map((row) => [
        keyOf({ trader: row.user, subject: row.sendId }),
        { payload: JSON.stringify(failedSendView(row)), sortAt: row.createdAt },
      ])
    },
  }
}

/** A movement with its token; one that the node refuses for long says nothing, or its movements would go round for ever. */
function toldMovement(
  row: LedgerRow,
  waitedSec: number,
  { known, failures, refused }: KnownTokens,
): Told | typeof LATER | typeof IN_TURN {
  const isSilent = refused.has(row.token) && waitedSec >= MOST_REFUSED_SEC
  const token = known.get(row.token) ?? (isSilent ? silentToken(row.token) : null)
  if (token !== null) return told(movementView(row, token), row.atSec)
  return failures.has(row.token) ? LATER : IN_TURN
}

/**
 * Orders with how much of each was taken: of an open one no event tells it, so the contract is asked at the block that the
 * transaction sees, for all wallets at once. One that is not open there is told as it is stored: it must not hold up what all others
 * are told. Throws `perp_chain_unreachable`; the marks are taken again then.
 */
async function withTaken(
  { venue }: Context,
  block: NamedBlock,
  rows: readonly reads.Named<OrderRow>[],
  logWrong: (order: reads.Named<OrderRow>) => void,
) {
  const open = rows.filter(({ status }) => status === 'open')
  const amounts = await takenOfAll(venue, block, open)
  const taken = new Map(open.map((row, nth) => [row, amounts[nth] ?? null]))
  for (const [row, amount] of taken) if (amount === null) logWrong(row)
  return rows.map((row) => ({ ...row, taken: taken.get(row) ?? row.filledSizeWad }))
}

/** Logs each order once that is recorded as open and is not so on chain. */
function wrongOrderLog({ venue }: Context): (order: reads.Named<OrderRow>) => void {
  const logged = new Set<bigint>()
  return ({ orderId, trader, instrument, expiry }) => {
    if (logged.has(orderId)) return
    logged.add(orderId)
    const order = { orderId: String(orderId), trader, instrument, expiry: Number(expiry) }
    venue.log.error(order, 'an order is recorded as open and is not so on chain: told as it is recorded')
  }
}

const toldPositionView = (
  row: reads.StoredPosition,
  instrument: ListedInstrument,
): Static<typeof toldPositionSchema> => ({
  balance: String(row.balanceWad),
  size: String(row.sizeWad),
  entryNotional: String(row.entryNotionalWad),
  entrySocialLossIndex: String(row.entrySocialLossIndex),
  entryFundingIndex: String(row.entryFundingIndex),
  side: sideOf(row.sizeWad),
  entryPrice: String(divWad(row.entryNotionalWad, abs(row.sizeWad))),
  lastUpdateTime: Number(row.updatedAtSec),
  lastUpdateTxHash: row.updateTxHash,
  instrumentAddr: row.instrument,
  expiry: Number(row.expiry),
  symbol: instrument.symbol,
})
