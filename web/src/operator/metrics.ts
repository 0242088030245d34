// Figures of /metrics, as far as the page shows them: the text format of Prometheus.

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g

export function samplesOf(text: string): readonly Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = LINE.exec(line) ?? []
    if (!name) return []
    const pairs = [...labels.matchAll(LABEL)].map(([, key = '', given = '']) => [key, given] as const)
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }]
  })
}

export interface Latency {
  readonly product: string
  readonly route: string
  readonly requests: number
  /** Seconds; the mean. */
  readonly mean: number
  /** Seconds below which 99 of 100 answers were, as the edge of a bucket; null above the last one. */
  readonly p99: number | null
}

const HTTP = 'http_request_duration_seconds'

/** Time of answers by route since the process started, the most asked for first. */
export function latenciesOf(samples: readonly Sample[]): readonly Latency[] {
  const byRoute = Map.groupBy(
    samples.filter(({ name }) => name.startsWith(HTTP)),
    ({ labels }) => `${labels.product} ${labels.method} ${labels.route}`,
  )
  return [...byRoute.values()].map(latencyOf).toSorted((a, b) => b.requests - a.requests)
}

function latencyOf(samples: readonly Sample[]): Latency {
  const sum = (name: string) =>
    samples.filter((one) => one.name === name).reduce((total, { value }) => total + value, 0)
  const requests = sum(`${HTTP}_count`)
  const buckets = new Map<number, number>()
  for (const { name, labels, value } of samples) {
    if (name !== `${HTTP}_bucket` || labels.le === '+Inf') continue
    const edge = Number(labels.le)
    buckets.set(edge, (buckets.get(edge) ?? 0) + value)
  }
  const edges = [...buckets].sort(([a], [b]) => a - b)
  const [{ labels } = { labels: {} as Sample['labels'] }] = samples
  return {
    product: labels.product ?? '',
    route: `${labels.method ?? ''} ${labels.route ?? ''}`,
    requests,
    mean: requests === 0 ? 0 : sum(`${HTTP}_sum`) / requests,
    p99: edges.find(([, count]) => count >= requests * 0.99)?.[0] ?? null,
  }
}
