import { appendMessages, findRecords, type NewMessage } from '../../db/outbox.ts'
import { openHints } from '../../db/outbox-hints.ts'
import { dropOldOutboxPartitions, ensureOutboxPartitions } from '../../db/outbox-partitions.ts'
import type { Tx } from '../../db/pool.ts'
import { sleep } from '../../lib/clock.ts'
import type { StockContext } from '../context.ts'
import { viewCashOperations, viewOrder, viewStockOperations } from '../recording/lookups.ts'
import { findOrders, type MappingRow, STEP_DEPOSITS } from '../store.ts'
import {
  CHANNEL_OF_CLAIM,
  EVENT_OF_CHANNEL,
  type KeyChannel,
  outboxChannel,
  PAYLOAD_VERSION,
  within,
} from './key-channels.ts'
import { claimsOfMarks, hasMarks, lockPublishing, type MarkedClaim, mappingsOfClaims, takeMarks } from './mark-store.ts'

/** Marks are looked for this often, even when no hint comes. */
const POLL_MS = 500
const RETRY_MS = 500
const PARTITIONS_MS = 60_000
const BATCH_MARKS = 200
/** Another process publishes at the moment. */
const BUSY_MS = 20
const SERIALIZATION_FAILURE = '40001'

/**
 * Turns the marks of changes into messages of the outbox until the signal aborts. Any number of processes may do it: one
 * transaction at a time publishes, and a process may be killed at any point.
 */
export async function runPublisher(context: StockContext, retentionDays: number, signal: AbortSignal): Promise<void> {
  const { sql, log } = context.venue
  const hints = await openHints(sql, ['stock_stream_marks'])
  let partitionsMs = Number.NEGATIVE_INFINITY
  while (!signal.aborted) {
    try {
      if (performance.now() - partitionsMs >= PARTITIONS_MS) {
        await ensureOutboxPartitions(sql)
        await dropOldOutboxPartitions(sql, retentionDays)
        partitionsMs = performance.now()
      }
      await publishAll(context, signal)
      await hints.wait(POLL_MS, signal)
    } catch (err) {
      log.warn({ err }, 'changes could not be published and are tried again')
      partitionsMs = Number.NEGATIVE_INFINITY
      await sleep(RETRY_MS, signal)
    }
  }
  await hints.close()
}

/** Publishes until nothing is marked. */
export async function publishAll(context: StockContext, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted && (await hasMarks(context.venue.sql, context.chainId))) {
    if (!(await publishBatch(context))) await sleep(BUSY_MS, signal)
  }
}

/**
 * Publishes the oldest marks: renders what each claim's key sees now, all as of one moment, and adds what is news to the
 * outbox. False when another transaction publishes, or has just done so.
 */
async function publishBatch(context: StockContext): Promise<boolean> {
  try {
    return (await context.venue.sql.begin('isolation level repeatable read', async (tx) => {
      if (!(await lockPublishing(tx, context.chainId))) return false
      const marks = await takeMarks(tx, context.chainId, BATCH_MARKS)
      const claims = await claimsOfMarks(tx, context.chainId, marks)
      await appendMessages(tx, await newsOf(tx, context, claims))
      return true
    })) as boolean
  } catch (error) {
    if ((error as { code?: string }).code === SERIALIZATION_FAILURE) return false
    throw error
  }
}

/** A claim's record as its key sees it. */
interface Rendered {
  readonly claim: MarkedClaim
  readonly channel: string
  readonly kind: KeyChannel
  readonly subject: string
  readonly payload: string
}

/** The records of claims that differ from what was published last, and those that are no more. */
async function newsOf(tx: Tx, context: StockContext, claims: readonly MarkedClaim[]): Promise<NewMessage[]> {
  const shown = claims.flatMap((claim) => {
    const kind = CHANNEL_OF_CLAIM[claim.claimType]
    return kind === null ? [] : [{ claim, kind, channel: outboxChannel(context.chainId, claim.apiKeyId, kind) }]
  })
  if (shown.length === 0) return []
  const records = await findRecords(
    tx,
    shown.map(({ claim, channel }) => ({ channel, subject: claim.claimId })),
  )
  const published = new Map(records.map(({ channel, subject, payload }) => [`${channel} ${subject}`, payload]))
  const mappings = Map.groupBy(
    await mappingsOfClaims(
      tx,
      shown.map(({ claim }) => claim.claimId),
    ),
    ({ claimId }) => claimId,
  )
  const news: NewMessage[] = []
  for (const { claim, kind, channel } of shown) {
    const rendered = await render(within(context, tx), { claim, kind, channel }, mappings.get(claim.claimId) ?? [])
    for (const record of rendered) {
      if (published.get(`${channel} ${record.subject}`) !== record.payload) news.push(messageOf(record, record.payload))
    }
    const here = new Set(rendered.map(({ subject }) => subject))
    for (const record of records) {
      const isClaims = record.channel === channel && record.subject.split('/', 1)[0] === claim.claimId
      if (isClaims && !here.has(record.subject)) news.push(messageOf({ ...record, claim, channel, kind }, null))
    }
  }
  return news
}

const messageOf = (
  { claim, channel, kind, subject }: Omit<Rendered, 'payload'>,
  payload: string | null,
): NewMessage => ({
  channel,
  type: `${EVENT_OF_CHANNEL[kind]}.${payload === null ? 'removed' : 'updated'}`,
  version: PAYLOAD_VERSION,
  subject,
  payload,
  sortAt: claim.createdAt,
})

/** One record for each operation of the claim, as GET shows it in detail; one while there is no operation yet. */
async function render(
  context: StockContext,
  { claim, kind, channel }: Pick<Rendered, 'claim' | 'kind' | 'channel'>,
  mappings: readonly MappingRow[],
): Promise<Rendered[]> {
  const inStep = (STEP_DEPOSITS as readonly string[]).includes(claim.claimType)
  const rows = mappings.filter(({ operationId }) => operationId !== null || !inStep)
  const views = await viewsOf(context, kind, rows)
  return views.map((view, nth) => {
    const subject = nth === 0 ? claim.claimId : `${claim.claimId}/${nth}`
    return { claim, channel, kind, subject, payload: JSON.stringify(view) }
  })
}

async function viewsOf(context: StockContext, kind: KeyChannel, rows: readonly MappingRow[]): Promise<unknown[]> {
  if (kind === 'cash') return viewCashOperations(context, rows)
  if (kind === 'stock') return viewStockOperations(context, rows)
  const ids = rows.flatMap(({ operationId }) => operationId ?? [])
  const orders = new Map(
    (await findOrders(context.venue.sql, context.chainId, ids)).map((order) => [order.orderId, order]),
  )
  const views: unknown[] = []
  for (const row of rows) {
    views.push(await viewOrder(context, (row.operationId && orders.get(row.operationId)) ?? null, row))
  }
  return views
}
