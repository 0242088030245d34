import { readFollowerStatus } from '../chain/follow/status.ts'
import { relayerStatus, type SignerStatus } from '../chain/send/status.ts'
import type { StoppedReason } from '../chain/send/worker.ts'
import type { Sample, VenueGauge } from '../http/product.ts'
import { WAD } from '../lib/wad.ts'
import { readTaskHealth } from './keeper-status.ts'

const MS = 1000
const count = (value: bigint | null | undefined): readonly Sample[] =>
  value === null || value === undefined ? [] : [[{}, Number(value)]]

/** Why a signer may send nothing; `silent` when no process works for it. Each has a page of its own in the alert rules. */
const STOPPED: Readonly<Record<StoppedReason | 'silent', true>> = {
  database_behind_chain: true,
  first_count: true,
  low_balance: true,
  paused_by_operator: true,
  rpc_unavailable: true,
  silent: true,
}
export const STOPPED_REASONS: readonly string[] = Object.keys(STOPPED)

/** A line for each reason, so that one that goes away shows as 0 instead of being absent. */
const stoppedSamples = (signer: SignerStatus): Sample[] =>
  STOPPED_REASONS.map((reason) => {
    const holds = reason === 'silent' ? signer.silent : signer.stoppedReason === reason
    return [{ signer: signer.address, reason }, holds ? 1 : 0]
  })

/** Health of the roles from their tables: /status as numbers to alarm on. */
export const HEALTH_GAUGES: readonly VenueGauge[] = [
  {
    name: 'bourse_indexed_block',
    help: 'Number of the newest block indexed.',
    read: async ({ sql, deployment }) => count((await readFollowerStatus(sql, deployment.chainId))?.indexedNumber),
  },
  {
    name: 'bourse_indexer_lag_blocks',
    help: 'Blocks between the head of the node and the newest one indexed.',
    read: async ({ sql, deployment }) => count((await readFollowerStatus(sql, deployment.chainId))?.lagBlocks),
  },
  {
    name: 'bourse_indexer_report_age_seconds',
    help: 'Since the indexer last reported; it grows while no indexer works.',
    async read({ sql, deployment }) {
      const status = await readFollowerStatus(sql, deployment.chainId)
      return status ? [[{}, status.observedAgeMs / MS]] : []
    },
  },
  {
    name: 'bourse_relayer_in_flight',
    help: 'Transactions of a signer that are signed and not yet mined.',
    labelNames: ['signer'],
    async read({ sql, deployment }) {
      const { signers } = await relayerStatus(sql, deployment.chainId)
      return signers.map(({ address, inFlight }) => [{ signer: address }, inFlight])
    },
  },
  {
    name: 'bourse_relayer_stopped',
    help: '1 while a signer sends nothing new for this reason; silent: no process works for it.',
    labelNames: ['signer', 'reason'],
    async read({ sql, deployment }) {
      const { signers } = await relayerStatus(sql, deployment.chainId)
      return signers.flatMap(stoppedSamples)
    },
  },
  {
    name: 'bourse_signer_balance',
    help: 'What a signer holds to pay for its transactions, in whole native coins.',
    labelNames: ['signer'],
    async read({ sql, deployment }) {
      const { signers } = await relayerStatus(sql, deployment.chainId)
      return signers.flatMap(({ address, balanceWei }): Sample[] =>
        balanceWei === null ? [] : [[{ signer: address }, Number(balanceWei) / Number(WAD)]],
      )
    },
  },
  {
    name: 'bourse_relayer_queued',
    help: 'Transactions that wait for their turn.',
    labelNames: ['purpose'],
    async read({ sql, deployment }) {
      const { queues } = await relayerStatus(sql, deployment.chainId)
      return queues.map(({ purpose, queued }) => [{ purpose }, queued])
    },
  },
  {
    name: 'bourse_keeper_failures_in_a_row',
    help: 'Rounds of a keeper task that failed one after the other.',
    labelNames: ['task'],
    async read({ sql, deployment }) {
      const tasks = await readTaskHealth(sql, deployment.chainId)
      return tasks.map(({ task, failuresInARow }) => [{ task }, failuresInARow])
    },
  },
  {
    name: 'bourse_oldest_queued_seconds',
    help: 'Age of the oldest transaction that waits for its turn, by purpose.',
    labelNames: ['purpose'],
    async read({ sql, deployment }) {
      const { queues } = await relayerStatus(sql, deployment.chainId)
      return queues.map(({ purpose, oldestAgeMs }) => [{ purpose }, oldestAgeMs / MS])
    },
  },
  {
    name: 'bourse_oldest_in_flight_seconds',
    help: 'Age of the oldest transaction of a signer that is signed and not yet mined.',
    labelNames: ['signer'],
    async read({ sql, deployment }) {
      const { signers } = await relayerStatus(sql, deployment.chainId)
      return signers.map(({ address, oldestPendingAgeMs }) => [{ signer: address }, (oldestPendingAgeMs ?? 0) / MS])
    },
  },
  {
    name: 'bourse_keeper_last_success_timestamp_seconds',
    help: 'When a keeper task last succeeded, Unix seconds; since when there is the task, where it never has.',
    labelNames: ['task'],
    async read({ sql, deployment }) {
      const tasks = await readTaskHealth(sql, deployment.chainId)
      return tasks.map(({ task, lastSuccessAt, knownSince }) => [
        { task },
        (lastSuccessAt ?? knownSince).getTime() / MS,
      ])
    },
  },
]
