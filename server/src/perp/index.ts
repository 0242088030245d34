import type { Product } from '../http/product.ts'
import type { VenueRooms } from '../market/rooms.ts'
import { publishService } from '../push/services.ts'
import type { PushSettings } from '../push/variables.ts'
import { latestReading } from '../reconciliation/reading-store.ts'
import { summaryOf } from '../reconciliation/report.ts'
import { keyUses } from './access/key-uses.ts'
import { type PerpContext, perpContext } from './context.ts'
import { perpDeployment } from './deploy/perp-deployment.ts'
import { perpDevelopment } from './deploy/perp-development.ts'
import { describePerp } from './description.ts'
import { perpEnvelope } from './envelope.ts'
import { perpEvents } from './events.ts'
import { PERP_GAUGES } from './gauges.ts'
import { KEY_RATE_LIMIT } from './rate-limit.ts'
import { perpReasons } from './reasons.ts'
import { RECONCILED, SECTIONS } from './reconciliation/lines.ts'
import { perpReference } from './reference.ts'
import { accessRoutes } from './routes/access/register.ts'
import { perpRoutes } from './routes/register.ts'
import { perpScheme } from './scheme.ts'
import { PUSHED_AS, walletChannels } from './streams/private-channels.ts'
import { perpPublication } from './streams/publish.ts'
import { perpStream } from './streams/stream.ts'
import { perpSigners, perpTasks } from './tasks.ts'
import { keeperSettings, PERP_PRODUCT, perpSettings, perpVariables } from './variables.ts'

const publishes = (context: PerpContext, settings: PushSettings) =>
  publishService(PUSHED_AS, () => perpPublication(context), settings)

/** Perpetual futures (seed, section B). A chain without their contracts has a venue without their operations. */
export const perp: Product<VenueRooms> = {
  name: 'perp',
  variables: perpVariables,
  signers: perpSigners,
  commands: [],
  migrations: null,
  reasons: Object.values(perpReasons),
  events: perpEvents,
  keyChannels: walletChannels(PERP_PRODUCT),
  reconciliation: SECTIONS,
  deployment: perpDeployment,
  development: ({ prices }) => perpDevelopment(prices),
  keyScope: () => PERP_PRODUCT,
  keysFromAnywhere: true,
  open(venue, values) {
    const settings = perpSettings(values)
    const { chainId, contracts } = venue.deployment
    const isDeployed = contracts.Gate !== undefined
    return {
      serve({ auth, desk }) {
        // The contracts must be known for operations, not for every role.
        const context = isDeployed ? perpContext(venue, settings, desk) : null
        const uses = keyUses(venue.clock)
        const signIn = { chainId, brands: settings.brands, rpc: venue.rpc, clock: venue.clock }
        return {
          name: 'perp',
          prefix: '',
          owns: [{ path: '/v4/public', unknown: 'key' }],
          httpsOnly: true,
          envelope: perpEnvelope,
          scheme: perpScheme(auth, signIn, uses),
          routes: context ? [...perpRoutes(context), ...accessRoutes(context, auth, settings.sessionMs)] : [],
          keyRateLimit: KEY_RATE_LIMIT,
          ...(context ? { stream: perpStream(context) } : {}),
          app: { brand: settings.brands[0] ?? '' },
          reference: perpReference(chainId),
          services: [uses.service, ...(context ? [publishes(context, settings.push)] : [])],
        }
      },
      tasks: (market) => (isDeployed ? perpTasks(market, { ...keeperSettings(values), ...settings }) : []),
      gauges: PERP_GAUGES,
      status: {
        perpReconciliation: async () => summaryOf(await latestReading(venue.sql, chainId, RECONCILED)),
      },
      describe: async (embedded) =>
        isDeployed ? describePerp(embedded) : { dev: null, summary: ['perp API', 'not on this chain'] },
    }
  },
}
