import type { Tx } from '../../db/pool.ts'
import type { Publication, Rendering, TakenChanges } from '../../push/publish.ts'
import type { StockContext } from '../context.ts'
import { viewOrder } from '../orders/order-lookup.ts'
import { viewCashOperations, viewStockOperations } from '../portfolio/operation-lookup.ts'
import { STEP_DEPOSITS } from '../recording/claim-types.ts'
import { found, operationIds } from '../recording/mapping.ts'
import { type MappingRow, mappingsOfClaims } from '../recording/mapping-store.ts'
import { findOrders } from '../store.ts'
import {
  CHANNEL_OF_CLAIM,
  EVENT_OF_CHANNEL,
  type KeyChannel,
  PAYLOAD_VERSION,
  STOCK_CHANNELS,
  within,
} from './key-channels.ts'
import { claimsOfMarks, hasMarks, type MarkedClaim, takeMarks } from './mark-store.ts'

const BATCH_MARKS = 200
/** What one transaction renders at most, whatever its marks concern: everybody else waits for it. */
const BATCH_CLAIMS = 200

/** What a key sees of its orders and operations, rendered anew for every claim that a mark concerns. */
export const stockPublication = (context: StockContext): Publication => ({
  product: STOCK_CHANNELS.product,
  hint: 'stock_stream_marks',
  hasChanges: (db) => hasMarks(db, context.chainId),
  takeChanges: (tx) => takeChanges(context, tx),
})

async function takeChanges(context: StockContext, tx: Tx): Promise<TakenChanges> {
  const marks = await takeMarks(tx, context.chainId, BATCH_MARKS)
  const claims = await claimsOfMarks(tx, context.chainId, marks, BATCH_CLAIMS)
  const shown = claims.flatMap((claim) => {
    const channel = CHANNEL_OF_CLAIM[claim.claimType]
    return channel === null ? [] : [{ claim, channel }]
  })
  return {
    subjects: shown.map(({ claim, channel }) => ({ owner: claim.apiKeyId, channel, subject: claim.claimId })),
    render: () => renderAll(context, tx, shown),
  }
}

interface ShownClaim {
  readonly claim: MarkedClaim
  readonly channel: KeyChannel
}

/** One record for each operation of a claim, as GET shows it in detail; one while there is no operation yet. */
async function renderAll(context: StockContext, tx: Tx, shown: readonly ShownClaim[]): Promise<readonly Rendering[]> {
  const ids = shown.map(({ claim }) => claim.claimId)
  const mappings = Map.groupBy(await mappingsOfClaims(tx, ids), ({ claimId }) => claimId)
  const rowsOf = ({ claim: { claimId, claimType } }: ShownClaim) => {
    const inStep = (STEP_DEPOSITS as readonly string[]).includes(claimType)
    return (mappings.get(claimId) ?? []).filter(({ operationId }) => operationId !== null || !inStep)
  }
  const inTx = within(context, tx)
  const views = new Map<MappingRow, unknown>()
  for (const [channel, ofChannel] of Map.groupBy(shown, (one) => one.channel)) {
    const rows = ofChannel.flatMap(rowsOf)
    for (const [nth, view] of (await viewsOf(inTx, channel, rows)).entries()) views.set(rows[nth] as MappingRow, view)
  }
  return shown.map((one) =>
    renderingOf(
      one,
      rowsOf(one).map((row) => JSON.stringify(views.get(row))),
    ),
  )
}

const renderingOf = (
  { claim: { claimId, apiKeyId, createdAt }, channel }: ShownClaim,
  payloads: readonly string[],
): Rendering => ({
  owner: apiKeyId,
  channel,
  subject: claimId,
  event: EVENT_OF_CHANNEL[channel],
  version: PAYLOAD_VERSION,
  sortAt: createdAt,
  payloads,
})

/** One view for each row, in order. */
async function viewsOf(context: StockContext, kind: KeyChannel, rows: readonly MappingRow[]): Promise<unknown[]> {
  if (kind === 'cash') return viewCashOperations(context, rows)
  if (kind === 'stock') return viewStockOperations(context, rows)
  const ids = operationIds(rows)
  const orders = ids.length === 0 ? [] : await findOrders(context.venue.sql, context.chainId, ids)
  const byId = new Map(orders.map((order) => [order.orderId, order]))
  const views: unknown[] = []
  for (const row of rows) views.push(await viewOrder(context, found(byId, row), row))
  return views
}
