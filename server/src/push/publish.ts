import { openHints } from '../db/hints.ts'
import { appendMessages, findRecords, type NewMessage } from '../db/outbox.ts'
import { dropOldOutboxPartitions, ensureOutboxPartitions } from '../db/outbox-partitions.ts'
import type { Db, Tx } from '../db/pool.ts'
import type { Venue } from '../http/product.ts'
import { sleep } from '../lib/clock.ts'
import { allEnded } from '../lib/turns.ts'
import { outboxChannel } from './key-channels.ts'

/** Interval at which changes are looked for even without a hint. */
const POLL_MS = 500
const RETRY_MS = 500
const PARTITIONS_MS = 60_000
/** Another process publishes at the moment. */
const BUSY_MS = 20
const SERIALIZATION_FAILURE = '40001'

/** A subject of a private channel. */
export interface Subject {
  /** Whose the channel is: an API key, or a wallet. */
  readonly owner: string
  /** The channel's own name. */
  readonly channel: string
  /** Unique in the channel, without a slash. */
  readonly subject: string
}

/** The current records of one subject. */
export interface Rendering extends Subject {
  /** The first word of its events, such as `order` in `order.updated`. */
  readonly event: string
  /** Version of the payloads' JSON shape. */
  readonly version: number
  /** Where the subject stands among the channel's: snapshots show the latest first. */
  readonly sortAt: Date
  /** Its records as JSON text, in order; the first has the subject for its key, the nth after it `<subject>/<n>`. */
  readonly payloads: readonly string[]
}

/** Changes that a transaction has taken. */
export interface TakenChanges {
  /** All that they concern. */
  readonly subjects: readonly Subject[]
  /** Renders it as it is now, in the same transaction. */
  render(): Promise<readonly Rendering[]>
}

/** What a product publishes to its private channels. */
export interface Publication {
  readonly product: string
  /** Notification of the database after which there may be changes to publish. */
  readonly hint: string
  /** True while changes wait to be published. */
  hasChanges(db: Db): Promise<boolean>
  /**
   * Takes the oldest changes out of the product's tables, in a transaction that sees one moment. What is rendered as before is told to
   * nobody. The first transaction after a hint is `quick`: it may leave what takes longer to the next one.
   */
  takeChanges(tx: Tx, isQuick: boolean): Promise<TakenChanges>
}

/**
 * Turns changes into messages of the outbox until the signal aborts. Any number of processes may do it: one transaction at a
 * time publishes, and a process may be killed at any point. Partitions of the outbox are made, and dropped after
 * `retentionDays`.
 */
export async function runPublisher(
  venue: Venue,
  publication: Publication,
  retentionDays: number,
  signal: AbortSignal,
): Promise<void> {
  const { sql, log } = venue
  const hints = await openHints(sql, [publication.hint])
  let hasPartitions = false
  let keptMs = Number.NEGATIVE_INFINITY
  let wasHinted = false
  while (!signal.aborted) {
    try {
      if (!hasPartitions) await ensureOutboxPartitions(sql)
      hasPartitions = true
      await publishAll(venue, publication, signal, wasHinted)
      // Afterwards: what was hinted at does not wait for it.
      if (performance.now() - keptMs >= PARTITIONS_MS) {
        keptMs = performance.now()
        await keepPartitions(venue, retentionDays)
      }
      wasHinted = await hints.wait(POLL_MS, signal)
    } catch (err) {
      log.warn({ err, product: publication.product }, 'changes could not be published and are tried again')
      hasPartitions = false
      await sleep(RETRY_MS, signal)
    }
  }
  await hints.close()
}

/** Makes and drops partitions of the outbox. An old one that cannot be dropped keeps nothing from being published. */
async function keepPartitions({ sql, log }: Venue, retentionDays: number): Promise<void> {
  await ensureOutboxPartitions(sql)
  await dropOldOutboxPartitions(sql, retentionDays).catch((err) => {
    log.warn(
      { err },
      'old messages of the outbox could not be dropped, as somebody may be reading them; tried again in a minute',
    )
  })
}

