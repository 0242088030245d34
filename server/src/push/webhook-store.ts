import type { Db, Tx } from '../db/pool.ts'
import type { ChannelReader } from './key-channels.ts'

// Webhooks and how far each has got (migration 072).

export interface WebhookRow {
  readonly webhookId: string
  readonly apiKeyId: string
  readonly url: string
  readonly secretSealed: Buffer
  readonly masterKeyVersion: number
  readonly state: 'active' | 'disabled'
  readonly failuresInARow: number
  readonly failingSince: Date | null
  readonly nextAttemptAt: Date
  readonly lastError: string | null
  readonly lastDeliveredAt: Date | null
  readonly createdAt: Date
}

const columns = (db: Db) => db`
  webhook_id as "webhookId", api_key_id as "apiKeyId", url, secret_sealed as "secretSealed",
  master_key_version as "masterKeyVersion", state, failures_in_a_row as "failuresInARow",
  failing_since as "failingSince", next_attempt_at as "nextAttemptAt", last_error as "lastError",
  last_delivered_at as "lastDeliveredAt", created_at as "createdAt"`

export interface NewWebhook {
  readonly webhookId: string
  readonly chainId: number
  readonly apiKeyId: string
  readonly url: string
  readonly sealed: Buffer
  readonly masterKeyVersion: number
}

/** Stores a webhook that will be told what comes after these channels' newest messages. */
export async function insertWebhook(tx: Tx, webhook: NewWebhook, channels: readonly string[]): Promise<void> {
  await tx`
    insert into webhooks (webhook_id, chain_id, api_key_id, url, secret_sealed, master_key_version)
    values (${webhook.webhookId}, ${webhook.chainId}, ${webhook.apiKeyId}, ${webhook.url}, ${webhook.sealed},
      ${webhook.masterKeyVersion})`
  await tx`
    insert into webhook_cursors (webhook_id, channel, delivered_sequence)
    select ${webhook.webhookId}, name, coalesce(c.sequence, 0)
    from unnest(${channels as string[]}::text[]) name left join outbox_channels c on c.channel = name`
}

/** A key as far as it decides what its webhooks are told: a session's by the key whose records it shares. */
export interface WebhookKey extends ChannelReader {
  readonly isActive: boolean
  /** Product types of its scopes on this chain. */
  readonly productTypes: readonly string[]
}

/** The key of this id; null when there is none. */
export async function findWebhookKey(db: Db, chainId: number, apiKeyId: string): Promise<WebhookKey | null> {
  const [row] = await db<WebhookKey[]>`
    select coalesce(history_key, api_key) as "keyId", user_address as "userAddress",
      state = 'active' and (expires_at is null or expires_at > clock_timestamp()) as "isActive",
      array(select product_type from api_key_scopes s where s.api_key = k.api_key and s.chain_id = ${chainId})
        as "productTypes"
    from api_keys k where api_key = ${apiKeyId}`
  return row ?? null
}

export async function listWebhooks(db: Db, chainId: number): Promise<WebhookRow[]> {
  return await db<
    WebhookRow[]
  >`select ${columns(db)} from webhooks where chain_id = ${chainId} order by created_at, webhook_id`
}

export async function findWebhook(db: Db, chainId: number, webhookId: string): Promise<WebhookRow | null> {
  const rows = await db<WebhookRow[]>`
    select ${columns(db)} from webhooks where chain_id = ${chainId} and webhook_id = ${webhookId}`
  return rows[0] ?? null
}

/** The webhook as it is now, which nobody else changes before the transaction ends; null when it was removed. */
export async function lockWebhook(tx: Tx, webhookId: string): Promise<WebhookRow | null> {
  const rows = await tx<WebhookRow[]>`select ${columns(tx)} from webhooks where webhook_id = ${webhookId} for update`
  return rows[0] ?? null
}

export async function deleteWebhook(tx: Tx, webhookId: string): Promise<void> {
  await tx`delete from webhooks where webhook_id = ${webhookId}`
}

/** Makes a webhook active, with its failures forgotten and its next attempt due. */
export async function activateWebhook(tx: Tx, webhookId: string): Promise<void> {
  await tx`
    update webhooks set state = 'active', failures_in_a_row = 0, failing_since = null, last_error = null,
      next_attempt_at = now()
    where webhook_id = ${webhookId}`
}

