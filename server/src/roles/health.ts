import type { Registry } from 'prom-client'
import { openProbe } from '../db/probe.ts'
import type { WritableRedis } from '../db/redis.ts'
import type { Health } from '../http/health.ts'
import type { VenueGauge } from '../http/product.ts'
import { inTime } from '../lib/in-time.ts'
import { shared } from '../lib/shared.ts'
import { reconciliationGauges } from '../reconciliation/gauges.ts'
import { ARCHIVE_GAUGE } from './archive-gauge.ts'
import { checkDependencies, DEPENDENCY_LIMIT_MS, type DependencyState, dependenciesOf } from './dependencies.ts'
import { watchVenue } from './gauges.ts'
import { HEALTH_GAUGES } from './health-metrics.ts'
import type { RunningProduct } from './products.ts'
import type { RoleContext } from './role.ts'
import { notIndexed, venueStatus } from './status.ts'

const STATUS_LIMIT_MS = 2000

/** How a process of any role fares, for /readyz, /status and /metrics. */
export interface ProcessHealth extends Health {
  /** From now on the process is not ready: it is about to end. */
  stopping(): void
  close(): Promise<void>
}

/** Watches the process from its start to its end. No answer takes longer than its limit, whatever is down. */
export function openHealth(
  { venue, metrics }: Pick<RoleContext, 'venue' | 'metrics'>,
  redis: WritableRedis | null,
  products: readonly RunningProduct[],
): ProcessHealth {
  const probe = openProbe(venue.sql, DEPENDENCY_LIMIT_MS)
  const dependencies = dependenciesOf(venue, probe, redis)
  const states = shared(() => checkDependencies(dependencies))
  // Anybody may ask whether the process is ready, as often as they like: of many at once, each gets what the first is told.
  const behind = shared(() =>
    probe.ask((sql) => notIndexed({ ...venue, sql })).catch(() => ['postgresql does not answer']),
  )
  let stopping = false
  const notReady = async (): Promise<string[]> => {
    if (stopping) return ['this process is stopping']
    // A database that fails between the two questions has said enough by the first.
    const indexing = behind()
    const down = (await states()).filter(({ up }) => !up).map(({ name }) => `${name} does not answer`)
    return [...new Set([...down, ...(await indexing)])]
  }
  const reconciled = products.flatMap(({ name, reconciliation }) => (reconciliation ? [name] : []))
  watchVenue(metrics, venue, [
    ...processGauges(states, notReady),
    ARCHIVE_GAUGE,
    ...HEALTH_GAUGES,
    ...products.flatMap((product) => product.gauges),
    ...reconciliationGauges(reconciled),
  ])
  return {
    notReady,
    status: shared(() => inTime(venueStatus(venue, products), STATUS_LIMIT_MS, '/status')),
    metrics,
    stopping() {
      stopping = true
    },
    close: () => probe.close(),
  }
}

/** Health of a process from its first moment on: until `follow` is called, it lives and is not ready, as while it migrates. */
export interface StartingHealth extends Health {
  /** From now on the process tells what this one does. */
  follow(health: Health): void
}

export function startingHealth(metrics: Registry): StartingHealth {
  let health: Health = {
    notReady: async () => ['this process is starting'],
    status: async () => ({ state: 'starting' }),
    metrics,
  }
  return {
    notReady: () => health.notReady(),
    status: () => health.status(),
    metrics,
    follow(opened) {
      health = opened
    },
  }
}

function processGauges(
  states: () => Promise<readonly DependencyState[]>,
  notReady: () => Promise<readonly string[]>,
): readonly VenueGauge[] {
  return [
    {
      name: 'bourse_ready',
      help: '1 while /readyz of this process says yes: what it stands on answers, and the head of the chain is indexed.',
      read: async () => [[{}, (await notReady()).length === 0 ? 1 : 0]],
    },
    {
      name: 'bourse_dependency_up',
      help: '1 while what this process stands on answers it within a second.',
      labelNames: ['dependency'],
      read: async () => (await states()).map(({ name, up }) => [{ dependency: name }, up ? 1 : 0]),
    },
  ]
}
