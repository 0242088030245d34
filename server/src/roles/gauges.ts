import { Gauge, type Registry } from 'prom-client'
import type { Venue } from '../http/product.ts'

export type Sample = readonly [labels: Readonly<Record<string, string>>, value: number]

/** A figure of the whole venue, read from its tables. */
export interface VenueGauge {
  readonly name: string
  readonly help: string
  readonly labelNames?: readonly string[]
  read(venue: Venue): Promise<readonly Sample[]>
}

/** Shows figures in /metrics, read at each scrape. What cannot be read is left out, never shown as it was. */
export function watchVenue(metrics: Registry, venue: Venue, gauges: readonly VenueGauge[]): void {
  for (const { name, help, labelNames = [], read } of gauges) {
    new Gauge({
      ...{ name, help, labelNames: [...labelNames], registers: [metrics] },
      async collect() {
        const samples = await read(venue).catch((err) => {
          venue.log.warn({ err, metric: name }, 'a metric cannot be read')
          return [] as readonly Sample[]
        })
        this.reset()
        // Without labels a reset is a zero.
        if (labelNames.length === 0) this.remove()
        for (const [labels, value] of samples) this.set({ ...labels }, value)
      },
    })
  }
}
