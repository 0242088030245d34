import { insertAudit } from '../db/audit.ts'
import { liftLimits } from '../db/limits.ts'
import { inTransaction, type Sql } from '../db/pool.ts'
import { AppError } from '../lib/errors.ts'
import { pushReasons } from './reasons.ts'

export const STREAMS_USAGE = `Usage: npm run bourse -- streams renumber     (docs/runbooks/restore.md)

  streams renumber      after a restore, or when a lagging replica took over, and before the api starts: numbers all that keys are
                        told anew, so that who resumes from a lost message gets a snapshot instead of other messages, and
                        deletes what was told in channels without a webhook
`

/** More than a channel keeps, and more than it can have told since the state that was restored. */
const STEP = 1_000_000_000n

export interface StreamCommandContext {
  readonly sql: Sql
  /** Who acts, for the audit log. */
  readonly actor: string
}

/** Runs `streams <args>` and answers what to print. Throws an `AppError` whose message says what is wrong. */
export async function streamCommand(args: readonly string[], { sql, actor }: StreamCommandContext): Promise<string> {
  if (args.length !== 1 || args[0] !== 'renumber') {
    throw new AppError(pushReasons.streams_command_invalid, `it is used in one way\n\n${STREAMS_USAGE}`)
  }
  const channels = await renumber(sql, actor)
  return `${channels} channels go on ${STEP} higher. Start the api now.\n`
}

/**
 * Moves every channel, what webhooks may be told of it, and how far each has got. A sequence from before is then of no message: a
 * client that resumes from it gets a snapshot, and a webhook goes on with the message that it was to be told next.
 */
async function renumber(sql: Sql, actor: string): Promise<number> {
  return inTransaction(sql, async (tx) => {
    // It moves what a week has told, on a database that has just been restored: the pool's limit is for what clients ask.
    await liftLimits(tx, 'transaction')
    // Whoever appends to a channel waits for its row.
    const { count } = await tx`update outbox_channels set sequence = sequence + ${STEP}`
    // Nobody may resume from these, and a channel without a webhook has nobody else to tell them to.
    await tx`delete from outbox o where not exists (select from webhook_cursors w where w.channel = o.channel)`
    await tx`update outbox set sequence = sequence + ${STEP}`
    // A channel that has told nothing yet begins at 1, and a webhook waits for that.
    await tx`
      update webhook_cursors w set delivered_sequence = delivered_sequence + ${STEP}
      from outbox_channels c where c.channel = w.channel`
    const detail = { channels: count, step: String(STEP) }
    await insertAudit(tx, { actor, action: 'streams.renumber', subject: 'outbox', detail })
    return count
  })
}
