import { insertAudit } from '../../db/audit.ts'
import { type Db, inTransaction, type Sql, type Tx } from '../../db/pool.ts'
import { AppError, defineReasons } from '../../lib/errors.ts'
import type { Hex } from '../types.ts'
import { REPETITION_GRACE_MS } from './accounting.ts'
import {
  accountFor,
  declarePause,
  discardIntents,
  endPause,
  findPause,
  limitMatching,
  listQueued,
  listUnaccounted,
  type Pause,
  type QueuedIntent,
  releaseIntents,
  signersUnderWay,
} from './accounting-store.ts'
import {
  findRetirable,
  isComparedWithChain,
  isRetired,
  leftTransactions,
  reinstateSigner,
  retireSigner,
} from './retired-store.ts'
import { signerLockName } from './signer-lock.ts'
import { relayerStatus, SILENT_SIGNER_MS } from './status.ts'

export const INTENTS_USAGE = `Usage: npm run bourse -- intents <command>     (docs/runbooks/restore.md)

  intents list                   shows why sending is paused, what is queued, and what of it the chain has already
  intents discard <id>… | --all  ends queued intents unsent (--all: those that are not released); none that the chain has already
  intents release <id>… | --all  lets queued intents go on once sending is resumed; one whose call the chain has already
                                 becomes the owner of that transaction and is not sent again
  intents pause                  stops all sending on the chain; what is signed already goes on
  intents resume                 ends the pause; after a restore only when every intent from before it is judged
  intents retire <address>       ends a signer whose key is gone or stolen (docs/runbooks/stolen-key.md), once a relayer of another one
                                 has compared it with the chain: what the chain shows of it then stops nothing any more, and the
                                 relayer brings what it had under way to its end
  intents reinstate <address>    takes that back: the key may be configured again
`

export const intentReasons = defineReasons({
  intents_command_invalid: {
    kind: 'invalid',
    retryable: false,
    doc: 'The command line `bourse intents` was used wrongly; the message says how it is meant.',
  },
})

/** A signer that reported within this time has told the chain's count of now. */
const FRESH_MS = 60_000

export interface IntentCommandContext {
  readonly sql: Sql
  readonly chainId: number
  /** Who acts, for the audit log. */
  readonly actor: string
}

/** Runs `intents <args>` and answers what to print. Throws an `AppError` whose message says what is wrong. */
export async function intentCommand(args: readonly string[], context: IntentCommandContext): Promise<string> {
  const [command, ...rest] = args
  switch (command) {
    case 'list':
      nothingMore(rest)
      return await list(context)
    case 'discard':
    case 'release':
      return await judge(command, selection(rest), context)
    case 'pause':
      nothingMore(rest)
      return await pause(context)
    case 'resume':
      nothingMore(rest)
      return await resume(context)
    case 'retire':
      return await retire(address(rest), context)
    case 'reinstate':
      return await reinstate(address(rest), context)
    default:
      throw invalid(
        `${command === undefined ? 'a command is missing' : `unknown command ${command}`}\n\n${INTENTS_USAGE}`,
      )
  }
}

async function list({ sql, chainId }: IntentCommandContext): Promise<string> {
  const [paused, queued, unaccounted, left] = await Promise.all([
    findPause(sql, chainId),
    listQueued(sql, chainId),
    listUnaccounted(sql, chainId),
    leftTransactions(sql, chainId),
  ])
  const underWay = await stillUnderWay(sql, chainId, paused)
  const lines = [
    paused ? `Sending is paused (${paused.reason}): ${paused.detail}` : 'Sending is not paused.',
    ...(underWay === null ? [] : [`Nothing can be judged yet: ${underWay}`]),
    `${queued.length} queued intents`,
    ...queued.map((intent) => `  ${describeQueued(intent, paused)}`),
    ...left.map(({ id, purpose, signer, nonce }) => {
      return `${id} ${purpose} is under way from the retired signer ${signer} with nonce ${nonce}`
    }),
  ]
  const matched = new Set(queued.map(({ minedAs }) => minedAs))
  const lost = unaccounted.filter(({ hash }) => !matched.has(hash))
  if (unaccounted.length > 0) {
    lines.push(`${lost.length} transactions on chain that neither an intent nor a queued call accounts for`)
    lines.push(
      ...lost.map(({ hash, signer, nonce, to, data, blockNumber }) => {
        return `  ${hash} block ${blockNumber} from ${signer} nonce ${nonce} to ${to} call ${data.slice(0, 10)}`
      }),
    )
  }
  return `${lines.join('\n')}\n`
}

