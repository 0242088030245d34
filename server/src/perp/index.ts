import type { Auth } from '../auth/auth.ts'
import type { Product, Rooms } from '../http/product.ts'
import type { MarketListings } from '../market/open.ts'
import type { Market } from '../market/tasks.ts'
import { type PerpContext, perpContext } from './context.ts'
import { perpDeployment } from './deploy/perp-deployment.ts'
import { perpDevelopment } from './deploy/perp-development.ts'
import { describePerp } from './description.ts'
import { perpEnvelope } from './envelope.ts'
import { perpEvents } from './events.ts'
import { KEY_RATE_LIMIT } from './rate-limit.ts'
import { perpReasons } from './reasons.ts'
import { perpReference } from './reference.ts'
import { perpRoutes } from './routes/register.ts'
import { perpScheme } from './scheme.ts'
import { perpSigners, perpTasks } from './tasks.ts'
import { keeperSettings, PERP_PRODUCT, perpVariables } from './variables.ts'

interface PerpRooms extends Rooms {
  readonly auth: Auth
  readonly market: Market
  readonly listings: MarketListings
}

/** Perpetual futures (seed, section B). A chain without their contracts has a venue without their operations. */
export const perp: Product<PerpRooms> = {
  name: 'perp',
  variables: perpVariables,
  signers: perpSigners,
  commands: [],
  reasons: Object.values(perpReasons),
  events: perpEvents,
  keyChannels: [],
  reconciliation: null,
  deployment: perpDeployment,
  development: ({ prices }) => perpDevelopment(prices),
  keyScope: () => PERP_PRODUCT,
  open(venue, values) {
    const { chainId, contracts } = venue.deployment
    const isDeployed = contracts.Gate !== undefined
    // Made by the first that needs it: the contracts must be known for operations, not for every role.
    let made: PerpContext | undefined
    const context = () => (made ??= perpContext(venue))
    return {
      serve: ({ auth }) => ({
        name: 'perp',
        prefix: '',
        owns: [{ path: '/v4/public', unknown: 'key' }],
        envelope: perpEnvelope,
        scheme: perpScheme(auth, chainId),
        routes: isDeployed ? perpRoutes(context()) : [],
        keyRateLimit: KEY_RATE_LIMIT,
        reference: perpReference(chainId),
        services: [],
      }),
      tasks: (market) => (isDeployed ? perpTasks(market, keeperSettings(values)) : []),
      gauges: [],
      status: {},
      describe: async (embedded) =>
        isDeployed ? describePerp(embedded) : { dev: null, summary: ['perp API', 'not on this chain'] },
    }
  },
}