export interface Cursor {
  readonly channel: string
  readonly deliveredSequence: bigint
  /** The channel's newest message. */
  readonly head: bigint
}

/** How far a webhook has got in each of its channels. */
export async function listCursors(db: Db, webhookId: string): Promise<Cursor[]> {
  return await db<Cursor[]>`
    select channel, delivered_sequence as "deliveredSequence", coalesce(c.sequence, 0) as head
    from webhook_cursors left join outbox_channels c using (channel) where webhook_id = ${webhookId} order by channel`
}

/** Moves a cursor, forwards or back; makes it when the webhook is older than the channel. */
export async function setCursor(db: Db, webhookId: string, channel: string, sequence: bigint): Promise<void> {
  await db`
    insert into webhook_cursors (webhook_id, channel, delivered_sequence) values (${webhookId}, ${channel}, ${sequence})
    on conflict (webhook_id, channel) do update set delivered_sequence = excluded.delivered_sequence`
}

/** The active webhooks of live keys that have something to deliver and are due, longest due first. */
export async function dueWebhooks(db: Db, chainId: number): Promise<WebhookRow[]> {
  return await db<WebhookRow[]>`
    select ${columns(db)} from webhooks w
    where chain_id = ${chainId} and state = 'active' and next_attempt_at <= clock_timestamp()
      and exists (
        select from webhook_cursors u join outbox_channels c using (channel)
        where u.webhook_id = w.webhook_id and c.sequence > u.delivered_sequence
      )
      and exists (
        select from api_keys k where k.api_key = w.api_key_id and k.state = 'active'
          and (k.expires_at is null or k.expires_at > clock_timestamp())
      )
    order by next_attempt_at, webhook_id`
}

/**
 * Notes a delivery, unless the cursor was moved meanwhile (a replay was asked for): false then, and the cursor stays as it
 * was set.
 */
export async function noteDelivery(db: Db, webhookId: string, channel: string, sequence: bigint): Promise<boolean> {
  const moved = await db`
    with moved as (
      update webhook_cursors set delivered_sequence = ${sequence}
      where webhook_id = ${webhookId} and channel = ${channel} and delivered_sequence = ${sequence - 1n}
      returning webhook_id
    )
    update webhooks set failures_in_a_row = 0, failing_since = null, last_error = null, last_delivered_at = now()
    where webhook_id in (select webhook_id from moved)`
  return moved.count === 1
}

export interface Pace {
  /** Before the first repetition; it doubles with every failure. */
  readonly firstDelayMs: number
  readonly maxDelayMs: number
  /** Time of continuous failure after which a webhook is given up. */
  readonly giveUpMs: number
}

/**
 * Notes an attempt that failed, and when the next is due: between half and all of the delay, so that receivers are not hit
 * by all webhooks at once. Answers how many have failed in a row, and whether to give up.
 */
export async function noteFailure(
  db: Db,
  webhookId: string,
  error: string,
  { firstDelayMs, maxDelayMs, giveUpMs }: Pace,
): Promise<{ failures: number; isOver: boolean }> {
  const [row] = await db<{ failures: number; isOver: boolean }[]>`
    update webhooks set failures_in_a_row = failures_in_a_row + 1,
      failing_since = coalesce(failing_since, clock_timestamp()), last_error = ${error},
      next_attempt_at = clock_timestamp() + interval '1 millisecond' * (0.5 + random() / 2)
        * least(${maxDelayMs}::float8, ${firstDelayMs}::float8 * 2 ^ least(failures_in_a_row, 30))
    where webhook_id = ${webhookId}
    returning failures_in_a_row as failures,
      failing_since <= clock_timestamp() - interval '1 millisecond' * ${giveUpMs}::float8 as "isOver"`
  return row ?? { failures: 0, isOver: false }
}

/** Ends the attempts until an operator enables the webhook again. */
export async function disableWebhook(db: Db, webhookId: string, error: string): Promise<void> {
  await db`update webhooks set state = 'disabled', last_error = ${error} where webhook_id = ${webhookId}`
}

/** Replaces the encrypted secret. */
export async function replaceWebhookSecret(tx: Tx, webhookId: string, sealed: Buffer, version: number): Promise<void> {
  await tx`
    update webhooks set secret_sealed = ${sealed}, master_key_version = ${version} where webhook_id = ${webhookId}`
}