function describeQueued(intent: QueuedIntent, paused: Pause | null): string {
  const state = intent.minedAs
    ? `on chain already as ${intent.minedAs}`
    : intent.released
      ? 'released'
      : paused && intent.createdAt <= paused.pausedAt
        ? 'to be judged'
        : 'waits'
  return `${intent.id} ${intent.purpose} ${intent.createdAt.toISOString()} to ${intent.to} ${intent.dedupeKey}: ${state}`
}

async function judge(
  verb: 'discard' | 'release',
  ids: readonly bigint[] | null,
  { sql, chainId, actor }: IntentCommandContext,
): Promise<string> {
  const past = verb === 'discard' ? 'discarded' : 'released'
  return await inTransaction(sql, async (tx) => {
    await requireNothingUnderWay(tx, chainId)
    const done = await (verb === 'discard' ? discardIntents : releaseIntents)(tx, chainId, ids)
    const missed = (ids ?? []).filter((id) => !done.includes(id))
    if (missed.length > 0) {
      const other = verb === 'discard' ? `${past} before, or on chain already` : `or ${past} before`
      throw invalid(`not queued, ${other}: ${missed.join(', ')}; nothing was changed`)
    }
    await audit(tx, actor, `intents.${verb}`, chainId, { ids: done.map(String) })
    return `${done.length} intents ${past}.\n`
  })
}

async function pause({ sql, chainId, actor }: IntentCommandContext): Promise<string> {
  await inTransaction(sql, async (tx) => {
    await declarePause(tx, chainId, 'operator', `paused by ${actor}`)
    await audit(tx, actor, 'intents.pause', chainId, {})
  })
  return 'Sending is paused: no further intent gets a nonce. What is signed already goes on.\n'
}

async function resume({ sql, chainId, actor }: IntentCommandContext): Promise<string> {
  return await inTransaction(sql, async (tx) => {
    const paused = await findPause(tx, chainId)
    if (!paused) throw invalid('sending is not paused')
    await requireNothingUnderWay(tx, chainId)
    const silent = paused.reason === 'operator' ? [] : await accountForAll(tx, chainId, paused)
    await endPause(tx, chainId)
    await audit(tx, actor, 'intents.resume', chainId, { reason: paused.reason, silent })
    const note =
      silent.length === 0
        ? ''
        : ` These have not reported lately and are checked when they do, or when a relayer starts: ${silent.join(', ')}. Retire those whose key is no longer used.`
    return `Sending goes on.${note}\n`
  })
}

async function retire(signer: Hex, { sql, chainId, actor }: IntentCommandContext): Promise<string> {
  const lane = { chainId, signer }
  return await inTransaction(sql, async (tx) => {
    // Held to the end: no process begins to work for the signer meanwhile.
    const [lock] = await tx<{ free: boolean }[]>`
      select pg_try_advisory_xact_lock(hashtextextended(${signerLockName(lane)}, 0)) as free`
    const found = await findRetirable(tx, lane)
    if (!found) throw invalid(`no signer ${signer} has ever worked on chain ${chainId}`)
    if (found.isRetired) throw invalid(`${signer} is retired already`)
    if (lock?.free !== true || found.seenAgeMs < SILENT_SIGNER_MS) {
      throw invalid(
        `a process has worked for ${signer} in the last ${SILENT_SIGNER_MS / 1000} s: take its key out of the configuration, stop that process, and retire it then`,
      )
    }
    if (!(await isComparedWithChain(tx, lane))) {
      throw invalid(
        `no relayer has compared ${signer} with the chain: start one with the keys that are left, or with a new one, and retire it then. If the database was restored, sending is paused first, and what ${signer} had sent is written down`,
      )
    }
    await retireSigner(tx, lane)
    await audit(tx, actor, 'intents.retire', chainId, { signer })
    const rest =
      found.inFlight === 0
        ? 'It has nothing under way.'
        : `It has ${found.inFlight} transactions under way: each ends when its nonce is used on chain ("intents list" shows those that are left).`
    return `${signer} is retired. ${rest}\n`
  })
}

