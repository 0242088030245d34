import { Gauge, type Registry } from 'prom-client'
import type { Sample, Venue, VenueGauge } from '../http/product.ts'
import { inTime } from '../lib/in-time.ts'

/** A scrape waits no longer than this for a figure. */
const READ_LIMIT_MS = 2000

/** Gauges in /metrics, read at each scrape. What cannot be read is left out; no stale figure is shown. */
export function watchVenue(metrics: Registry, venue: Venue, gauges: readonly VenueGauge[]): void {
  for (const { name, help, labelNames = [], read } of gauges) {
    new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [metrics],
      async collect() {
        const samples = await inTime(read(venue), READ_LIMIT_MS, name).catch((err) => {
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
