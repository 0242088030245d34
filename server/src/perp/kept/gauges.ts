import type { VenueGauge } from '../../http/product.ts'
import { liveKept } from './kept-store.ts'

/** What is kept: orders that stay sent say that the relayer does not send. */
export const KEPT_GAUGES: readonly VenueGauge[] = [
  {
    name: 'bourse_perp_kept_orders',
    help: 'Take-profit and stop-loss orders that are open, and those whose trade is on its way.',
    labelNames: ['state'],
    async read({ sql, deployment }) {
      const { open, sent } = await liveKept(sql, deployment.chainId)
      return [
        [{ state: 'open' }, open],
        [{ state: 'sent' }, sent],
      ]
    },
  },
]
