import { beatAtHints } from '../../db/hints.ts'
import type { Sql } from '../../db/pool.ts'
import { sleep } from '../../lib/clock.ts'
import { AppError, defineReasons } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import { oneWithin } from '../../lib/one-within.ts'
import { Pulse } from '../../lib/pulse.ts'
import { shareNext } from '../../lib/share-next.ts'
import type { ChainProfile } from '../profiles.ts'
import { quantityOf } from '../quantity.ts'
import type { Rpc } from '../rpc.ts'
import { RpcError } from '../rpc-error.ts'
import type { Hex } from '../types.ts'
import type { SendContext } from './context.ts'
import { watchHead } from './head-watch.ts'
import { INTENTS_CHANNEL } from './intents.ts'
import { createSigners, type Signer, type SignerKey } from './signer.ts'
import type { SendStep } from './steps.ts'
import { type Work, workOf } from './store.ts'
import { followUnattended } from './unattended.ts'
import { runWorker } from './worker.ts'

export const relayerReasons = defineReasons({
  relayer_chain_mismatch: {
    kind: 'invalid',
    retryable: false,
    doc: 'The chain node serves another chain than the configured one; nothing is signed for it.',
  },
})

const RETRY_MS = 1000
/** Workers that look at the same moment are woken by timers a little apart. */
const GATHER_MS = 2
/** Of many intents, those that come within so long are looked for at once. */
const APART_MS = 100
/** Looks of signers at rest are half a second apart. */
const IDLE_TURN_MS = 250
const NO_WORK: Work = { kind: 'none', firstMined: null }

export interface RelayerOptions {
  /** Each signer keeps one connection busy while it sends; its lock has one beside the pool, and all share one that listens. */
  readonly sql: Sql
  readonly rpc: Rpc
  readonly profile: ChainProfile
  readonly signers: readonly SignerKey[]
  readonly signal: AbortSignal
  readonly log: Logger
  /** A signer whose balance is below this sends nothing new; 0 leaves only the check that each transaction is covered. */
  readonly minBalanceWei?: bigint
  /** Called at each named step of a send; a test kills the process there. */
  readonly faults?: (step: SendStep) => void | Promise<void>
}

/**
 * Sends the intents of `tx_intents`, one worker a signer, until `signal` aborts; resolves when every worker has ended
 * its round and released its lock. Several processes may run it: a signer's lock decides which works, the others stand
 * by. Throws `signer_key_invalid`, `relayer_chain_mismatch`, and whatever is not passing trouble of chain or database.
 */
export async function runSigners(options: RelayerOptions): Promise<void> {
  const { sql, rpc, profile, log } = options
  const signers = createSigners(options.signers)
  await assertChain(options)
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal])
  const gather = () => sleep(GATHER_MS)
  const look = shareNext(() => workOf(sql, profile.chainId, signers), gather)
  const head = watchHead(rpc, profile)
  const stored = new Pulse()
  const idleTurn = oneWithin(IDLE_TURN_MS)
  const context = (signer: Signer, over: AbortSignal, passed: SendContext['passed']): SendContext => ({
    sql,
    rpc,
    profile,
    signer,
    log,
    lane: { chainId: profile.chainId, signer: signer.address },
    minBalanceWei: options.minBalanceWei ?? 0n,
    work: async () => (await look()).get(signer.address) ?? NO_WORK,
    stored,
    head,
    idleTurn,
    passed,
    over,
  })
  const faults = options.faults ?? (() => {})
  const workers = [
    ...signers.map((signer) => runWorker(context(signer, signal, faults), signal)),
    followUnattended(
      {
        sql,
        log,
        chainId: profile.chainId,
        blockTimeMs: profile.blockTimeMs,
        contextOf: (address, over) => context(withoutKey(address), over, () => {}),
      },
      signal,
    ),
    beatAtHints({ sql, log }, INTENTS_CHANNEL, stored, signal, { apartMs: APART_MS }),
  ]
  try {
    await Promise.all(workers)
  } finally {
    // One worker's end by an error ends the others in order, before the error goes on.
    stop.abort()
    await Promise.allSettled(workers)
  }
}

/** A signer of another process, or of none. */
const withoutKey = (address: Hex): Signer => ({
  address,
  purposes: [],
  sign: () => Promise.reject(new Error(`nothing is signed for ${address} here`)),
})

/** Waits for the node, and refuses one of another chain. */
async function assertChain({ rpc, profile, signal, log }: RelayerOptions): Promise<void> {
  while (!signal.aborted) {
    try {
      const chainId = Number(quantityOf('eth_chainId', await rpc.call('eth_chainId')))
      if (chainId === profile.chainId) return
      const message = `the chain node serves chain ${chainId}, expected ${profile.chainId}`
      throw new AppError(relayerReasons.relayer_chain_mismatch, message)
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      log.warn({ err: error }, 'the chain node does not answer yet')
      await sleep(RETRY_MS, signal)
    }
  }
}
