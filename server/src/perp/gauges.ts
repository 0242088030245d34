import type { VenueGauge } from '../http/product.ts'
import { oldestMarkSec } from './streams/mark-store.ts'

export const PERP_GAUGES: readonly VenueGauge[] = [
  {
    name: 'bourse_oldest_untold_perp_change_seconds',
    help: 'Age of the oldest change of perpetual records that streams and webhooks have not been told, but for movements that wait for the node to tell what their token is; 0 when there is none.',
    // Without the contracts nothing is published.
    read: async ({ sql, deployment: { chainId, contracts } }) =>
      contracts.Gate === undefined ? [] : [[{}, await oldestMarkSec(sql, chainId)]],
  },
]
