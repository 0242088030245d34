import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { ErrorKind } from '../lib/errors.ts'
import type { ReasonTable } from './reference.ts'

const BUCKETS_SEC = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** Notes one answer of a route; `reason` is null for a success. */
export type ObserveAnswer = (status: number, durationSec: number, reason: string | null) => void

/**
 * `http_request_duration_seconds` by product, method, route and status; its count is the number of requests.
 * `http_request_failures_total` by product and reason: what a status of the wire format does not tell apart, such as an outage
 * of the chain node.
 *
 * @param atZero reasons whose count each product has from the start: the rate of a count that begins at 1 is 0, and nobody would be told
 * of the first such failure
 */
export function requestMetrics(
  registry: Registry,
  atZero: readonly string[],
): (product: string, method: string, route: string) => ObserveAnswer {
  const histogram = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to its answer',
    labelNames: ['product', 'method', 'route', 'status'],
    buckets: BUCKETS_SEC,
    registers: [registry],
  })
  const failures = new Counter({
    name: 'http_request_failures_total',
    help: 'Requests that failed, by the name of the reason',
    labelNames: ['product', 'reason'],
    registers: [registry],
  })
  return (product, method, route) => {
    for (const reason of atZero) failures.inc({ product, reason }, 0)
    const children = new Map<number, { observe(value: number): void }>()
    return (status, durationSec, reason) => {
      if (reason !== null) failures.inc({ product, reason })
      let child = children.get(status)
      if (!child) {
        child = histogram.labels(product, method, route, String(status))
        children.set(status, child)
      }
      child.observe(durationSec)
    }
  }
}

/** Failures that alarms are for: those of the venue itself, and of what it stands on. */
const ALARMING: readonly ErrorKind[] = ['internal', 'unavailable', 'upstream']

export const alarmingReasons = (tables: readonly ReasonTable[]): readonly string[] =>
  tables.flatMap(({ reasons }) => reasons.filter(({ kind }) => ALARMING.includes(kind)).map(({ name }) => name))

/** `bourse_stream_connections`: WebSockets open at this process. */
export function streamMetrics(registry: Registry, connections: () => number): void {
  new Gauge({
    name: 'bourse_stream_connections',
    help: 'WebSocket connections that are open',
    registers: [registry],
    collect() {
      this.set(connections())
    },
  })
}