async function reinstate(signer: Hex, { sql, chainId, actor }: IntentCommandContext): Promise<string> {
  const lane = { chainId, signer }
  return await inTransaction(sql, async (tx) => {
    if (!(await isRetired(tx, lane))) throw invalid(`${signer} is not retired`)
    await reinstateSigner(tx, lane)
    await audit(tx, actor, 'intents.reinstate', chainId, { signer })
    return `${signer} may work again: configure its key.\n`
  })
}

/**
 * While the database stands behind, why nothing can be judged yet: what a signer had sent before may be what an intent is for, and is
 * known when it is mined. Null where everything is known.
 */
async function stillUnderWay(db: Db, chainId: number, paused: Pause | null): Promise<string | null> {
  if (paused?.reason !== 'database_behind_chain') return null
  const signers = await signersUnderWay(db, chainId)
  const named = (isStranded: boolean) =>
    signers.flatMap((signer) => (signer.isStranded === isStranded ? signer.address : [])).join(', ')
  const [moving, stranded] = [named(false), named(true)]
  const whys = [
    moving &&
      `the node has transactions under way that the database does not know, or has not been asked, of ${moving}; wait until they are mined`,
    stranded &&
      `no node has taken what is signed by ${stranded}, and no process sends it again: start one with its key, or retire it`,
  ]
  return whys.filter((why) => why !== '').join('; and ') || null
}

/** Throws `intents_command_invalid` as long as nothing can be judged. */
async function requireNothingUnderWay(tx: Tx, chainId: number): Promise<void> {
  const why = await stillUnderWay(tx, chainId, await findPause(tx, chainId))
  if (why !== null) throw invalid(why)
}

/** Accounts for all that the chain has; answers the signers whose count of now is not known. */
async function accountForAll(tx: Tx, chainId: number, paused: Pause): Promise<string[]> {
  const waiting = (await listQueued(tx, chainId)).filter(
    ({ released, minedAs, createdAt }) => !released && minedAs === null && createdAt <= paused.pausedAt,
  )
  if (waiting.length > 0) {
    throw invalid(
      `${waiting.length} intents from before the pause are neither discarded nor released: ${waiting.map(({ id }) => id).join(', ')}`,
    )
  }
  const signers = (await relayerStatus(tx, chainId)).signers.filter(({ retired }) => !retired)
  for (const { address, chainNonce, seenAgeMs } of signers) {
    if (seenAgeMs < FRESH_MS && chainNonce !== null) await accountFor(tx, chainId, address, chainNonce)
  }
  await limitMatching(tx, chainId, REPETITION_GRACE_MS)
  return signers.filter(({ seenAgeMs }) => seenAgeMs >= FRESH_MS).map(({ address }) => address)
}

const audit = (
  tx: Tx,
  actor: string,
  action: string,
  chainId: number,
  detail: Readonly<Record<string, string | readonly string[]>>,
): Promise<void> => insertAudit(tx, { actor, action, subject: `chain ${chainId}`, detail })

/** The ids named, or null for `--all`. */
function selection(args: readonly string[]): bigint[] | null {
  if (args.length === 1 && args[0] === '--all') return null
  if (args.length === 0 || !args.every((arg) => /^[0-9]{1,18}$/.test(arg))) {
    throw invalid('name the ids that "intents list" shows, or --all')
  }
  return args.map(BigInt)
}

/** One address, in lower case. */
function address([given, ...rest]: readonly string[]): Hex {
  nothingMore(rest)
  if (!/^0x[0-9a-fA-F]{40}$/.test(given ?? ''))
    throw invalid('name the address of one signer, as /status shows it: 0x…')
  return given?.toLowerCase() as Hex
}

function nothingMore(args: readonly string[]): void {
  if (args.length > 0) throw invalid(`unexpected argument ${args[0]}`)
}

const invalid = (message: string): AppError => new AppError(intentReasons.intents_command_invalid, message)