/** What publishing needs of a venue. */
export type PublishingVenue = Pick<Venue, 'sql' | 'deployment'>

/** Publishes until no change waits; after a hint without asking first whether one does. */
export async function publishAll(
  venue: PublishingVenue,
  publication: Publication,
  signal?: AbortSignal,
  wasHinted = false,
): Promise<void> {
  let isLikely = wasHinted
  while (!signal?.aborted && (isLikely || (await publication.hasChanges(venue.sql)))) {
    if (!(await publishBatch(venue, publication, isLikely))) await sleep(BUSY_MS, signal)
    isLikely = false
  }
}

/**
 * Publishes the oldest changes: what they concern is rendered as of one moment, and what is news is added to the outbox.
 * False when another transaction publishes, or has just done so.
 */
async function publishBatch(
  { sql, deployment }: PublishingVenue,
  publication: Publication,
  isQuick: boolean,
): Promise<boolean> {
  const { chainId } = deployment
  try {
    return (await sql.begin('isolation level repeatable read', async (tx) => {
      if (!(await lockPublishing(tx, publication.product, chainId))) return false
      const taken = await publication.takeChanges(tx, isQuick)
      await appendMessages(tx, await newsOf(tx, publication.product, chainId, taken))
      return true
    })) as boolean
  } catch (error) {
    if ((error as { code?: string }).code === SERIALIZATION_FAILURE) return false
    throw error
  }
}

/** Makes the caller's transaction the only one that publishes for the product; false when another is. */
async function lockPublishing(tx: Tx, product: string, chainId: number): Promise<boolean> {
  const [row] = await tx<{ locked: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtextextended(${`${product}.streams.publish:${chainId}`}, 0)) as locked`
  return row?.locked === true
}

/** The records that differ from what was published last, and those that are gone. */
async function newsOf(tx: Tx, product: string, chainId: number, taken: TakenChanges): Promise<NewMessage[]> {
  if (taken.subjects.length === 0) return []
  const channelOf = ({ owner, channel }: Subject) => outboxChannel(product, chainId, owner, channel)
  const [records, renderings] = await allEnded([
    findRecords(
      tx,
      taken.subjects.map((one) => ({ channel: channelOf(one), subject: one.subject })),
    ),
    taken.render(),
  ] as const)
  const shown = renderings.map((rendering) => ({ rendering, channel: channelOf(rendering) }))
  const published = new Map(records.map(({ channel, subject, payload }) => [`${channel} ${subject}`, payload]))
  const publishedOf = Map.groupBy(records, ({ channel, subject }) => `${channel} ${subject.split('/', 1)[0]}`)
  return shown.flatMap(({ rendering, channel }) => {
    const now = rendering.payloads.map((payload, nth) => ({ subject: keyOf(rendering.subject, nth), payload }))
    const here = new Set(now.map(({ subject }) => subject))
    const changed = now.filter(({ subject, payload }) => published.get(`${channel} ${subject}`) !== payload)
    const gone = (publishedOf.get(`${channel} ${rendering.subject}`) ?? []).filter(({ subject }) => !here.has(subject))
    return [...changed, ...gone.map(({ subject }) => ({ subject, payload: null }))].map(({ subject, payload }) =>
      messageOf(rendering, channel, subject, payload),
    )
  })
}

const keyOf = (subject: string, nth: number): string => (nth === 0 ? subject : `${subject}/${nth}`)

const messageOf = (
  { event, version, sortAt }: Rendering,
  channel: string,
  subject: string,
  payload: string | null,
): NewMessage => ({
  channel,
  type: `${event}.${payload === null ? 'removed' : 'updated'}`,
  version,
  subject,
  payload,
  sortAt,
})
