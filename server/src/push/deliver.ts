import { createHmac } from 'node:crypto'
import { type MasterKeys, openSecret } from '../auth/secrets.ts'
import { openHints } from '../db/hints.ts'
import { type Leadership, withLeadership } from '../db/locks.ts'
import { OUTBOX_HINT, type OutboxMessage, readMessages } from '../db/outbox.ts'
import type { Venue } from '../http/product.ts'
import { channelName } from './key-channels.ts'
import {
  disableWebhook,
  dueWebhooks,
  listCursors,
  noteDelivery,
  noteFailure,
  type Pace,
  type WebhookRow,
} from './webhook-store.ts'
import { type WebhookSender, webhookUrl } from './webhook-target.ts'

export interface WebhookSettings extends Pace {
  readonly masterKeys: MasterKeys
  readonly sender: WebhookSender
  /** Timeout of one attempt. */
  readonly timeoutMs: number
}

/** Settings that an operator rarely changes. */
export const WEBHOOK_PACE = { timeoutMs: 10_000, firstDelayMs: 1000, maxDelayMs: 3_600_000 }

const POLL_MS = 1000
/** Webhooks that are delivered to at once. */
const CONCURRENCY = 16
/** Quota: events of one webhook and channel before others get their turn. */
const TURN = 50
const MAX_ERROR = 300

/**
 * Delivers to every webhook what its key's channels of the outbox hold, in one process at a time, until the signal aborts.
 * Each channel comes in order; at least once, with the event's id, so that a receiver can leave out what it had.
 */
export async function runWebhooks(venue: Venue, settings: WebhookSettings, signal: AbortSignal): Promise<void> {
  const { sql, deployment, log } = venue
  const deliver = async ({ signal: held }: Leadership) => {
    const hints = await openHints(sql, [OUTBOX_HINT])
    const busy = new Map<string, Promise<void>>()
    const failedAt: FailedAt = new Map()
    try {
      while (!held.aborted) {
        await startDue(venue, settings, held, { busy, failedAt, wake: hints.wake }).catch((err) =>
          venue.log.warn({ err }, 'webhooks could not be looked up and are tried again'),
        )
        await hints.wait(POLL_MS, held)
      }
    } finally {
      await Promise.all(busy.values())
      await hints.close()
    }
  }
  await withLeadership(sql, `bourse.webhooks.${deployment.chainId}`, signal, deliver, { log })
}

/**
 * The channel of each webhook's event that was not taken: it is posted again before those of other channels, which may have come
 * meanwhile. Another process that takes over begins with any.
 */
type FailedAt = Map<string, string>

interface Deliveries {
  /** By webhook. */
  readonly busy: Map<string, Promise<void>>
  readonly failedAt: FailedAt
  wake(): void
}

async function startDue(
  venue: Venue,
  settings: WebhookSettings,
  signal: AbortSignal,
  { busy, failedAt, wake }: Deliveries,
): Promise<void> {
  const due = await dueWebhooks(venue.sql, venue.deployment.chainId)
  for (const webhook of due.filter(({ webhookId }) => !busy.has(webhookId)).slice(0, CONCURRENCY - busy.size)) {
    const { webhookId } = webhook
    const turn = deliverTurn(venue, settings, webhook, signal, failedAt)
      .catch((err) => venue.log.warn({ err, webhookId }, 'a webhook could not be served and is tried again'))
      .finally(() => {
        busy.delete(webhookId)
        wake()
      })
    busy.set(webhookId, turn)
  }
}

/** Delivers pending messages until one fails or the quota is used. */
async function deliverTurn(
  venue: Venue,
  settings: WebhookSettings,
  webhook: WebhookRow,
  signal: AbortSignal,
  failedAt: FailedAt,
): Promise<void> {
  const { sql } = venue
  const again = failedAt.get(webhook.webhookId)
  failedAt.delete(webhook.webhookId)
  const cursors = await listCursors(sql, webhook.webhookId)
  for (const { channel, deliveredSequence } of [...cursors].sort(
    (a, b) => Number(b.channel === again) - Number(a.channel === again),
  )) {
    const messages = await readMessages(sql, channel, deliveredSequence, TURN)
    if (messages === null) return stopAtGap(venue, webhook, channel, deliveredSequence)
    for (const message of messages) {
      const problem = await attempt(venue, settings, webhook, channel, message, signal)
      if (signal.aborted) return
      if (problem !== null) {
        failedAt.set(webhook.webhookId, channel)
        return noteProblem(venue, settings, webhook, problem)
      }
      if (!(await noteDelivery(sql, webhook.webhookId, channel, message.sequence))) return
    }
  }
}

/** One attempt; null when it was taken, else what went wrong. */
async function attempt(
  { clock, deployment }: Venue,
  { masterKeys, sender, timeoutMs }: WebhookSettings,
  webhook: WebhookRow,
  channel: string,
  message: OutboxMessage,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const body = eventJson(deployment.chainId, webhook.apiKeyId, channel, message)
    const timestamp = String(clock.nowMs())
    const secret = openSecret(masterKeys, secretOwner(webhook.webhookId), {
      masterKeyVersion: webhook.masterKeyVersion,
      sealed: webhook.secretSealed,
    })
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Bourse-Webhook/1',
      'x-webhook-id': message.eventId,
      'x-webhook-timestamp': timestamp,
      'x-webhook-signature': createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex'),
    }
    const status = await sender.post({ url: webhookUrl(webhook.url, 'any'), headers, body, timeoutMs, signal })
    return status >= 200 && status < 300 ? null : `the receiver answered HTTP ${status}`
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, MAX_ERROR) : String(error)
  }
}

/** Names whom a webhook's secret was encrypted for. */
export const secretOwner = (webhookId: string): string => `webhook:${webhookId}`

/** The event as it is posted: what the stream's delta says, and whose it is. */
function eventJson(chainId: number, apiKeyId: string, channel: string, message: OutboxMessage): string {
  const { eventId, type, version, sequence, subject, payload, createdAt } = message
  const head = {
    id: eventId,
    event: type,
    version,
    apiKey: apiKeyId,
    chainId,
    channel: channelName(channel),
    sequence: Number(sequence),
    time: createdAt.getTime(),
    key: subject,
  }
  return `${JSON.stringify(head).slice(0, -1)},"data":${payload ?? 'null'}}`
}

async function noteProblem(
  { sql, log }: Venue,
  settings: WebhookSettings,
  { webhookId }: WebhookRow,
  problem: string,
): Promise<void> {
  const { failures, isOver } = await noteFailure(sql, webhookId, problem, settings)
  log.info({ webhookId, problem, failures }, 'a webhook was not taken')
  if (!isOver) return
  await disableWebhook(sql, webhookId, `disabled after ${failures} failures, the last: ${problem}`)
  log.warn({ webhookId, problem }, 'a webhook is disabled: it has failed for too long')
}

/** What should come next is no longer kept: going on silently would hide the gap. */
async function stopAtGap(
  { sql, log }: Venue,
  { webhookId }: WebhookRow,
  channel: string,
  after: bigint,
): Promise<void> {
  const problem = `disabled: of ${channelName(channel)} the event after ${after} is no longer kept; read the lists of the API, then replay from a later one`
  await disableWebhook(sql, webhookId, problem)
  log.warn({ webhookId, problem }, 'a webhook is disabled: what it should be told is no longer kept')
}
